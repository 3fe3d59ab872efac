#include "kernels/batch_invariant.h"

#include "gtest/gtest.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

bool Any(const KernelVariant&) { return true; }

GemmProblem Problem(int64_t m, int64_t n, int64_t k) {
  GemmProblem p;
  p.m = m;
  p.n = n;
  p.k = k;
  return Normalized(p);
}

TEST(SumOrder, DependsOnHowKIsCutAndOnNothingElse) {
  KernelVariant v = {};
  v.architecture = Architecture::kHopper;
  v.tile_m = v.tile_n = 128;
  v.tile_k = 64;
  v.cluster_m = v.cluster_n = v.cluster_k = 1;
  v.operand_bits = 16;
  GemmConfig config;
  config.variant = &v;
  const std::string order = SumOrder(config);
  EXPECT_EQ(order, "sm90 16b k64 x1");
  v.tile_n = 256;
  v.cluster_m = 2;
  v.stages = 3;
  v.supply = SupplyKind::kQueue;
  config.swizzle_offset = 8;
  EXPECT_EQ(SumOrder(config), order);
  v.tile_k = 128;
  EXPECT_NE(SumOrder(config), order);
  v.tile_k = 64;
  v.cluster_k = 2;
  EXPECT_NE(SumOrder(config), order);
  v.cluster_k = 1;
  v.swaps_operands = true;
  EXPECT_NE(SumOrder(config), order);
}

TEST(SumOrder, OfASplitKDependsOnM) {
  KernelVariant v = {};
  GemmConfig config;
  config.variant = &v;
  EXPECT_NE(SumOrder(config), "");
  config.split_k = 2;
  EXPECT_EQ(SumOrder(config), "");
}

TEST(LayerOf, IsTheSameForEveryMStrideAndAlignment) {
  const GemmProblem layer = LayerOf(Problem(1, 4096, 2048));
  GemmProblem other;
  other.m = 300;
  other.n = 4096;
  other.k = 2048;
  other.lda = 2056;
  other.pointer_alignment = 8;
  EXPECT_EQ(LayerOf(Normalized(other)), layer);
  EXPECT_NE(LayerOf(Problem(1, 4096, 4096)), layer);
}

class BatchInvariantTest : public ::testing::TestWithParam<const char*> {};

TEST_P(BatchInvariantTest, EveryMOfALayerRunsWithOneSumOrder) {
  const DeviceFacts device = *ModelledDevice(GetParam());
  for (const auto& [n, k] : {std::pair(4096, 4096), std::pair(2112, 7168),
                             std::pair(256, 16384), std::pair(1000, 1000)}) {
    const GemmProblem layer = LayerOf(Problem(5, n, k));
    const absl::StatusOr<std::string> order =
        PredictedSumOrder(layer, device, Any);
    ASSERT_TRUE(order.ok()) << order.status();
    for (int64_t m : {1, 7, 64, 300, 5000, 20000}) {
      const GemmProblem problem = Problem(m, n, k);
      const absl::StatusOr<GemmConfig> config =
          BestWithSumOrder(problem, *order, device, Any);
      ASSERT_TRUE(config.ok()) << config.status();
      EXPECT_EQ(SumOrder(*config), *order);
      EXPECT_TRUE(CheckLegal(problem, *config, device).ok());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, BatchInvariantTest,
                         ::testing::Values("h200", "b200"));

TEST(BatchInvariant, WhatCannotBeLaunchedIsNotChosen) {
  DeviceFacts device = *ModelledDevice("h200");
  device.modelled = false;
  const auto none = [](const KernelVariant&) { return false; };
  EXPECT_EQ(
      PredictedSumOrder(Problem(1, 512, 512), device, none).status().code(),
      absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace tiletune
