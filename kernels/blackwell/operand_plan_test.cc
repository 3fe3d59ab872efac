#include "kernels/blackwell/operand_plan.h"

#include "gtest/gtest.h"

namespace tiletune::blackwell {
namespace {

KernelVariant Pair() {
  KernelVariant v = {};
  v.tile_m = 128;
  v.tile_n = 256;
  v.tile_k = 64;
  v.cluster_m = 2;
  v.cluster_n = 2;
  v.cta_group = 2;
  v.operand_bits = 16;
  return v;
}

GemmProblem Problem(int64_t m, int64_t n, int64_t k, Layout layout) {
  GemmProblem p;
  p.m = m;
  p.n = n;
  p.k = k;
  p.layout = layout;
  return Normalized(p);
}

TEST(OperandPlan, ACtaOfAPairHoldsHalfOfB) {
  const GemmProblem p = Problem(512, 512, 64, Layout::kTN);
  const OperandPlan a = PlanOperandA(p, Pair());
  EXPECT_EQ(a.tile_rows, 128);
  EXPECT_EQ(a.slices, 2);  // two CTAs along N share A
  const OperandPlan b = PlanOperandB(p, Pair());
  EXPECT_EQ(b.tile_rows, 128);
  EXPECT_EQ(b.slices, 1);  // the only pair along M
}

TEST(OperandPlan, FollowsTheLayout) {
  const KernelVariant v = Pair();
  EXPECT_TRUE(PlanOperandA(Problem(256, 256, 64, Layout::kTN), v).is_k_major);
  EXPECT_TRUE(PlanOperandB(Problem(256, 256, 64, Layout::kTN), v).is_k_major);
  EXPECT_FALSE(PlanOperandA(Problem(256, 256, 64, Layout::kNT), v).is_k_major);
  EXPECT_FALSE(PlanOperandB(Problem(256, 256, 64, Layout::kNT), v).is_k_major);
  EXPECT_TRUE(PlanOperandA(Problem(256, 256, 64, Layout::kTT), v).is_k_major);
  EXPECT_FALSE(PlanOperandB(Problem(256, 256, 64, Layout::kTT), v).is_k_major);
}

TEST(OperandPlan, OneRowNeedsNoAlignedStride) {
  GemmProblem p = Problem(1, 256, 64, Layout::kTN);
  p.lda = 65;
  const OperandPlan one = PlanOperandA(p, Pair());
  EXPECT_FALSE(one.needs_repack);
  char source;
  EXPECT_EQ(MapOf(one, &source).strides[0], 16u);  // unused, but legal
  p.m = 2;
  EXPECT_TRUE(PlanOperandA(p, Pair()).needs_repack);
}

TEST(OperandPlan, OneColumnOfAnMMajorOperandNeedsNoneEither) {
  GemmProblem p = Problem(256, 256, 1, Layout::kNT);
  p.lda = 257;
  EXPECT_FALSE(PlanOperandA(p, Pair()).needs_repack);
  p.k = 2;
  EXPECT_TRUE(PlanOperandA(p, Pair()).needs_repack);
}

TEST(OperandPlan, NothingIsRepackedWhenKIsZero) {
  GemmProblem p = Problem(256, 256, 0, Layout::kTN);
  p.pointer_alignment = 8;
  EXPECT_FALSE(PlanOperandA(p, Pair()).needs_repack);
}

TEST(OperandPlan, UnalignedPointersAndBatchesAreRepacked) {
  GemmProblem p = Problem(256, 256, 64, Layout::kTN);
  p.pointer_alignment = 8;
  EXPECT_TRUE(PlanOperandA(p, Pair()).needs_repack);
  p.pointer_alignment = 16;
  p.batch = 2;
  p.batch_stride_a = 256 * 64 + 4;
  p.batch_stride_b = 0;
  EXPECT_TRUE(PlanOperandA(p, Pair()).needs_repack);
  EXPECT_FALSE(PlanOperandB(p, Pair()).needs_repack);
}

TEST(OperandPlan, RepackedCopiesAreKMajorAndTheirRowsReachOverNoLine) {
  const GemmProblem p = Problem(100, 60, 33, Layout::kNT);
  const OperandPlan a = PlanOperandA(p, Pair());
  ASSERT_TRUE(a.needs_repack);  // 200 bytes between the columns of A
  EXPECT_TRUE(a.is_k_major);
  EXPECT_EQ(a.stride, 64);
  EXPECT_EQ(RepackedBytes(a), 100u * 64 * 2);
  char source, destination;
  const RepackArguments r = RepackOf(a, &source, &destination);
  EXPECT_EQ(r.outer, 100);
  EXPECT_EQ(r.inner, 33);
  EXPECT_TRUE(r.transposes);
  EXPECT_EQ(r.source_stride, 100);
  EXPECT_EQ(r.destination_stride, 64);
}

TEST(OperandPlan, NarrowMnMajorTilesTakeNarrowSwizzles) {
  GemmProblem p = Problem(256, 256, 64, Layout::kNT);
  p.a_type = p.b_type = DataType::kFp16;
  KernelVariant v = Pair();
  v.tile_n = 32;  // 16 columns a CTA
  v.cluster_n = 1;
  char source;
  const TensorMapSpec b = MapOf(PlanOperandB(p, v), &source);
  EXPECT_EQ(b.type, CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
  EXPECT_EQ(b.swizzle, CU_TENSOR_MAP_SWIZZLE_32B);
  EXPECT_EQ(b.box[0], 16u);
}

TEST(OperandPlan, EveryBatchIsRepacked) {
  GemmProblem p = Problem(100, 64, 33, Layout::kTN);
  p.a_type = p.b_type = DataType::kFp8E4m3;
  p.batch = 3;
  p.batch_stride_a = 5000;
  const OperandPlan a = PlanOperandA(p, Pair());
  ASSERT_TRUE(a.needs_repack);
  EXPECT_EQ(RepackedBytes(a), 3u * 100 * 64);  // rows of 33
  char source, destination;
  const RepackArguments r = RepackOf(a, &source, &destination);
  EXPECT_EQ(r.element_bytes, 1);
  EXPECT_EQ(r.batches, 3);
  EXPECT_EQ(r.source_batch_stride, 5000);
  EXPECT_EQ(r.destination_batch_stride, 100 * 64);
}

}  // namespace
}  // namespace tiletune::blackwell
