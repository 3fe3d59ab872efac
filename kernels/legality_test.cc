#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "kernels/device.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

constexpr int64_t kMostElements = std::numeric_limits<int32_t>::max();

uint32_t MaskOf(DataType type) { return 1u << static_cast<uint32_t>(type); }

// A small problem, a kernel and a device that go together. Each test changes
// one of them.
class CheckLegalTest : public testing::Test {
 protected:
  CheckLegalTest() {
    problem_.m = problem_.n = problem_.k = 512;
    Use("sm100_16b_128x128x64_c1x1_s6_static");
  }

  // A copy of the kernel, to be changed.
  void Use(const char* name) {
    variant_ = *FindVariant(name);
    config_.variant = &variant_;
  }

  absl::Status Check() const { return CheckLegal(problem_, config_, device_); }

  void ExpectLegal() const { EXPECT_TRUE(Check().ok()) << Check(); }
  void ExpectIllegal(const std::string& reason) const {
    const absl::Status status = Check();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_NE(std::string(status.message()).find(reason), std::string::npos)
        << status << " does not say: " << reason;
  }

  GemmProblem problem_;
  KernelVariant variant_ = {};
  GemmConfig config_;
  DeviceFacts device_ = *ModelledDevice("b200");
};

TEST_F(CheckLegalTest, NeedsAVariantAndAValidProblem) {
  ExpectLegal();
  problem_.m = -1;
  ExpectIllegal("M is -1");
  problem_.m = 512;
  config_.variant = nullptr;
  ExpectIllegal("no variant");
}

TEST_F(CheckLegalTest, BlackwellKernelsRunOnTheirFamilyAlone) {
  device_.capability_minor = 3;
  ExpectLegal();
  device_.capability_minor = 1;
  ExpectIllegal("needs compute capability 10.0 or 10.3");
  device_.capability_major = 12;
  device_.capability_minor = 0;
  ExpectIllegal("this device has 12.0");
}

TEST_F(CheckLegalTest, HopperKernelsRunOnOneCapabilityAlone) {
  variant_.architecture = Architecture::kHopper;
  device_.capability_major = 9;
  ExpectLegal();
  device_.capability_minor = 1;
  ExpectIllegal("needs compute capability 9.0");
}

TEST_F(CheckLegalTest, TheReferenceKernelRunsFromTuringOn) {
  variant_.architecture = Architecture::kAny;
  device_.capability_major = 7;
  device_.capability_minor = 5;
  ExpectLegal();
  device_.capability_minor = 2;
  ExpectIllegal("7.5");
}

TEST_F(CheckLegalTest, ClusterLaunchControlNeedsBlackwell) {
  variant_.architecture = Architecture::kHopper;
  variant_.supply = SupplyKind::kClc;
  device_.capability_major = 9;
  ExpectIllegal("Cluster Launch Control needs");
}

TEST_F(CheckLegalTest, SharedMemoryMustFit) {
  device_.shared_bytes_per_cta = variant_.shared_bytes;
  ExpectLegal();
  --device_.shared_bytes_per_cta;
  ExpectIllegal("bytes of shared memory");
}

TEST_F(CheckLegalTest, AClusterMustFitOnTheSmsThereAre) {
  variant_.cluster_m = 4;
  device_.sm_count = 4;
  ExpectLegal();
  device_.sm_count = 3;
  ExpectIllegal("a cluster of 4 CTAs on 3 SMs");
}

TEST_F(CheckLegalTest, AClusterMustFitOnTheSmsItMayUse) {
  variant_.cluster_m = 4;
  config_.max_sms = 4;
  ExpectLegal();
  config_.max_sms = 3;
  ExpectIllegal("max_sms of 3");
}

class LaunchClusters : public CheckLegalTest {
 protected:
  // 15 tiles of 8 slices on the 132 SMs of an H200.
  LaunchClusters() {
    variant_.architecture = Architecture::kHopper;
    variant_.supply = SupplyKind::kStatic;
    variant_.cluster_m = variant_.cluster_n = variant_.cluster_k = 1;
    variant_.ctas_per_sm = 1;
    device_.capability_major = 9;
    device_.capability_minor = 0;
    device_.sm_count = 132;
    problem_.m = 15 * variant_.tile_m;
    problem_.n = variant_.tile_n;
    problem_.k = 64 * variant_.tile_k;
    config_.split_k = 8;
    config_.launch_cluster = 8;
  }
};

TEST_F(LaunchClusters, HoldAWaveThatFitsInThem) {
  ExpectLegal();
  problem_.m += 1;
  ExpectIllegal("128 CTAs in launch clusters of 8, of which 120 run at once");
  config_.launch_cluster = 1;
  ExpectLegal();
}

TEST_F(LaunchClusters, FitOnTheSmsTheyMayUse) {
  config_.max_sms = 100;
  ExpectIllegal("of which 88 run at once");
}

// A launch is filled up to whole clusters: one of 8 takes 8 SMs.
TEST_F(LaunchClusters, AreNoMoreThanTheSmsTheyMayUse) {
  problem_.m = variant_.tile_m;
  config_.split_k = 1;
  config_.max_sms = 8;
  ExpectLegal();
  config_.max_sms = 7;
  ExpectIllegal("max_sms of 7");
}

TEST_F(LaunchClusters, AreNoMoreThanTheSmsThereAre) {
  problem_.m = variant_.tile_m;
  config_.split_k = 1;
  device_.sm_count = 4;
  ExpectIllegal("4 SMs");
}

TEST_F(LaunchClusters, AreOfFourEightTwelveOrSixteenCtas) {
  problem_.m = 10 * variant_.tile_m;
  for (uint32_t other : {0u, 2u, 3u, 9u, 32u}) {
    config_.launch_cluster = other;
    ExpectIllegal("not of 4 or 8 or 12 or 16");
  }
  for (uint32_t size : {4u, 8u, 12u, 16u}) {
    config_.launch_cluster = size;
    ExpectLegal();
  }
}

TEST_F(LaunchClusters, OfMoreThanEightCtasFillAGpcEach) {
  problem_.m = 14 * variant_.tile_m;
  config_.launch_cluster = 16;
  ExpectLegal();
  problem_.m += 1;
  ExpectIllegal("120 CTAs in launch clusters of 16, of which 112 run at once");
  config_.launch_cluster = 12;
  ExpectIllegal("120 CTAs in launch clusters of 12, of which 84 run at once");
}

TEST_F(LaunchClusters, AreForStaticKernelsWithoutClusters) {
  variant_.cluster_m = 2;
  ExpectIllegal("kernels without clusters");
  variant_.cluster_m = 1;
  variant_.supply = SupplyKind::kQueue;
  ExpectIllegal("static supply");
  variant_.supply = SupplyKind::kStatic;
  variant_.ctas_per_sm = 2;
  ExpectIllegal("one CTA an SM");
}

TEST_F(CheckLegalTest, ClusterLaunchControlCannotLeaveSmsAlone) {
  Use("sm100_16b_128x128x64_c1x1_s6_clc2");
  ExpectLegal();
  config_.max_sms = 100;
  ExpectIllegal("max_sms needs the static or the queue supply");
  Use("sm100_16b_128x128x64_c1x1_s6_queue1");
  ExpectLegal();
}

TEST_F(CheckLegalTest, BothOperandsAndDMustBeOfTypesTheKernelHas) {
  Use("sm100_8b_128x128x128_c1x1_s6_static");
  ExpectIllegal("takes no operand of bf16");
  problem_.a_type = problem_.b_type = DataType::kFp8E4m3;
  ExpectLegal();
  variant_.type_mask = MaskOf(DataType::kFp8E4m3);
  problem_.a_type = DataType::kFp8E5m2;
  ExpectIllegal("takes no operand of e5m2");
  std::swap(problem_.a_type, problem_.b_type);
  ExpectIllegal("takes no operand of e5m2");
  problem_.b_type = DataType::kFp8E4m3;
  variant_.d_type_mask = MaskOf(DataType::kFp32);
  ExpectIllegal("writes no D of bf16");
}

TEST_F(CheckLegalTest, TheTypeOfCMattersWhereItIsRead) {
  variant_.d_type_mask = MaskOf(DataType::kBf16);
  problem_.d_type = DataType::kBf16;
  problem_.c_type = DataType::kFp32;
  ExpectLegal();
  problem_.epilogue.reads_c = true;
  ExpectIllegal("reads no C of fp32");
}

TEST_F(CheckLegalTest, ScalesMustBeOfAKindTheKernelHas) {
  Use("sm100_8b_128x128x128_c1x1_s6_static");
  problem_.a_type = problem_.b_type = DataType::kFp8E4m3;
  problem_.scaling = Scaling::kPerTensor;
  ExpectLegal();
  variant_.scaling_mask = 1;  // none
  ExpectIllegal("has no scales");
}

TEST_F(CheckLegalTest, ScalesOfBlocksAreForKernelsMadeForThem) {
  problem_.a_type = problem_.b_type = DataType::kFp8E4m3;
  problem_.scaling = Scaling::kBlock128;
  Use("sm100_8b_128x128x128_c1x1_s6_static");
  ExpectIllegal("no Blackwell kernel adds up its blocks by themselves");
  device_ = *ModelledDevice("h200");
  Use("sm90_8b_128x128x128_c1x1_s6_coop_static");
  ExpectIllegal("it scales only the sum over all of K");
  Use("reference_naive");
  ExpectLegal();
  Use("sm90_8b_block128_128x128x128_c1x1_s6_coop_static");
  ExpectLegal();
  problem_.scaling = Scaling::kPerTensor;
  ExpectIllegal("takes scales per block of 128 of K only");
}

TEST_F(CheckLegalTest, TmaCountsElementsIn31Bits) {
  for (int64_t GemmProblem::*size :
       {&GemmProblem::m, &GemmProblem::n, &GemmProblem::k}) {
    GemmProblem& p = problem_ = GemmProblem();
    p.m = p.n = p.k = 8;
    p.*size = kMostElements;
    ExpectLegal();
    p.*size = kMostElements + 1;
    ExpectIllegal("exceeds 2^31 - 1");
  }
  problem_ = GemmProblem();
  problem_.m = problem_.n = problem_.k = 8;
  problem_.batch = kMostElements + 1;
  ExpectIllegal("exceeds 2^31 - 1");
}

TEST_F(CheckLegalTest, TmaStridesStayBelow40Bits) {
  constexpr int64_t kTooWide = int64_t{1} << 39;  // elements of two bytes
  for (int64_t GemmProblem::*stride :
       {&GemmProblem::lda, &GemmProblem::ldb, &GemmProblem::ldd,
        &GemmProblem::batch_stride_a, &GemmProblem::batch_stride_b,
        &GemmProblem::batch_stride_d}) {
    problem_ = GemmProblem();
    problem_.m = problem_.n = problem_.k = 8;
    problem_.batch = 2;
    problem_.batch_stride_a = problem_.batch_stride_b = 64;
    problem_.batch_stride_d = 64;
    problem_.*stride = kTooWide - 1;
    ExpectLegal();
    problem_.*stride = kTooWide;
    ExpectIllegal("past what a tensor map can describe");
  }
}

TEST_F(CheckLegalTest, TheReferenceKernelHasNoTensorMaps) {
  Use("reference_naive");
  problem_.m = problem_.k = 1;
  problem_.n = kMostElements + 1;
  problem_.lda = int64_t{1} << 40;
  ExpectLegal();
}

TEST_F(CheckLegalTest, OffsetsAndSplitsStartAtOne) {
  config_.swizzle_offset = 0;
  ExpectIllegal("the swizzle offset is 0");
  config_.swizzle_offset = 1;
  config_.split_k = 0;
  ExpectIllegal("split-K of 0");
}

TEST_F(CheckLegalTest, EverySliceHasATileOfK) {
  config_.split_k = 512 / 64;
  ExpectLegal();
  ++config_.split_k;
  ExpectIllegal("K has only 8 tiles");
}

TEST_F(CheckLegalTest, SlicesAreCountedIn16Bits) {
  problem_.k = int64_t{64} * 70000;
  config_.split_k = 65535;
  ExpectLegal();
  ++config_.split_k;
  ExpectIllegal("more than 65535");
}

TEST_F(CheckLegalTest, TheReferenceKernelDoesNotSplit) {
  Use("reference_naive");
  ExpectLegal();
  config_.split_k = 2;
  ExpectIllegal("does not split K");
}

TEST_F(CheckLegalTest, OnlyOrdersThatExist) {
  config_.swizzle_direction = static_cast<SwizzleDirection>(2);
  ExpectIllegal("the order is unknown");
}

TEST_F(CheckLegalTest, TilesOfEachAxisAreCountedIn32Bits) {
  Use("reference_naive");
  problem_.m = int64_t{1} << 60;
  problem_.n = problem_.k = 1;
  ExpectIllegal("too many tiles");
}

// 2^31 tiles in grid x are one too many.
TEST_F(CheckLegalTest, TheSupplyMustBeAbleToCount) {
  Use("sm100_16b_128x128x64_c1x1_s6_clc2");
  problem_.m = problem_.n = 8;
  problem_.batch = kMostElements;
  ExpectLegal();
  problem_.m = 129;
  ExpectIllegal("its supply cannot count");
}

TEST_F(CheckLegalTest, KernelsCountTilesIn32Bits) {
  problem_.m = problem_.n = 8;
  problem_.k = 3 * 64;
  problem_.batch = kMostElements;
  config_.split_k = 2;
  ExpectLegal();
  config_.split_k = 3;
  ExpectIllegal("2^32");
  variant_.architecture = Architecture::kHopper;
  device_.capability_major = 9;
  ExpectIllegal("2^32");
}

TEST_F(CheckLegalTest, TheReferenceKernelCountsTilesIn64Bits) {
  Use("reference_naive");
  problem_.m = problem_.n = int64_t{1} << 26;
  problem_.k = 8;
  ExpectLegal();
}

}  // namespace
}  // namespace tiletune
