#include "kernels/launch/operand_spans.h"

#include "gtest/gtest.h"

namespace tiletune {
namespace {

OperandSpan Lines(uintptr_t begin, int64_t run, int64_t lines, int64_t pitch) {
  return {begin, run, lines, pitch, 1, 0};
}

TEST(Overlap, NeighboursDoNot) {
  EXPECT_FALSE(Overlap(Lines(1000, 10, 10, 10), Lines(1100, 10, 10, 10)));
  EXPECT_TRUE(Overlap(Lines(1000, 10, 10, 10), Lines(1099, 10, 10, 10)));
}

TEST(Overlap, ColumnBlocksOfOneMatrixDoNot) {
  // Columns 0-9, 10-19 and 9-18 of a matrix of 30 bytes a row.
  const OperandSpan left = Lines(1000, 10, 8, 30);
  EXPECT_FALSE(Overlap(left, Lines(1010, 10, 8, 30)));
  EXPECT_FALSE(Overlap(Lines(1010, 10, 8, 30), left));
  EXPECT_TRUE(Overlap(left, Lines(1009, 10, 8, 30)));
  // The right block starts a row earlier and wraps.
  EXPECT_TRUE(Overlap(Lines(1030, 10, 4, 30), Lines(1025, 10, 4, 30)));
  EXPECT_FALSE(Overlap(Lines(1030, 10, 4, 30), Lines(1020, 10, 4, 30)));
}

TEST(Overlap, OneLineIsABlockWithinAWiderMatrix) {
  EXPECT_FALSE(Overlap(Lines(1000, 10, 8, 30), Lines(1075, 10, 1, 10)));
  EXPECT_TRUE(Overlap(Lines(1000, 10, 8, 30), Lines(1065, 10, 1, 10)));
}

TEST(Overlap, AnEmptyOperandOverlapsNothing) {
  EXPECT_FALSE(Overlap(Lines(1000, 10, 8, 30), Lines(1000, 0, 8, 30)));
  EXPECT_FALSE(Overlap(Lines(1000, 10, 0, 30), Lines(1000, 10, 8, 30)));
}

TEST(Spans, CoverEveryBatchOfAnOperand) {
  GemmProblem p;
  p.m = 4;
  p.n = 8;
  p.k = 16;
  p.batch = 3;
  p.batch_stride_b = 0;
  p = Normalized(p);
  const OperandSpan a = SpanOfA(p, nullptr);
  EXPECT_EQ(a.lines, 4);
  EXPECT_EQ(a.run_bytes, 32);
  EXPECT_EQ(a.batches, 3);
  EXPECT_EQ(a.batch_bytes, 128);
  EXPECT_EQ(SpanOfB(p, nullptr).batches, 1);  // broadcast: stored once
}

}  // namespace
}  // namespace tiletune
