#include "gtest/gtest.h"
#include "testing/emulator/snippet/snippet.h"

namespace tiletune::emulator {
namespace {

TEST(Logic, ShiftsClampAtTheWidth) {
  EXPECT_EQ(WordFrom("shl.b32 %r1, 1, 40;"), 0u);
  EXPECT_EQ(WordFrom("shr.u32 %r1, 0x80000000, 33;"), 0u);
  EXPECT_EQ(WordFrom("shr.s32 %r1, 0x80000000, 33;"), 0xFFFFFFFFu);
  EXPECT_EQ(WordFrom("shr.s32 %r1, 0x80000000, 4;"), 0xF8000000u);
}

TEST(Logic, FunnelShiftJoinsTwoWords) {
  EXPECT_EQ(WordFrom("shf.l.wrap.b32 %r1, 0x89ABCDEF, 0x01234567, 8;"),
            0x23456789u);
  EXPECT_EQ(WordFrom("shf.r.clamp.b32 %r1, 0x89ABCDEF, 0x01234567, 8;"),
            0x6789ABCDu);
}

TEST(Logic, TableLogicMatchesItsFormula) {
  // 0xE8 is the majority of three bits.
  EXPECT_EQ(WordFrom("lop3.b32 %r1, 0xF0, 0xCC, 0xAA, 0xE8;"), 0xE8u);
}

TEST(Logic, CountsAndFindsBits) {
  EXPECT_EQ(WordFrom("popc.b32 %r1, 0xF00F;"), 8u);
  EXPECT_EQ(WordFrom("clz.b32 %r1, 1;"), 31u);
  EXPECT_EQ(WordFrom("bfind.u32 %r1, 0x100;"), 8u);
  EXPECT_EQ(WordFrom("brev.b32 %r1, 1;"), 0x80000000u);
}

TEST(Logic, ExtractsAndInsertsFields) {
  EXPECT_EQ(WordFrom("bfe.u32 %r1, 0xABCD, 4, 8;"), 0xBCu);
  EXPECT_EQ(WordFrom("bfe.s32 %r1, 0xABCD, 4, 8;"), 0xFFFFFFBCu);
  EXPECT_EQ(WordFrom("bfi.b32 %r1, 0xF, 0x1234, 4, 4;"), 0x12F4u);
}

TEST(Logic, PermutesBytes) {
  EXPECT_EQ(WordFrom("prmt.b32 %r1, 0x33221100, 0x77665544, 0x7531;"),
            0x77553311u);
  EXPECT_EQ(WordFrom("prmt.b32 %r1, 0x80, 0, 0x8888;"), 0xFFFFFFFFu);
}

TEST(Compare, SetsBothPredicatesAndCombines) {
  EXPECT_EQ(WordFrom("setp.lt.s32 %p1|%p2, -1, 1; selp.u32 %r2, 1, 0, %p1;"
                     "selp.u32 %r3, 2, 0, %p2; or.b32 %r1, %r2, %r3;"),
            1u);
  EXPECT_EQ(WordFrom("setp.lo.u32 %p1, -1, 1; selp.u32 %r1, 1, 0, %p1;"), 0u);
  EXPECT_EQ(WordFrom("setp.eq.s32 %p1, 1, 1; setp.eq.and.s32 %p2, 1, 1, !%p1;"
                     "selp.u32 %r1, 1, 0, %p2;"),
            0u);
  // Unordered comparisons with NaN.
  EXPECT_EQ(WordFrom("mov.b32 %r2, 0x7FC00000; mov.b32 %f1, %r2;"
                     "setp.ltu.f32 %p1, %f1, %f1; setp.lt.f32 %p2, %f1, %f1;"
                     "selp.u32 %r3, 1, 0, %p1; selp.u32 %r4, 2, 0, %p2;"
                     "or.b32 %r1, %r3, %r4;"),
            1u);
}

TEST(Convert, ExtendsNarrowIntegers) {
  EXPECT_EQ(WordFrom("cvt.s32.s8 %r1, 0x1FF;"), 0xFFFFFFFFu);
  EXPECT_EQ(WordFrom("mov.u32 %r2, 0x1FF; cvt.u32.u8 %r1, %r2;"), 0xFFu);
  EXPECT_EQ(WordFrom("mov.u32 %r2, 300; cvt.sat.u8.s32 %r1, %r2;"), 255u);
}

TEST(Convert, RoundsAndClampsFloats) {
  EXPECT_EQ(WordFrom("mov.f32 %f1, 0f40200000; cvt.rni.s32.f32 %r1, %f1;"), 2u);
  EXPECT_EQ(WordFrom("mov.f32 %f1, 0f4F800000; cvt.rzi.s32.f32 %r1, %f1;"),
            0x7FFFFFFFu);
  EXPECT_EQ(WordFrom("mov.f32 %f1, 0fBF800000; cvt.rzi.u32.f32 %r1, %f1;"), 0u);
  EXPECT_EQ(WordFrom("cvt.rn.f32.s32 %f1, 3; mov.b32 %r1, %f1;"), 0x40400000u);
}

TEST(Convert, PacksPairsHighFirst) {
  EXPECT_EQ(WordFrom("mov.f32 %f1, 0f40000000; mov.f32 %f2, 0f3F800000;"
                     "cvt.rn.bf16x2.f32 %r1, %f1, %f2;"),
            0x40003F80u);
  EXPECT_EQ(WordFrom("mov.f32 %f1, 0f40000000; mov.f32 %f2, 0f3F800000;"
                     "cvt.rn.f16x2.f32 %r1, %f1, %f2;"),
            0x40003C00u);
  EXPECT_EQ(WordFrom("mov.f32 %f1, 0f40000000; mov.f32 %f2, 0f3F800000;"
                     "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;"
                     "cvt.u32.u16 %r1, %h1;"),
            0x4038u);
}

TEST(Move, PacksAndUnpacks) {
  EXPECT_EQ(WordFrom("mov.b64 %rd1, {%r2, %r3}; mov.u32 %r2, 5;"
                     "mov.b64 %rd1, {%r2, 6}; mov.b64 {%r3, %r1}, %rd1;"),
            6u);
  EXPECT_EQ(WordFrom("mov.u64 %rd1, 1; mov.u64 %rd2, 2;"
                     "mov.b128 %q1, {%rd1, %rd2}; mov.b128 {_, %rd3}, %q1;"
                     "cvt.u32.u64 %r1, %rd3;"),
            2u);
}

}  // namespace
}  // namespace tiletune::emulator
