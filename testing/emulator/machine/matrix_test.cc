#include "gtest/gtest.h"
#include "testing/emulator/snippet/snippet.h"

namespace tiletune::emulator {
namespace {

// buf holds the 16-bit words 0, 1, 2, ...; lane l's row address is in %r1.
const char kFill[] =
    "mov.u32 %r0, buf; mov.u32 %r2, %t; FILL: shl.b32 %r3, %r2, 2;"
    "add.u32 %r3, %r0, %r3; shl.b32 %r4, %r2, 1; add.u32 %r5, %r4, 1;"
    "shl.b32 %r5, %r5, 16; or.b32 %r4, %r4, %r5; st.shared.u32 [%r3], %r4;"
    "add.u32 %r2, %r2, 32; setp.lt.u32 %p1, %r2, 128; @%p1 bra FILL;"
    "bar.sync 0; shl.b32 %r1, %t, 4; add.u32 %r1, %r0, %r1;";
const char kStore[] =
    "mul.wide.u32 %rd1, %t, 4; add.u64 %rd1, %out, %rd1;"
    "st.global.u32 [%rd1], %r10; st.global.u32 [%rd1+128], %r11;";

Ran RunWarp(const std::string& body) {
  Snippet s(kFill + body + kStore);
  s.block = {32, 1, 1};
  Ran ran = RunSeeds(s, 1);
  EXPECT_TRUE(ran.Clean()) << ran.Text();
  ran.out.resize(256);
  return ran;
}

TEST(Matrix, LdmatrixGivesEachLaneItsPair) {
  Ran ran =
      RunWarp("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r10, %r11}, [%r1];");
  // Lane 5 holds row 1, columns 2 and 3; matrix 1 starts 64 words later.
  EXPECT_EQ(ran.out[5], (11u << 16) | 10u);
  EXPECT_EQ(ran.out[32 + 5], (75u << 16) | 74u);
}

TEST(Matrix, LdmatrixTransposes) {
  Ran ran = RunWarp(
      "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r10, %r11}, [%r1];");
  // Lane 5: column 1 of memory, rows 2 and 3.
  EXPECT_EQ(ran.out[5], (25u << 16) | 17u);
}

TEST(Matrix, StmatrixUndoesLdmatrix) {
  Ran ran = RunWarp(
      "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r12, %r13}, [%r1];"
      "bar.sync 0; add.u32 %r6, %r1, 1024;"
      "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r6], {%r12, %r13};"
      "bar.sync 0; shl.b32 %r7, %t, 2; add.u32 %r7, %r0, %r7;"
      "ld.shared.u32 %r10, [%r7+1024]; ld.shared.u32 %r11, [%r7];");
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(ran.out[lane], ran.out[32 + lane]);
  }
}

TEST(Matrix, MmaSyncSumsProducts) {
  // A and B all ones, C = 2: D = 16 + 2.
  Ran ran = RunWarp(
      "mov.u32 %r20, 0x3F803F80; mov.f32 %f4, 0f40000000;"
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%f0, %f1, %f2, %f3}, {%r20, %r20, %r20, %r20}, {%r20, %r20}, "
      "{%f4, %f4, %f4, %f4}; mov.b32 %r10, %f0; mov.b32 %r11, %f3;");
  EXPECT_EQ(ran.out[7], 0x41900000u);
  EXPECT_EQ(ran.out[32 + 7], 0x41900000u);
}

TEST(Matrix, MovmatrixTransposes) {
  Ran ran = RunWarp(
      "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r12, %r13}, [%r1];"
      "movmatrix.sync.aligned.m8n8.trans.b16 %r10, %r12; mov.u32 %r11, 0;");
  EXPECT_EQ(ran.out[5], (25u << 16) | 17u);
}

}  // namespace
}  // namespace tiletune::emulator
