#include <string>

#include "gtest/gtest.h"
#include "testing/emulator/snippet/snippet.h"

namespace tiletune::emulator {
namespace {

// The words %r1 to %r4 after the body.
std::vector<uint32_t> Words(const std::string& body) {
  Ran ran = RunOnce(Snippet(
      "mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r4, 0;" + body +
      "st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4};"));
  EXPECT_TRUE(ran.Clean()) << ran.Text();
  ran.out.resize(4);
  return ran.out;
}

using Expected = std::vector<uint32_t>;

TEST(ExtendedPrecision, CarriesThroughASum) {
  EXPECT_EQ(Words("add.cc.u32 %r1, 0xFFFFFFFF, 1;"
                  "addc.cc.u32 %r2, 0xFFFFFFFF, 0; addc.u32 %r3, 5, 0;"),
            (Expected{0, 0, 6, 0}));
  EXPECT_EQ(Words("add.cc.u32 %r1, 7, 1; addc.u32 %r2, 5, 0;"),
            (Expected{8, 5, 0, 0}));
}

TEST(ExtendedPrecision, BorrowsThroughADifference) {
  EXPECT_EQ(Words("sub.cc.u32 %r1, 0, 1; subc.cc.u32 %r2, 0, 0;"
                  "subc.u32 %r3, 9, 3;"),
            (Expected{0xFFFFFFFF, 0xFFFFFFFF, 5, 0}));
  EXPECT_EQ(Words("sub.cc.s32 %r1, 4, 1; subc.u32 %r2, 9, 3;"),
            (Expected{3, 6, 0, 0}));
}

TEST(ExtendedPrecision, MultipliesLongNumbers) {
  // (2^32 + 3) * 0xFFFFFFFF = 0x1_00000001_FFFFFFFD... word by word.
  EXPECT_EQ(Words("mul.lo.u32 %r1, 3, 0xFFFFFFFF;"
                  "mul.hi.u32 %r2, 3, 0xFFFFFFFF;"
                  "mad.lo.cc.u32 %r2, 1, 0xFFFFFFFF, %r2;"
                  "madc.hi.u32 %r3, 1, 0xFFFFFFFF, 0;"),
            (Expected{0xFFFFFFFD, 1, 1, 0}));
  EXPECT_EQ(Words("mov.u32 %r5, -2; mad.hi.cc.s32 %r1, %r5, 3, 1;"
                  "addc.u32 %r2, 0, 0;"),
            (Expected{0, 1, 0, 0}));
}

TEST(ExtendedPrecision, HasSixtyFourBitForms) {
  EXPECT_EQ(Words("add.cc.u64 %rd1, -1, 2; addc.u64 %rd2, 4, 0;"
                  "mov.b64 {%r1, %r2}, %rd1; mov.b64 {%r3, %r4}, %rd2;"),
            (Expected{1, 0, 5, 0}));
}

TEST(ExtendedPrecision, EveryLaneHasItsOwnCarry) {
  Snippet s(
      "sub.u32 %r1, 0, %t; add.cc.u32 %r1, %r1, 1; addc.u32 %r2, 0, 0;"
      "mul.wide.u32 %rd1, %t, 4; add.u64 %rd1, %out, %rd1;"
      "st.global.u32 [%rd1], %r2;");
  s.block = {4, 1, 1};
  const Ran ran = RunOnce(s);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 0u);
  EXPECT_EQ(ran.out[1], 1u);
  EXPECT_EQ(ran.out[2], 0u);
}

}  // namespace
}  // namespace tiletune::emulator
