#include "kernels/hopper/parameters.h"

#include "gtest/gtest.h"

namespace tiletune::hopper {
namespace {

KernelVariant Variant(int cluster_m, int cluster_n) {
  KernelVariant v = {};
  v.name = "test";
  v.architecture = Architecture::kHopper;
  v.tile_m = 128;
  v.tile_n = 64;
  v.tile_k = 64;
  v.cluster_m = cluster_m;
  v.cluster_n = cluster_n;
  v.operand_bits = 16;
  v.ctas_per_sm = 1;
  v.layout_mask = 0xf;
  return v;
}

alignas(16) char memory[64];

LaunchParameters Make(const GemmProblem& problem, const KernelVariant& v) {
  const GemmProblem p = Normalized(problem);
  GemmConfig config;
  config.variant = &v;
  DeviceFacts facts;
  facts.sm_count = 132;
  GemmArguments arguments;
  arguments.a = memory;
  arguments.b = memory + 16;
  arguments.c = memory + 32;
  arguments.d = memory + 32;
  arguments.alpha = 2;
  arguments.scale_a = reinterpret_cast<const float*>(memory);
  arguments.scale_b = reinterpret_cast<const float*>(memory + 16);
  return MakeParameters(p, config, MakePlan(p, config, facts), arguments,
                        /*workspace=*/nullptr);
}

GemmProblem Problem(Layout layout) {
  GemmProblem p;
  p.m = 512;
  p.n = 256;
  p.k = 128;
  p.layout = layout;
  return p;
}

TEST(Parameters, KMajorBoxesAreTheRowsThatOneCtaLoads) {
  const LaunchParameters launch = Make(Problem(Layout::kTN), Variant(2, 1));
  ASSERT_TRUE(launch.a_map.has_value());
  EXPECT_EQ(launch.a_map->extents, (std::array<uint64_t, 3>{128, 512, 1}));
  EXPECT_EQ(launch.a_map->strides[0], 256u);
  EXPECT_EQ(launch.a_map->box, (std::array<uint32_t, 3>{64, 128, 1}));
  // B is shared by the two CTAs along M: each loads half of its rows.
  EXPECT_EQ(launch.b_map->box, (std::array<uint32_t, 3>{64, 32, 1}));
  EXPECT_TRUE(launch.params.a_is_k_major);
}

TEST(Parameters, MnMajorBoxesAre64RowsBySomeK) {
  const LaunchParameters launch = Make(Problem(Layout::kNT), Variant(1, 2));
  EXPECT_EQ(launch.a_map->extents, (std::array<uint64_t, 3>{512, 128, 1}));
  EXPECT_EQ(launch.a_map->box, (std::array<uint32_t, 3>{64, 32, 1}));
  EXPECT_EQ(launch.b_map->box, (std::array<uint32_t, 3>{64, 64, 1}));
  EXPECT_FALSE(launch.params.a_is_k_major);
  EXPECT_FALSE(launch.params.b_is_k_major);
}

TEST(Parameters, BroadcastOperandStaysAtBatchZero) {
  GemmProblem p = Problem(Layout::kTN);
  p.batch = 3;
  p.batch_stride_b = 0;
  const LaunchParameters launch = Make(p, Variant(1, 1));
  EXPECT_EQ(launch.params.a_batch, 1u);
  EXPECT_EQ(launch.params.b_batch, 0u);
  EXPECT_EQ(launch.b_map->extents[2], 1u);
}

TEST(Parameters, EveryEighthRowStartsAtTheMultipleOf16BytesBeforeIt) {
  GemmProblem p = Problem(Layout::kTN);
  p.m = 510;
  p.k = 67;
  KernelVariant v = Variant(1, 1);
  v.shifted_rows = true;
  const LaunchParameters launch = Make(p, v);
  EXPECT_FALSE(launch.a_map.has_value());
  ASSERT_TRUE(launch.a_rows.has_value());
  EXPECT_EQ(launch.params.a_row_shift, 3u);
  for (int box = 0; box < 8; ++box) {
    const TensorMapSpec map = RowsMap(*launch.a_rows, box);
    const uint64_t shift = box * 3 % 8;  // elements
    EXPECT_EQ(map.address, memory + 2 * (box * 67 - shift)) << box;
    EXPECT_EQ(map.extents,
              (std::array<uint64_t, 3>{67 + shift, box < 6 ? 64u : 63u, 1}))
        << box;
    EXPECT_EQ(map.strides, (std::array<uint64_t, 2>{8 * 134, 8 * 134}));
    EXPECT_EQ(map.box, (std::array<uint32_t, 3>{64 + 8, 16, 1}));
    EXPECT_EQ(map.swizzle, CU_TENSOR_MAP_SWIZZLE_NONE);
  }
}

// The repack of B waits for what was before it: see repack.h.
TEST(Parameters, AIsReadyWhereBIsRepackedAndANot) {
  KernelVariant v = Variant(1, 1);
  v.shifted_rows = true;
  GemmProblem p = Problem(Layout::kTN);
  EXPECT_FALSE(Make(p, v).params.a_is_ready);
  p.lda += 3;
  EXPECT_FALSE(Make(p, v).params.a_is_ready);
  p.ldb += 3;
  EXPECT_TRUE(Make(p, v).params.a_is_ready);
  p.pointer_alignment = 2;  // A is repacked, too
  EXPECT_FALSE(Make(p, v).params.a_is_ready);
}

TEST(Parameters, BoxesWithoutARowReadAnother) {
  GemmProblem p = Problem(Layout::kTN);
  p.m = 3;
  p.k = 67;
  KernelVariant v = Variant(1, 1);
  v.shifted_rows = true;
  const TensorMapSpec first = *Make(p, v).a_rows;
  EXPECT_EQ(RowsMap(first, 2).extents[1], 1u);
  EXPECT_EQ(RowsMap(first, 3).address, memory);
  EXPECT_EQ(RowsMap(first, 7).extents[1], 1u);
}

TEST(Parameters, NoOperandMapsWithoutK) {
  GemmProblem p = Problem(Layout::kTN);
  p.k = 0;
  const LaunchParameters launch = Make(p, Variant(1, 1));
  EXPECT_FALSE(launch.a_map.has_value());
  EXPECT_FALSE(launch.b_map.has_value());
  EXPECT_TRUE(launch.d_map.has_value());
}

TEST(Parameters, DLeavesInTheBoxesOfTheEpilogue) {
  const GemmProblem p = Problem(Layout::kTN);
  KernelVariant v = Variant(1, 1);
  using Box = std::array<uint32_t, 3>;
  EXPECT_EQ(Make(p, v).d_map->box, (Box{64, 16, 1}));
  v.swaps_operands = true;
  EXPECT_EQ(Make(p, v).d_map->box, (Box{64, 64, 1}));
  v.cluster_k = 4;
  EXPECT_EQ(Make(p, v).d_map->box, (Box{64, 16, 1}));
}

TEST(Parameters, ScalesOfBlocksGoToTheMainloopAndNotToTheEpilogue) {
  GemmProblem p = Problem(Layout::kTN);
  p.m = 510;
  p.k = 700;
  p.batch = 3;
  p.batch_stride_b = 0;
  p.a_type = p.b_type = DataType::kFp8E4m3;
  p.scaling = Scaling::kBlock128;
  KernelVariant v = Variant(1, 1);
  v.layout_mask = 1;
  const LaunchParameters launch = Make(p, v);
  EXPECT_EQ(launch.params.epilogue.scale_a, nullptr);
  EXPECT_EQ(launch.params.epilogue.scale_b, nullptr);
  EXPECT_TRUE(launch.params.epilogue.tma_store);
  const BlockScaleParams& scales = launch.params.block_scales;
  EXPECT_EQ(scales.a, reinterpret_cast<const float*>(memory));
  EXPECT_EQ(scales.b, reinterpret_cast<const float*>(memory + 16));
  EXPECT_EQ(scales.k_blocks, 6u);
  EXPECT_EQ(scales.a_stride, 512);
  EXPECT_EQ(scales.b_stride, 8);
  EXPECT_EQ(scales.a_batch, 6 * 512);
  EXPECT_EQ(scales.b_batch, 0);
}

TEST(Parameters, CIsReadOnlyWhereBetaCounts) {
  GemmProblem p = Problem(Layout::kTN);
  p.epilogue.reads_c = true;
  // beta is 0: as if there were no C, and D may leave by TMA.
  const LaunchParameters launch = Make(p, Variant(1, 1));
  EXPECT_EQ(launch.params.epilogue.c, nullptr);
  EXPECT_TRUE(launch.params.epilogue.tma_store);
  EXPECT_TRUE(launch.d_map.has_value());
}

}  // namespace
}  // namespace tiletune::hopper
