#include "gtest/gtest.h"
#include "testing/emulator/snippet/snippet.h"

namespace tiletune::emulator {
namespace {

// Each lane's address of its own word in buf.
const char kOwnWord[] =
    "mov.u32 %r0, buf; shl.b32 %r1, %t, 2; add.u32 %r1, %r0, %r1;";

TEST(LoadStore, MovesVectorsAndSignExtends) {
  Ran ran = RunOnce(
      Snippet("mov.u32 %r0, buf; st.shared.v4.b32 [%r0], {1, 2, 3, 0xFF};"
              "ld.shared.v2.b64 {%rd1, %rd2}, [%r0]; st.global.v2.b64 [%out], "
              "{%rd1, %rd2}; ld.shared.s8 %r5, [%r0+12];"
              "st.global.u32 [%out+16], %r5; ld.shared.b128 %q1, [%r0];"
              "st.global.b128 [%out+32], %q1;"));
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 1u);
  EXPECT_EQ(ran.out[3], 0xFFu);
  EXPECT_EQ(ran.out[4], 0xFFFFFFFFu);
  EXPECT_EQ(ran.out[9], 2u);
}

TEST(LoadStore, ReachesAllSpacesThroughGenericAddresses) {
  Snippet s(
      ".local .align 8 .b8 mine[16]; mov.u64 %rd1, mine;"
      "cvta.local.u64 %rd2, %rd1; st.u32 [%rd2+4], 9; ld.local.u32 %r1, "
      "[mine+4]; mov.u64 %rd3, buf; cvta.shared.u64 %rd4, %rd3; st.u32 "
      "[%rd4], 8; ld.shared.u32 %r2, [buf]; add.u32 %r1, %r1, %r2;"
      "ld.const.u32 %r3, [table+4]; add.u32 %r1, %r1, %r3;"
      "cvta.to.global.u64 %rd5, %out; st.u32 [%rd5], %r1;");
  s.module_text = ".const .align 4 .b32 table[2] = {1, 100};";
  Ran ran = RunOnce(s);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 117u);
}

TEST(LoadStoreCheck, SeesReadsOfUninitialisedMemory) {
  EXPECT_TRUE(RunOnce(Snippet("ld.shared.u32 %r1, [buf];"))
                  .Found("uninitialised memory"));
  EXPECT_TRUE(RunOnce(Snippet(".local .b32 x; ld.local.u32 %r1, [x];"))
                  .Found("uninitialised memory"));
  Snippet global("ld.global.u32 %r1, [%out];");
  global.out_initialised = false;
  EXPECT_TRUE(RunOnce(global).Found("uninitialised memory"));
  EXPECT_TRUE(
      RunOnce(Snippet("st.shared.u32 [buf], 1; ld.shared.u32 %r1, [buf];"))
          .Clean());
}

TEST(LoadStoreCheck, SeesAccessesOutOfBounds) {
  EXPECT_TRUE(
      RunOnce(Snippet("st.global.u32 [%out+1024], 1;")).Found("out of bounds"));
  EXPECT_TRUE(RunOnce(Snippet("mov.u32 %r1, buf; st.shared.u32 [%r1+-512], 1;"))
                  .Found("out of bounds"));
  EXPECT_TRUE(
      RunOnce(Snippet("st.shared.u32 [buf+20000], 1;")).Found("out of bounds"));
  EXPECT_TRUE(RunOnce(Snippet(".local .b32 x; st.local.u32 [x+4], 1;"))
                  .Found("out of bounds"));
  EXPECT_TRUE(RunOnce(Snippet("st.global.u32 [%out+1020], 1;")).Clean());
}

TEST(LoadStoreCheck, SeesMisalignedAccesses) {
  EXPECT_TRUE(
      RunOnce(Snippet("st.shared.u32 [buf+2], 1;")).Found("misaligned access"));
  EXPECT_TRUE(RunOnce(Snippet("st.shared.v4.b32 [buf+8], {1, 2, 3, 4};"))
                  .Found("misaligned access"));
}

TEST(LoadStoreCheck, SeesARaceBetweenWarps) {
  // Warp 0 writes words that warp 1 reads.
  std::string write = std::string(kOwnWord) +
                      "setp.lt.u32 %p1, %t, 32;"
                      "@%p1 st.shared.u32 [%r1], %t;";
  std::string read =
      "@!%p1 ld.shared.u32 %r2, [%r1+-128];"
      "setp.eq.u32 %p2, %t, 32; @%p2 st.global.u32 [%out], %r2;";
  Snippet racy(write + read);
  racy.block = {64, 1, 1};
  EXPECT_TRUE(FindsWithSomeSeed(racy, "data race", 8));
  Snippet fixed(write + "bar.sync 0;" + read);
  fixed.block = {64, 1, 1};
  EXPECT_TRUE(RunSeeds(fixed, 8).Clean()) << RunSeeds(fixed, 8).Text();
}

TEST(LoadStoreCheck, SeesARaceInGlobalMemory) {
  Snippet racy("st.global.u32 [%out], %t;");
  racy.block = {64, 1, 1};
  EXPECT_TRUE(FindsWithSomeSeed(racy, "data race", 4));
}

TEST(LoadStoreCheck, FlagsWithReleaseAndAcquireAreNoRace) {
  std::string body =
      "setp.ne.u32 %p1, %t, 0; @%p1 bra READ;"
      "st.global.u32 [%out+16], 42; st.release.gpu.global.u32 [%out], 1;"
      "bra END; READ: setp.ne.u32 %p2, %t, 32; @%p2 bra END;"
      "SPIN: ld.ORDER.gpu.global.u32 %r1, [%out]; setp.eq.u32 %p3, %r1, 0;"
      "@%p3 bra SPIN; ld.global.u32 %r2, [%out+16];"
      "st.global.u32 [%out+32], %r2; END:";
  auto with = [&](const std::string& order) {
    std::string text = body;
    text.replace(text.find("ORDER"), 5, order);
    Snippet s(text);
    s.block = {64, 1, 1};
    return s;
  };
  Ran ran = RunSeeds(with("acquire"), 6);
  EXPECT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[8], 42u);
  EXPECT_TRUE(FindsWithSomeSeed(with("relaxed"), "data race", 6));
}

TEST(LoadStoreCheck, AWriteRacesWithReadsOfWhatTheHostWroteIfStrict) {
  // Thread 0 reads, thread 32 writes, in whatever order.
  Snippet s(
      "setp.eq.u32 %p1, %t, 0; @%p1 ld.global.u32 %r1, [%out];"
      "setp.eq.u32 %p2, %t, 32; @%p2 st.global.u32 [%out], 1;");
  s.block = {64, 1, 1};
  auto count = [&s](Checks checks) {
    s.options.checks = checks;
    int found = 0;
    for (s.options.seed = 1; s.options.seed <= 20; ++s.options.seed) {
      if (RunOnce(s).Found("data race")) ++found;
    }
    return found;
  };
  EXPECT_EQ(count(Checks::kStrict), 20);
  EXPECT_LT(count(Checks::kHardware), 20);
}

TEST(LoadStore, WarpsMayStoreOneValueToOneWordInHardware) {
  const auto stores = [](const std::string& value, Checks checks) {
    Snippet s("shr.u32 %r1, %t, 5; st.shared.u32 [word], " + value +
              "; bar.sync 0; ld.shared.u32 %r2, [word];");
    s.block = {64, 1, 1};
    s.options.checks = checks;
    return RunOnce(s);
  };
  EXPECT_TRUE(stores("7", Checks::kStrict).Found("data race"));
  EXPECT_TRUE(stores("%r1", Checks::kHardware).Found("data race"));
  const Ran ran = stores("7", Checks::kHardware);
  EXPECT_TRUE(ran.Clean()) << ran.Text();
}

TEST(LoadStoreCheck, ARaceBetweenCtasNamesBoth) {
  Snippet s("st.global.u32 [%out], %t;");
  s.grid = {2, 1, 1};
  s.block = {1, 1, 1};
  const Ran ran = RunSeeds(s, 4);
  ASSERT_TRUE(ran.Found("data race")) << ran.Text();
  const Finding& race = ran.result.findings[0];
  const std::string other = race.cta.x == 0 ? "CTA (1,0,0)" : "CTA (0,0,0)";
  EXPECT_NE(race.message.find("(thread 0 of " + other + ")"), std::string::npos)
      << ran.Text();
}

}  // namespace
}  // namespace tiletune::emulator
