#include "gtest/gtest.h"
#include "testing/emulator/snippet/snippet.h"

namespace tiletune::emulator {
namespace {

TEST(Arithmetic, WrapsAndSaturates) {
  EXPECT_EQ(WordFrom("add.s32 %r1, 0x7FFFFFFF, 1;"), 0x80000000u);
  EXPECT_EQ(WordFrom("mov.u32 %r2, 0x7FFFFFFF; add.sat.s32 %r1, %r2, 1;"),
            0x7FFFFFFFu);
  EXPECT_EQ(WordFrom("sub.s32 %r1, 3, 5;"), 0xFFFFFFFEu);
}

TEST(Arithmetic, MultipliesLowHighAndWide) {
  EXPECT_EQ(WordFrom("mul.lo.s32 %r1, -3, 7;"), static_cast<uint32_t>(-21));
  EXPECT_EQ(WordFrom("mul.hi.u32 %r1, 0xFFFFFFFF, 0xFFFFFFFF;"), 0xFFFFFFFEu);
  EXPECT_EQ(WordFrom("mul.hi.s32 %r1, -1, 1;"), 0xFFFFFFFFu);
  EXPECT_EQ(WordFrom("mul.wide.s32 %rd1, -2, 3; shr.s64 %rd1, %rd1, 1;"
                     "cvt.u32.u64 %r1, %rd1;"),
            static_cast<uint32_t>(-3));
  EXPECT_EQ(WordFrom("mad.lo.s32 %r1, 5, 6, 7;"), 37u);
}

TEST(Arithmetic, DividesTowardZero) {
  EXPECT_EQ(WordFrom("div.s32 %r1, -7, 2;"), static_cast<uint32_t>(-3));
  EXPECT_EQ(WordFrom("rem.s32 %r1, -7, 2;"), static_cast<uint32_t>(-1));
  EXPECT_EQ(WordFrom("div.u32 %r1, 7, 2;"), 3u);
}

TEST(Arithmetic, OrdersBySign) {
  EXPECT_EQ(WordFrom("min.s32 %r1, -1, 1;"), 0xFFFFFFFFu);
  EXPECT_EQ(WordFrom("min.u32 %r1, -1, 1;"), 1u);
  EXPECT_EQ(WordFrom("max.s32 %r1, -1, 1;"), 1u);
  EXPECT_EQ(WordFrom("abs.s32 %r1, -9;"), 9u);
  EXPECT_EQ(WordFrom("neg.s32 %r1, 9;"), static_cast<uint32_t>(-9));
}

TEST(Float, AddsMultipliesAndFuses) {
  EXPECT_EQ(WordFrom("mov.f32 %f1, 0f40000000; add.f32 %f2, %f1, 0f3F800000;"
                     "mov.b32 %r1, %f2;"),
            0x40400000u);  // 3
  EXPECT_EQ(WordFrom("mov.f32 %f1, 0f40000000;"
                     "fma.rn.f32 %f2, %f1, %f1, 0fBF800000; mov.b32 %r1, %f2;"),
            0x40400000u);
  EXPECT_EQ(WordFrom("mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f33000000;"
                     "add.rz.f32 %f3, %f1, %f2; mov.b32 %r1, %f3;"),
            0x3F800000u);
  EXPECT_EQ(WordFrom("mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f33000000;"
                     "add.rp.f32 %f3, %f1, %f2; mov.b32 %r1, %f3;"),
            0x3F800001u);
}

TEST(Float, MinAndMaxTreatNanAsPtxSays) {
  EXPECT_EQ(WordFrom("mov.b32 %r2, 0x7FC00000; mov.b32 %f1, %r2;"
                     "max.f32 %f2, %f1, 0f3F800000; mov.b32 %r1, %f2;"),
            0x3F800000u);
  EXPECT_EQ(WordFrom("mov.b32 %r2, 0x7FC00000; mov.b32 %f1, %r2;"
                     "max.NaN.f32 %f2, %f1, 0f3F800000; mov.b32 %r1, %f2;") &
                0x7FC00000u,
            0x7FC00000u);
}

TEST(Float, ComputesPackedHalves) {
  // {2, 1} * {3, 5} in bf16x2 and f16x2.
  EXPECT_EQ(WordFrom("mov.b32 %r2, 0x40003F80; mov.b32 %r3, 0x404040A0;"
                     "mul.bf16x2 %r1, %r2, %r3;"),
            0x40C040A0u);
  EXPECT_EQ(WordFrom("mov.b32 %r2, 0x40003C00; mov.b32 %r3, 0x42004500;"
                     "mul.f16x2 %r1, %r2, %r3;"),
            0x46004500u);
}

TEST(FloatMath, ApproximatesWell) {
  EXPECT_EQ(WordFrom("mov.f32 %f1, 0f40800000; rcp.approx.f32 %f2, %f1;"
                     "mov.b32 %r1, %f2;"),
            0x3E800000u);
  EXPECT_EQ(WordFrom("mov.f32 %f1, 0f40400000; ex2.approx.ftz.f32 %f2, %f1;"
                     "mov.b32 %r1, %f2;"),
            0x41000000u);
  EXPECT_EQ(WordFrom("mov.f32 %f1, 0f41800000; sqrt.rn.f32 %f2, %f1;"
                     "mov.b32 %r1, %f2;"),
            0x40800000u);
}

}  // namespace
}  // namespace tiletune::emulator
