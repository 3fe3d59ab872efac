#include "kernels/scale_layout.h"

#include "gtest/gtest.h"

namespace tiletune {
namespace {

GemmProblem Problem(Scaling scaling) {
  GemmProblem p;
  p.m = 130;
  p.n = 300;
  p.k = 400;
  p.a_type = p.b_type = DataType::kFp8E4m3;
  p.scaling = scaling;
  return p;
}

TEST(ScaleLayout, CountsOneATensorOrOneALine) {
  GemmProblem p = Normalized(Problem(Scaling::kNone));
  EXPECT_EQ(ScaleLayoutOf(p).a_count, 0);
  EXPECT_EQ(ScaleLayoutOf(p).b_count, 0);
  p.scaling = Scaling::kPerTensor;
  EXPECT_EQ(ScaleLayoutOf(p).a_count, 1);
  EXPECT_EQ(ScaleLayoutOf(p).b_count, 1);
  p.scaling = Scaling::kPerRowColumn;
  EXPECT_EQ(ScaleLayoutOf(p).a_count, 130);
  EXPECT_EQ(ScaleLayoutOf(p).b_count, 300);
}

TEST(ScaleLayout, OfBlocksStartsEachLineAt16Bytes) {
  const ScaleLayout s = ScaleLayoutOf(Normalized(Problem(Scaling::kBlock128)));
  EXPECT_EQ(s.k_blocks, 4);
  EXPECT_EQ(s.a_stride, 132);  // M
  EXPECT_EQ(s.a_count, 4 * 132);
  EXPECT_EQ(s.b_stride, 4);  // blocks of K
  EXPECT_EQ(s.b_count, 3 * 4);
  EXPECT_EQ(s.a_batch_stride, 0);

  GemmProblem p = Problem(Scaling::kBlock128);
  p.k = 513;
  EXPECT_EQ(ScaleLayoutOf(Normalized(p)).k_blocks, 5);
  EXPECT_EQ(ScaleLayoutOf(Normalized(p)).b_stride, 8);
  p.k = 0;
  EXPECT_EQ(ScaleLayoutOf(Normalized(p)).a_count, 0);
}

TEST(ScaleLayout, OfABroadcastOperandIsBroadcast) {
  GemmProblem p = Problem(Scaling::kBlock128);
  p.batch = 3;
  p.batch_stride_b = 0;
  const ScaleLayout s = ScaleLayoutOf(Normalized(p));
  EXPECT_EQ(s.a_batch_stride, 4 * 132);
  EXPECT_EQ(s.a_count, 3 * 4 * 132);
  EXPECT_EQ(s.b_batch_stride, 0);
  EXPECT_EQ(s.b_count, 3 * 4);
}

}  // namespace
}  // namespace tiletune
