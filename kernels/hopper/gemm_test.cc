// Every linked Hopper kernel on a real GPU, exactly, on small integers: their
// products and sums are exact in fp32, so a right kernel gives the same bits as
// the oracle whatever the order of summation.
//
// A kernel that hangs is killed by a deadline (TILETUNE_TEST_SECONDS, 120 by
// default), which names the test that was running.
#include <cuda_runtime_api.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/config.h"
#include "kernels/hopper/gemm_trial.h"
#include "kernels/hopper/launcher.h"
#include "kernels/problem.h"
#include "kernels/variant.h"

namespace tiletune::hopper {
namespace {

// Why this machine cannot run the test; empty if it can.
std::string MissingGpu() {
  cudaDeviceProp properties;
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0 ||
      cudaGetDeviceProperties(&properties, 0) != cudaSuccess) {
    return "no CUDA device";
  }
  if (properties.major != 9 || properties.minor != 0) {
    return "the device is no Hopper GPU";
  }
  return "";
}

class HopperGemm : public testing::TestWithParam<const KernelVariant*> {
 protected:
  void SetUp() override {
    const std::string missing = MissingGpu();
    if (!missing.empty()) {
      if (std::getenv("TILETUNE_REQUIRE_GPU") != nullptr) FAIL() << missing;
      GTEST_SKIP() << missing;
    }
    const char* seconds = std::getenv("TILETUNE_TEST_SECONDS");
    std::signal(SIGALRM, [](int) {
      static const char kMessage[] = "deadline passed: a kernel hangs\n";
      if (write(2, kMessage, sizeof(kMessage) - 1) < 0) _exit(4);
      _exit(3);
    });
    alarm(seconds != nullptr ? std::atoi(seconds) : 120);
  }
  void TearDown() override { alarm(0); }

  const KernelVariant& variant() const { return *GetParam(); }
  bool is_fp8() const { return variant().operand_bits == 8; }
  bool is_block_scaled() const {
    return variant().scaling_mask == 1u << static_cast<int>(Scaling::kBlock128);
  }
  DataType type() const {
    return is_fp8() ? DataType::kFp8E4m3 : DataType::kBf16;
  }

  GemmTrial Make(int64_t m, int64_t n, int64_t k, Layout layout = Layout::kTN) {
    GemmTrial t;
    t.problem.m = m;
    t.problem.n = n;
    t.problem.k = k;
    t.problem.layout = layout;
    t.problem.a_type = t.problem.b_type = type();
    if (is_block_scaled()) t.problem.scaling = Scaling::kBlock128;
    t.config.variant = &variant();
    t.config.swizzle_offset = 2;
    return t;
  }

  void Expect(const GemmTrial& trial) {
    const GemmProblem p = Normalized(trial.problem);
    EXPECT_EQ(RunTrial(trial), "")
        << ProblemKey(p) << "  " << ConfigKey(trial.config);
  }

  // Three tiles or so each way, with tails.
  int64_t SomeM() const {
    return variant().swaps_operands ? 2 * variant().tile_n + 3
                                    : 2 * variant().tile_m + 40;
  }
  int64_t SomeN() const {
    return variant().swaps_operands ? 2 * variant().tile_m + 40
                                    : 2 * variant().tile_n + 24;
  }
};

constexpr Layout kLayouts[] = {Layout::kTN, Layout::kNN, Layout::kNT,
                               Layout::kTT};

TEST_P(HopperGemm, TakesEveryLayoutAndType) {
  const std::vector<DataType> types =
      is_fp8() ? std::vector<DataType>{DataType::kFp8E4m3, DataType::kFp8E5m2}
               : std::vector<DataType>{DataType::kBf16, DataType::kFp16};
  for (Layout layout : kLayouts) {
    for (DataType a : types) {
      for (DataType b : types) {
        if (!is_fp8() && a != b) continue;
        GemmTrial t = Make(SomeM(), SomeN(), 264, layout);
        t.problem.a_type = a;
        t.problem.b_type = b;
        t.problem.d_type = a == DataType::kFp16 ? a : DataType::kBf16;
        Expect(t);
      }
    }
  }
}

TEST_P(HopperGemm, TakesAnySize) {
  const int64_t tile_k = variant().tile_k;
  for (int64_t k : {int64_t{0}, int64_t{1}, int64_t{8}, tile_k, tile_k + 1,
                    9 * tile_k, 20 * tile_k + 16}) {
    Expect(Make(SomeM(), SomeN(), k));
  }
  for (int64_t size : {1, 2, 7, 8, 63, 64, 65, 129}) {
    Expect(Make(size, SomeN(), 200));
    Expect(Make(SomeM(), size, 200));
    Expect(Make(size, size, size));
    Expect(Make(size, 3 * size, 2 * size, Layout::kNT));
  }
}

TEST_P(HopperGemm, TakesManyTiles) {
  GemmTrial t = Make(SomeM() * 6, SomeN() * 6, 136);
  for (uint32_t offset : {1u, 3u, 8u, 1000000u}) {
    for (SwizzleDirection direction :
         {SwizzleDirection::kZn, SwizzleDirection::kNz}) {
      t.config.swizzle_offset = offset;
      t.config.swizzle_direction = direction;
      Expect(t);
    }
  }
  // Several tiles and several laps of the ring for each of a few CTAs.
  t.problem.k = 21 * variant().tile_k + 8;
  t.config.swizzle_offset = 3;
  Expect(t);
  t.config.max_sms = 5 * variant().cluster_m * variant().cluster_n;
  Expect(t);
  t.config.dependent_launch = false;
  Expect(t);
}

TEST_P(HopperGemm, WritesEveryOutputTypeThroughEveryEpilogue) {
  for (DataType d : {DataType::kBf16, DataType::kFp16, DataType::kFp32}) {
    for (int64_t extra : {0, 1, 8}) {
      GemmTrial t = Make(SomeM(), SomeN() + extra, 72);
      t.problem.d_type = d;
      t.alpha = 2;
      Expect(t);
      t.problem.epilogue.reads_c = true;
      t.problem.c_type = d == DataType::kFp32 ? DataType::kBf16 : d;
      t.beta = -1;
      t.scalars_on_device = true;
      Expect(t);
      t.scalars_on_device = false;
      t.problem.epilogue.activation = Activation::kRelu;
      for (Bias bias : {Bias::kPerRow, Bias::kPerColumn}) {
        t.problem.epilogue.bias = bias;
        Expect(t);
      }
    }
  }
}

TEST_P(HopperGemm, AppliesSmoothActivations) {
  for (Activation activation : {Activation::kGelu, Activation::kSilu}) {
    GemmTrial t = Make(SomeM(), SomeN(), 40);
    t.problem.d_type = DataType::kFp32;
    t.problem.epilogue.activation = activation;
    t.alpha = 0.125f;
    t.tolerance = 1e-5f;
    Expect(t);
  }
}

TEST_P(HopperGemm, AppliesScales) {
  if (!is_fp8()) GTEST_SKIP() << "scales are for 8-bit operands";
  for (Scaling scaling :
       {Scaling::kPerTensor, Scaling::kPerRowColumn, Scaling::kBlock128}) {
    if ((scaling == Scaling::kBlock128) != is_block_scaled()) continue;
    GemmTrial t = Make(SomeM(), SomeN(), 1100);
    t.problem.scaling = scaling;
    Expect(t);
    t.problem.epilogue.reads_c = true;
    t.beta = 1;
    t.config.split_k = 2;
    Expect(t);
  }
}

TEST_P(HopperGemm, UpdatesCInPlaceAndNeverReadsItWhenBetaIsZero) {
  GemmTrial t = Make(SomeM(), SomeN(), 72);
  t.problem.epilogue.reads_c = true;
  t.in_place = true;
  t.beta = 3;
  Expect(t);
  t.c_is_nan = true;
  t.beta = 0;
  Expect(t);
  t.scalars_on_device = true;
  Expect(t);
}

TEST_P(HopperGemm, TakesPaddedAndMisalignedOperands) {
  for (Layout layout : kLayouts) {
    GemmTrial t = Make(SomeM() + 1, SomeN() + 1, 137, layout);
    Expect(t);
    t.problem.lda = 1024 + 8;
    t.problem.ldb = 1024 + 16;
    t.problem.ldd = 1024 + 24;
    Expect(t);
    t.problem.pointer_alignment = is_fp8() ? 8 : 2;
    Expect(t);
  }
}

TEST_P(HopperGemm, RunsBatches) {
  for (Layout layout : {Layout::kTN, Layout::kNT}) {
    GemmTrial t = Make(SomeM(), SomeN(), 136, layout);
    t.problem.batch = 3;
    Expect(t);
    t.problem.batch_stride_b = 0;
    Expect(t);
    t.problem.batch_stride_a = 0;
    t.problem.batch_stride_b = kPacked;
    Expect(t);
    t.problem.m += 1;
    t.problem.n += 1;
    Expect(t);
  }
}

TEST_P(HopperGemm, SplitsK) {
  const int64_t k = 11 * variant().tile_k + 8;
  for (uint32_t split : {2u, 3u, 11u}) {
    GemmTrial t = Make(SomeM(), SomeN(), k);
    t.config.split_k = split;
    Expect(t);
    t.problem.batch = 2;
    t.problem.d_type = DataType::kFp32;
    t.problem.epilogue.bias = Bias::kPerColumn;
    Expect(t);
  }
}

TEST_P(HopperGemm, RunsInLaunchClusters) {
  const KernelVariant& v = variant();
  if (v.supply != SupplyKind::kStatic || v.ctas_per_sm != 1 ||
      v.cluster_m * v.cluster_n * v.cluster_k != 1) {
    return;
  }
  for (uint32_t split : {1u, 3u, 5u}) {
    GemmTrial t = Make(SomeM(), SomeN(), 11 * v.tile_k + 8);
    t.config.split_k = split;
    for (uint32_t cluster : {8u, 12u, 16u}) {
      t.config.launch_cluster = cluster;
      Expect(t);
    }
  }
}

TEST_P(HopperGemm, SplitsOnlyTheTilesOfTheLastWave) {
  GemmTrial t = Make(SomeM() * 3, SomeN() * 2, 9 * variant().tile_k);
  t.config.max_sms = 5 * variant().cluster_m * variant().cluster_n;
  for (uint32_t split : {2u, 4u}) {
    t.config.split_k = split;
    Expect(t);
  }
}

TEST_P(HopperGemm, RunsInGraphsAndOnStreams) {
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
            cudaSuccess);
  for (uint32_t split : {1u, 4u}) {
    GemmTrial t = Make(SomeM() * 3, SomeN() * 3, 8 * variant().tile_k);
    t.config.split_k = split;
    EXPECT_EQ(RunTrial(t, stream, /*as_graph=*/true), "");
    t.problem.k += 1;  // repacked
    EXPECT_EQ(RunTrial(t, stream, /*as_graph=*/true), "");
  }
  cudaStreamDestroy(stream);
}

std::vector<const KernelVariant*> LinkedVariants() {
  std::vector<const KernelVariant*> linked;
  for (const KernelVariant& v : Variants()) {
    if (v.architecture == Architecture::kHopper &&
        HopperLauncher().is_linked(v)) {
      linked.push_back(&v);
    }
  }
  return linked;
}

INSTANTIATE_TEST_SUITE_P(
    All, HopperGemm, testing::ValuesIn(LinkedVariants()),
    [](const testing::TestParamInfo<const KernelVariant*>& info) {
      return std::string(info.param->name);
    });

TEST(HopperVariants, AreAllLinked) {
  size_t hopper = 0;
  for (const KernelVariant& v : Variants()) {
    if (v.architecture == Architecture::kHopper) ++hopper;
  }
  EXPECT_EQ(LinkedVariants().size(), hopper);
  EXPECT_GT(hopper, 0u);
}

}  // namespace
}  // namespace tiletune::hopper
