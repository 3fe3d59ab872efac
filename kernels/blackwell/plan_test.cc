#include "kernels/blackwell/plan.h"

#include "gtest/gtest.h"
#include "kernels/blackwell/plan_fixture.h"
#include "kernels/ptx/umma_descriptor.h"

namespace tiletune::blackwell {
namespace {

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

TEST_F(PlanTest, NamesTypesAsTheInstructionDoes) {
  const auto instruction = [this](DataType a, DataType b) {
    GemmProblem p = Problem(128, 128, 64);
    p.a_type = a;
    p.b_type = b;
    return Plan(p).parameters.instruction;
  };
  EXPECT_EQ(
      instruction(DataType::kBf16, DataType::kBf16),
      ptx::InstructionDescriptor({128, 128, ptx::kUmmaBf16, ptx::kUmmaBf16}));
  EXPECT_EQ(
      instruction(DataType::kFp16, DataType::kFp16),
      ptx::InstructionDescriptor({128, 128, ptx::kUmmaFp16, ptx::kUmmaFp16}));
  EXPECT_EQ(
      instruction(DataType::kFp8E4m3, DataType::kFp8E5m2),
      ptx::InstructionDescriptor({128, 128, ptx::kUmmaE4m3, ptx::kUmmaE5m2}));
}

TEST_F(PlanTest, TheInstructionOfAPairHasTheRowsOfBoth) {
  variant_.cluster_m = variant_.cta_group = 2;
  EXPECT_EQ(
      Plan(Problem(256, 128, 64)).parameters.instruction,
      ptx::InstructionDescriptor({256, 128, ptx::kUmmaBf16, ptx::kUmmaBf16}));
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
  p.batch_stride_a = 0;
  EXPECT_EQ(Plan(p).parameters.a_batch_step, 0u);
}

TEST_F(PlanTest, RepacksOnlyTheOperandThatTmaCannotRead) {
  GemmProblem p = Problem(100, 128, 36);
  p.lda = 37;
  p.ldb = 40;
  const LaunchPlan plan = Plan(p);
  EXPECT_EQ(plan.repacks[0].source, arguments_.a);
  EXPECT_EQ(plan.repacks[0].source_stride, 37);
  EXPECT_FALSE(plan.repacks[0].transposes);
  EXPECT_EQ(plan.repacks[0].destination_stride, 64);
  EXPECT_EQ(plan.repacks[1].element_bytes, 0);
  EXPECT_EQ(plan.a_map->address, workspace_);
  EXPECT_EQ(plan.a_map->strides[0], 128u);
  EXPECT_EQ(plan.b_map->address, arguments_.b);
  EXPECT_GE(WorkspaceBytes(p), 100u * 64 * 2);
}

TEST_F(PlanTest, RepackedOperandsLieOneBehindTheOther) {
  GemmProblem p = Problem(100, 60, 36);
  p.lda = p.ldb = 37;
  const LaunchPlan plan = Plan(p);
  EXPECT_EQ(plan.a_map->address, workspace_);
  EXPECT_EQ(plan.repacks[0].destination, workspace_);
  // 100 rows of 128 bytes, rounded up to kWorkspaceAlignment.
  EXPECT_EQ(plan.b_map->address, workspace_ + 12800);
  EXPECT_EQ(plan.repacks[1].destination, workspace_ + 12800);
  // 60 rows, rounded up too.
  EXPECT_EQ(WorkspaceBytes(p), 12800u + 7680);
}

TEST_F(PlanTest, RepacksMnMajorOperandsNarrowerThanASwizzle) {
  variant_.operand_bits = 8;
  variant_.tile_k = 128;
  variant_.tile_n = 16;
  GemmProblem p = Problem(128, 64, 128);
  p.a_type = p.b_type = DataType::kFp8E4m3;
  p.layout = Layout::kNT;
  const LaunchPlan plan = Plan(p);
  EXPECT_EQ(plan.repacks[0].element_bytes, 0);
  EXPECT_EQ(plan.repacks[1].source, arguments_.b);
  EXPECT_TRUE(plan.repacks[1].transposes);
  EXPECT_EQ(plan.repacks[1].source_stride, 64);
  EXPECT_FALSE(plan.parameters.a_is_k_major);
  EXPECT_TRUE(plan.parameters.b_is_k_major);
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
  // The queue's counter comes first, with or without a queue.
  EXPECT_EQ(plan.parameters.epilogue.tickets,
            reinterpret_cast<uint32_t*>(workspace_ + 256));
  EXPECT_EQ(plan.parameters.epilogue.partials,
            reinterpret_cast<float*>(workspace_ + kWorkspaceCounterBytes));
  EXPECT_EQ(plan.parameters.order.k_slices, 4u);
}

TEST_F(PlanTest, EveryCtaOfAClusterHasPartialSums) {
  config_.split_k = 2;
  variant_.cluster_m = 2;
  EXPECT_EQ(WorkspaceBytes(Problem(256, 128, 128)),
            kWorkspaceCounterBytes + 2u * 2 * 128 * 128 * sizeof(float));
}

TEST_F(PlanTest, ClearsTicketsThatTheCountersDoNotHold) {
  config_.split_k = 2;
  // Four tickets a tile: 4080 tiles fill what the queue's part leaves.
  EXPECT_EQ(Plan(Problem(128 * 4080, 128, 128)).cleared_bytes, 0u);
  const GemmProblem p = Problem(128 * 4081, 128, 128);
  const LaunchPlan plan = Plan(p);
  constexpr size_t kTicketBytes = 4081 * 4 * sizeof(uint32_t);
  constexpr size_t kAligned = (kTicketBytes + 255) / 256 * 256;
  EXPECT_EQ(plan.cleared_bytes, kTicketBytes);
  EXPECT_EQ(plan.cleared, workspace_ + kWorkspaceCounterBytes);
  EXPECT_EQ(plan.parameters.epilogue.tickets, plan.cleared);
  EXPECT_EQ(
      plan.parameters.epilogue.partials,
      reinterpret_cast<float*>(workspace_ + kWorkspaceCounterBytes + kAligned));
  EXPECT_EQ(WorkspaceBytes(p), kWorkspaceCounterBytes + kAligned +
                                   2u * 4081 * 128 * 128 * sizeof(float));
}

TEST_F(PlanTest, ResidentsCoverTheSmsTheyMayUse) {
  const GemmProblem p = Problem(128 * 20, 128 * 20, 64);
  EXPECT_EQ(Plan(p).grid, 148u);
  config_.max_sms = 100;
  EXPECT_EQ(Plan(p).grid, 100u);
  EXPECT_EQ(Plan(p).parameters.queue_counter, nullptr);
  variant_.supply = SupplyKind::kQueue;
  EXPECT_EQ(Plan(p).grid, 100u);
  EXPECT_EQ(Plan(p).parameters.queue_counter,
            reinterpret_cast<uint32_t*>(workspace_));
  EXPECT_EQ(WorkspaceBytes(p), kWorkspaceCounterBytes);
}

TEST_F(PlanTest, OneClusterIsResidentAtLeast) {
  variant_.cluster_m = 4;
  device_.sm_count = 9;
  const GemmProblem p = Problem(128 * 20, 128 * 20, 64);
  EXPECT_EQ(Plan(p).grid, 2u * 4);
  device_.sm_count = 3;
  EXPECT_EQ(Plan(p).grid, 1u * 4);
}

TEST_F(PlanTest, ClusterLaunchControlGetsAClusterForEveryTile) {
  variant_.supply = SupplyKind::kClc;
  EXPECT_EQ(Plan(Problem(128 * 20, 128 * 20, 64)).grid, 400u);
}

}  // namespace
}  // namespace tiletune::blackwell
