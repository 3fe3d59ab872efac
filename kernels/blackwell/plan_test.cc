#include "kernels/blackwell/plan.h"

#include "gtest/gtest.h"
#include "kernels/ptx/umma_descriptor.h"

namespace tiletune::blackwell {
namespace {

KernelVariant Variant() {
  KernelVariant v = {};
  v.name = "test";
  v.architecture = Architecture::kBlackwell;
  v.tile_m = 128;
  v.tile_n = 128;
  v.tile_k = 64;
  v.cluster_m = v.cluster_n = 1;
  v.cta_group = 1;
  v.supply = SupplyKind::kStatic;
  v.operand_bits = 16;
  return v;
}

GemmProblem Problem(int64_t m, int64_t n, int64_t k) {
  GemmProblem p;
  p.m = m;
  p.n = n;
  p.k = k;
  return p;
}

// Pointers that are compared, never followed.
char memory[64];
char workspace[64];

GemmArguments Arguments() {
  GemmArguments args;
  args.a = memory;
  args.b = memory + 16;
  args.d = memory + 32;
  args.c = memory + 32;
  return args;
}

class PlanTest : public testing::Test {
 protected:
  PlanTest() {
    config_.variant = &variant_;
    device_.sm_count = 148;
  }

  LaunchPlan Plan(const GemmProblem& problem) {
    return MakePlan(Normalized(problem), config_, arguments_, device_,
                    workspace);
  }
  size_t WorkspaceBytes(const GemmProblem& problem) {
    return PlanWorkspaceBytes(Normalized(problem), config_);
  }

  KernelVariant variant_ = Variant();
  GemmConfig config_;
  DeviceFacts device_;
  GemmArguments arguments_ = Arguments();
};

TEST_F(PlanTest, AlignedStaticProblemsNeedNoWorkspace) {
  EXPECT_EQ(WorkspaceBytes(Problem(300, 200, 100 * 8)), 0u);
}

TEST_F(PlanTest, DescribesKMajorOperandsInWholeSwizzleSpans) {
  const LaunchPlan plan = Plan(Problem(300, 200, 72));
  ASSERT_TRUE(plan.a_map.has_value());
  EXPECT_EQ(plan.a_map->address, arguments_.a);
  EXPECT_EQ(plan.a_map->extents, (std::array<uint64_t, 3>{72, 300, 1}));
  EXPECT_EQ(plan.a_map->strides[0], 144u);
  EXPECT_EQ(plan.a_map->box, (std::array<uint32_t, 3>{64, 128, 1}));
  EXPECT_EQ(plan.a_map->swizzle, CU_TENSOR_MAP_SWIZZLE_128B);
  EXPECT_EQ(plan.parameters.k_tiles, 2u);
  EXPECT_EQ(plan.grid, 6u);
}

TEST_F(PlanTest, DescribesMnMajorOperandsInBlocksOfOneSpan) {
  variant_.tile_n = 32;
  GemmProblem p = Problem(256, 64, 128);
  p.layout = Layout::kNT;
  const LaunchPlan plan = Plan(p);
  EXPECT_EQ(plan.a_map->box, (std::array<uint32_t, 3>{64, 64, 1}));
  EXPECT_EQ(plan.b_map->extents, (std::array<uint64_t, 3>{64, 128, 1}));
  EXPECT_EQ(plan.b_map->box, (std::array<uint32_t, 3>{32, 64, 1}));
  EXPECT_EQ(plan.b_map->swizzle, CU_TENSOR_MAP_SWIZZLE_64B);
  EXPECT_EQ(plan.parameters.instruction,
            ptx::InstructionDescriptor(
                {128, 32, ptx::kUmmaBf16, ptx::kUmmaBf16, true, true}));
}

TEST_F(PlanTest, CtasOfAClusterLoadSlices) {
  variant_.cluster_m = 4;
  variant_.cta_group = 2;
  const LaunchPlan plan = Plan(Problem(512, 128, 64));
  EXPECT_EQ(plan.a_map->box[1], 128u);  // nobody shares A
  EXPECT_EQ(plan.b_map->box[1], 32u);   // half of N, between two pairs
  EXPECT_EQ(plan.cluster, 4u);
  EXPECT_EQ(plan.grid, 4u);
}

TEST_F(PlanTest, BroadcastOperandsHaveOneMatrix) {
  GemmProblem p = Problem(128, 128, 64);
  p.batch = 3;
  p.batch_stride_b = 0;
  const LaunchPlan plan = Plan(p);
  EXPECT_EQ(plan.a_map->extents[2], 3u);
  EXPECT_EQ(plan.parameters.a_batch_step, 1u);
  EXPECT_EQ(plan.b_map->extents[2], 1u);
  EXPECT_EQ(plan.parameters.b_batch_step, 0u);
}

TEST_F(PlanTest, RepacksOnlyTheOperandThatTmaCannotRead) {
  GemmProblem p = Problem(100, 128, 36);
  p.lda = 37;
  p.ldb = 40;
  const LaunchPlan plan = Plan(p);
  ASSERT_EQ(plan.repacks.size(), 1u);
  EXPECT_EQ(plan.repacks[0].source, arguments_.a);
  EXPECT_EQ(plan.repacks[0].source_row_stride, 37);
  EXPECT_EQ(plan.repacks[0].source_column_stride, 1);
  EXPECT_EQ(plan.repacks[0].destination_row_stride, 40);
  EXPECT_EQ(plan.a_map->address, workspace);
  EXPECT_EQ(plan.a_map->strides[0], 80u);
  EXPECT_EQ(plan.b_map->address, arguments_.b);
  EXPECT_GE(WorkspaceBytes(p), 100u * 40 * 2);
}

TEST_F(PlanTest, RepacksMnMajorOperandsNarrowerThanASwizzle) {
  variant_.operand_bits = 8;
  variant_.tile_k = 128;
  variant_.tile_n = 16;
  GemmProblem p = Problem(128, 64, 128);
  p.a_type = p.b_type = DataType::kFp8E4m3;
  p.layout = Layout::kNT;
  const LaunchPlan plan = Plan(p);
  ASSERT_EQ(plan.repacks.size(), 1u);
  EXPECT_EQ(plan.repacks[0].source, arguments_.b);
  EXPECT_EQ(plan.repacks[0].source_row_stride, 1);
  EXPECT_EQ(plan.repacks[0].source_column_stride, 64);
  EXPECT_FALSE(plan.parameters.a_is_k_major);
  EXPECT_TRUE(plan.parameters.b_is_k_major);
}

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
  // 32 columns of fp8 are no whole 128 bytes.
  variant_.tile_n = 32;
  p = Problem(128, 128, 64);
  p.d_type = DataType::kFp8E4m3;
  EXPECT_FALSE(Plan(p).d_map.has_value());
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
  EXPECT_FALSE(plan.d_map.has_value());
}

TEST_F(PlanTest, ZeroKNeedsNoOperands) {
  arguments_.a = arguments_.b = nullptr;
  const LaunchPlan plan = Plan(Problem(128, 128, 0));
  EXPECT_FALSE(plan.a_map.has_value());
  EXPECT_FALSE(plan.b_map.has_value());
  EXPECT_EQ(plan.parameters.k_tiles, 0u);
  EXPECT_EQ(plan.grid, 1u);
}

TEST_F(PlanTest, SplitKHasRoomForEverySliceOfEveryTile) {
  config_.split_k = 4;
  const GemmProblem p = Problem(256, 256, 1024);
  EXPECT_GE(WorkspaceBytes(p),
            kWorkspaceCounterBytes + 4u * 4 * 128 * 128 * sizeof(float));
  const LaunchPlan plan = Plan(p);
  EXPECT_EQ(plan.grid, 16u);
  EXPECT_EQ(plan.cleared_bytes, 0u);  // the counters are left zero
}

TEST_F(PlanTest, ClearsTicketsThatTheCountersDoNotHold) {
  config_.split_k = 2;
  const LaunchPlan plan = Plan(Problem(128 * 64, 128 * 65, 128));
  EXPECT_EQ(plan.cleared_bytes, 64u * 65 * 4 * sizeof(uint32_t));
}

TEST_F(PlanTest, ResidentsCoverTheSmsTheyMayUse) {
  const GemmProblem p = Problem(128 * 20, 128 * 20, 64);
  EXPECT_EQ(Plan(p).grid, 148u);
  config_.max_sms = 100;
  EXPECT_EQ(Plan(p).grid, 100u);
  variant_.supply = SupplyKind::kQueue;
  EXPECT_EQ(Plan(p).grid, 100u);
  EXPECT_EQ(WorkspaceBytes(p), kWorkspaceCounterBytes);
}

TEST_F(PlanTest, ClusterLaunchControlGetsAClusterForEveryTile) {
  variant_.supply = SupplyKind::kClc;
  EXPECT_EQ(Plan(Problem(128 * 20, 128 * 20, 64)).grid, 400u);
}

}  // namespace
}  // namespace tiletune::blackwell
