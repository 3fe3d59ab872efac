#include "gtest/gtest.h"
#include "kernels/blackwell/plan.h"
#include "kernels/blackwell/plan_fixture.h"

namespace tiletune::blackwell {
namespace {

TEST_F(PlanTest, StoresByTmaOnlyWhereItMay) {
  EXPECT_TRUE(Plan(Problem(128, 128, 64)).d_map.has_value());
  EXPECT_FALSE(Plan(Problem(128, 130, 64)).d_map.has_value());
  GemmProblem p = Problem(128, 128, 64);
  p.pointer_alignment = 8;
  EXPECT_FALSE(Plan(p).d_map.has_value());
  // A padded row that does not end on 16 bytes: TMA would write past it.
  p = Problem(128, 124, 64);
  p.ldd = 128;
  EXPECT_FALSE(Plan(p).d_map.has_value());
  // Rows of 16 bytes, but not 16 bytes apart.
  p = Problem(128, 128, 64);
  p.ldd = 132;
  EXPECT_FALSE(Plan(p).d_map.has_value());
  // Batches neither.
  p = Problem(128, 128, 64);
  p.batch = 2;
  p.batch_stride_d = 128 * 128 + 4;
  EXPECT_FALSE(Plan(p).d_map.has_value());
  // 32 columns of fp8 are no whole 128 bytes.
  variant_.tile_n = 32;
  p = Problem(128, 128, 64);
  p.d_type = DataType::kFp8E4m3;
  EXPECT_FALSE(Plan(p).d_map.has_value());
}

TEST_F(PlanTest, OneRowOfDNeedsNoAlignedStride) {
  GemmProblem p = Problem(1, 128, 64);
  p.ldd = 132;
  const LaunchPlan plan = Plan(p);
  EXPECT_TRUE(plan.parameters.epilogue.d.is_vectorizable);
  ASSERT_TRUE(plan.d_map.has_value());
  EXPECT_EQ(plan.d_map->strides, (std::array<uint64_t, 2>{16, 16}));
}

TEST_F(PlanTest, DescribesDInRowsOf128Bytes) {
  GemmProblem p = Problem(256, 128, 64);
  p.d_type = DataType::kFp32;
  p.batch = 3;
  const LaunchPlan plan = Plan(p);
  ASSERT_TRUE(plan.d_map.has_value());
  EXPECT_EQ(plan.d_map->address, arguments_.d);
  EXPECT_EQ(plan.d_map->type, CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
  EXPECT_EQ(plan.d_map->extents, (std::array<uint64_t, 3>{128, 256, 3}));
  EXPECT_EQ(plan.d_map->strides,
            (std::array<uint64_t, 2>{128 * 4, 256 * 128 * 4}));
  EXPECT_EQ(plan.d_map->box, (std::array<uint32_t, 3>{32, 32, 1}));
  EXPECT_EQ(plan.d_map->swizzle, CU_TENSOR_MAP_SWIZZLE_128B);
}

// A warp holds half the columns of 16 rows, or of 32 rows of a pair.
TEST_F(PlanTest, TilesOf64RowsAreStoredInHalves) {
  variant_.tile_m = 64;
  EXPECT_EQ(Plan(Problem(128, 128, 64)).d_map->box[1], 16u);
  variant_.tile_n = 64;
  EXPECT_FALSE(Plan(Problem(128, 128, 64)).d_map.has_value());
  variant_.tile_n = 128;
  variant_.cluster_m = variant_.cta_group = 2;
  EXPECT_EQ(Plan(Problem(128, 128, 64)).d_map->box[1], 32u);
}

TEST_F(PlanTest, OneBatchHasNoStride) {
  GemmProblem p = Problem(128, 128, 64);
  EXPECT_EQ(Plan(p).parameters.epilogue.d.batch_stride, 0);
  p.batch = 2;
  EXPECT_EQ(Plan(p).parameters.epilogue.d.batch_stride, 128 * 128);
}

TEST_F(PlanTest, SwappedVariantsComputeTheTranspose) {
  variant_.swaps_operands = true;
  variant_.tile_n = 16;
  GemmProblem p = Problem(5, 1000, 64);
  p.epilogue.bias = Bias::kPerColumn;
  p.scaling = Scaling::kPerRowColumn;
  float scales[2];
  arguments_.scale_a = &scales[0];
  arguments_.scale_b = &scales[1];
  const LaunchPlan plan = Plan(p);
  EXPECT_EQ(plan.parameters.m, 1000u);
  EXPECT_EQ(plan.parameters.n, 5u);
  EXPECT_EQ(plan.a_map->address, arguments_.b);
  EXPECT_EQ(plan.b_map->address, arguments_.a);
  EXPECT_EQ(plan.parameters.epilogue.d.row_stride, 1);
  EXPECT_EQ(plan.parameters.epilogue.d.column_stride, 1000);
  EXPECT_EQ(plan.parameters.epilogue.bias_kind, BiasKind::kPerRow);
  EXPECT_EQ(plan.parameters.epilogue.row_scale, &scales[1]);
  EXPECT_EQ(plan.parameters.epilogue.column_scale, &scales[0]);
  EXPECT_FALSE(plan.parameters.epilogue.d.is_vectorizable);
  EXPECT_FALSE(plan.d_map.has_value());
}

TEST_F(PlanTest, HandsOnScalarsAndVectors) {
  float scalars[4];
  arguments_.alpha = 3;
  arguments_.beta = 4;
  arguments_.alpha_device = &scalars[0];
  arguments_.beta_device = &scalars[1];
  arguments_.scale_d = &scalars[2];
  arguments_.amax_d = &scalars[3];
  arguments_.bias = memory_;
  GemmProblem p = Problem(128, 128, 64);
  p.d_type = DataType::kFp8E4m3;
  p.epilogue.bias = Bias::kPerColumn;
  p.epilogue.activation = Activation::kSilu;
  p.epilogue.amax = true;
  const EpilogueParameters e = Plan(p).parameters.epilogue;
  EXPECT_EQ(e.alpha, 3);
  EXPECT_EQ(e.beta, 4);
  EXPECT_EQ(e.alpha_device, &scalars[0]);
  EXPECT_EQ(e.beta_device, &scalars[1]);
  EXPECT_EQ(e.d_scale, &scalars[2]);
  EXPECT_EQ(e.amax, &scalars[3]);
  EXPECT_EQ(e.bias, memory_);
  EXPECT_EQ(e.bias_kind, BiasKind::kPerColumn);
  EXPECT_EQ(e.bias_type, ElementType::kBf16);
  EXPECT_EQ(e.activation, ActivationKind::kSilu);
  p.d_type = DataType::kFp32;
  EXPECT_EQ(Plan(p).parameters.epilogue.bias_type, ElementType::kFp32);
}

TEST_F(PlanTest, LeavesOutWhatTheProblemDoesNotAskFor) {
  float scalar;
  arguments_.scale_a = arguments_.scale_b = arguments_.amax_d = &scalar;
  arguments_.beta = 1;
  const EpilogueParameters e = Plan(Problem(128, 128, 64)).parameters.epilogue;
  EXPECT_EQ(e.c.base, nullptr);
  EXPECT_EQ(e.bias_kind, BiasKind::kNone);
  EXPECT_EQ(e.row_scale, nullptr);
  EXPECT_EQ(e.column_scale, nullptr);
  EXPECT_EQ(e.amax, nullptr);
}

TEST_F(PlanTest, ReadsCUnlessBetaIsKnownToBeZero) {
  GemmProblem p = Problem(128, 128, 64);
  p.epilogue.reads_c = true;
  p.c_type = DataType::kFp32;
  p.ldc = 160;
  EXPECT_EQ(Plan(p).parameters.epilogue.c.base, nullptr);
  float beta;
  arguments_.beta_device = &beta;
  EXPECT_EQ(Plan(p).parameters.epilogue.c.base, arguments_.c);
  arguments_.beta_device = nullptr;
  arguments_.beta = 1;
  const MatrixView c = Plan(p).parameters.epilogue.c;
  EXPECT_EQ(c.base, arguments_.c);
  EXPECT_EQ(c.type, ElementType::kFp32);
  EXPECT_EQ(c.row_stride, 160);
}

TEST_F(PlanTest, ScalesAreOneEachOrVectors) {
  float scales[2];
  arguments_.scale_a = &scales[0];
  arguments_.scale_b = &scales[1];
  GemmProblem p = Problem(128, 128, 64);
  p.a_type = p.b_type = DataType::kFp8E4m3;
  p.scaling = Scaling::kPerTensor;
  EpilogueParameters e = Plan(p).parameters.epilogue;
  EXPECT_EQ(e.row_scale, &scales[0]);
  EXPECT_EQ(e.column_scale, &scales[1]);
  EXPECT_FALSE(e.scales_are_vectors);
  p.scaling = Scaling::kPerRowColumn;
  EXPECT_TRUE(Plan(p).parameters.epilogue.scales_are_vectors);
}

}  // namespace
}  // namespace tiletune::blackwell
