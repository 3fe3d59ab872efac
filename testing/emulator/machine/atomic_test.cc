#include "gtest/gtest.h"
#include "testing/emulator/snippet/snippet.h"

namespace tiletune::emulator {
namespace {

TEST(Atomic, EveryThreadGetsItsOwnTicket) {
  Snippet s(
      "atom.global.add.u32 %r1, [%out], 1; mul.wide.u32 %rd1, %r1, 4;"
      "add.u64 %rd2, %out, %rd1; st.global.u32 [%rd2+64], 1;");
  s.grid = {3, 1, 1};
  s.block = {48, 1, 1};
  Ran ran = RunSeeds(s, 3);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 144u);
  for (int i = 0; i < 144; ++i) EXPECT_EQ(ran.out[16 + i], 1u);
}

TEST(Atomic, ComputesEachOperation) {
  Snippet s(
      "st.shared.u32 [word], 10; atom.shared.max.u32 %r1, [word], 12;"
      "atom.shared.cas.b32 %r2, [word], 12, 77; atom.shared.exch.b32 %r3, "
      "[word], 5; atom.shared.inc.u32 %r4, [word], 5;"
      "ld.shared.u32 %r5, [word]; st.global.v4.u32 [%out], {%r1, %r2, %r3, "
      "%r5}; mov.f32 %f1, 0f40000000; red.global.add.f32 [%out+32], %f1;"
      "red.global.add.f32 [%out+32], %f1;");
  Ran ran = RunOnce(s);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 10u);
  EXPECT_EQ(ran.out[1], 12u);
  EXPECT_EQ(ran.out[2], 77u);
  EXPECT_EQ(ran.out[3], 0u);
  EXPECT_EQ(ran.out[8], 0x40800000u);
}

TEST(Atomic, ReleaseAndAcquireOrderPlainAccesses) {
  // The last of two arrivers reads what both have written.
  std::string body =
      "setp.ne.u32 %p1, %t, 0; @%p1 bra END; mov.u32 %r1, %ctaid.x;"
      "mul.wide.u32 %rd1, %r1, 4; add.u64 %rd2, %out, %rd1;"
      "st.global.u32 [%rd2+64], 21; FENCE"
      "atom.global.add.u32 %r2, [%out], 1; setp.ne.u32 %p2, %r2, 1;"
      "@%p2 bra END; FENCE ld.global.u32 %r3, [%out+64];"
      "ld.global.u32 %r4, [%out+68]; add.u32 %r3, %r3, %r4;"
      "st.global.u32 [%out+128], %r3; END:";
  auto with = [&](const std::string& fence) {
    std::string text = body;
    for (size_t at; (at = text.find("FENCE")) != std::string::npos;) {
      text.replace(at, 5, fence);
    }
    Snippet s(text);
    s.grid = {2, 1, 1};
    return s;
  };
  Ran ran = RunSeeds(with("fence.acq_rel.gpu;"), 6);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[32], 42u);
  EXPECT_TRUE(FindsWithSomeSeed(with(""), "data race", 6));
}

}  // namespace
}  // namespace tiletune::emulator
