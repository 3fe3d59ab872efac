// TunedGemmOptions::batch_invariant: the same bits for a row of D at every M.
#include "kernels/batch_invariant.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "dispatch/dispatch_testing.h"
#include "dispatch/tuned_gemm.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

constexpr int64_t kN = 64;
constexpr int64_t kK = 1024;
constexpr int64_t kRows[] = {1, 7, 64, 300};

float FromBf16(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

// A kernel on the CPU that adds up as the config says: CTAs that share K, and
// slices of it, each sum their part of the stages; the parts are then added.
absl::Status AddInOrder(const GemmProblem& p, const GemmConfig& config,
                        const GemmArguments& args, const DeviceFacts&, void*,
                        size_t, GpuStream) {
  const auto* a = static_cast<const uint16_t*>(args.a);
  const auto* b = static_cast<const uint16_t*>(args.b);
  auto* d = static_cast<float*>(args.d);
  const KernelVariant& v = *config.variant;
  const int64_t parts = v.cluster_k * static_cast<int64_t>(config.split_k);
  const int64_t stages = (p.k + v.tile_k - 1) / v.tile_k;
  const int64_t depth = (stages + parts - 1) / parts * v.tile_k;
  for (int64_t m = 0; m < p.m; ++m) {
    for (int64_t n = 0; n < p.n; ++n) {
      float sum = 0;
      for (int64_t begin = 0; begin < p.k; begin += depth) {
        float part = 0;
        for (int64_t k = begin; k < std::min(p.k, begin + depth); ++k) {
          part += FromBf16(a[m * p.lda + k]) * FromBf16(b[n * p.ldb + k]);
        }
        sum += part;
      }
      d[m * p.ldd + n] = sum;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<size_t> NoWorkspace(const GemmProblem&, const GemmConfig&,
                                   const DeviceFacts&) {
  return 0;
}

bool AllLinked(const KernelVariant&) { return true; }

constexpr GemmBackend kOnTheCpu = {&AddInOrder, &NoWorkspace, &AllLinked,
                                   &PreparedGemm::Prepare, &PrepareWorkspace};

class DispatchInvarianceTest : public ::testing::Test {
 protected:
  DispatchInvarianceTest() {
    std::minstd_rand random(1);
    std::normal_distribution<float> normal;
    for (std::vector<uint16_t>* operand : {&a_, &b_}) {
      operand->resize(static_cast<size_t>(300 * kK));
      for (uint16_t& element : *operand) {
        const float value = normal(random);
        uint32_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        element = static_cast<uint16_t>(bits >> 16);
      }
    }
  }

  static GemmProblem Layer(int64_t m) {
    GemmProblem p = TestProblem(m, kN, kK);
    p.d_type = DataType::kFp32;
    return Normalized(p);
  }

  std::unique_ptr<TunedGemm> Open(bool batch_invariant,
                                  const GemmBackend& backend = kOnTheCpu) {
    TunedGemmOptions options;
    options.user_database = folder_.File("user.db");
    options.system_database = "";
    options.shape_log = "";
    options.device = device_;
    options.backend = &backend;
    options.batch_invariant = batch_invariant;
    options.warn = [](const std::string&) {};
    return *TunedGemm::Open(std::move(options));
  }

  // D of the first `m` rows of A, and the sum order that ran.
  std::vector<float> Run(TunedGemm* gemm, int64_t m, std::string* sum_order) {
    std::vector<float> d(static_cast<size_t>(m * kN), -1);
    GemmArguments args;
    args.a = a_.data();
    args.b = b_.data();
    args.d = d.data();
    Choice ran;
    const absl::Status status =
        gemm->Run(Layer(m), args, nullptr, 0, nullptr, &ran);
    EXPECT_TRUE(status.ok()) << status;
    if (status.ok()) *sum_order = SumOrder(ran.config);
    return d;
  }

  // How many elements of D differ, over all M, from those of the most rows.
  int Differences(TunedGemm* gemm, std::set<std::string>* sum_orders) {
    std::string order;
    const std::vector<float> all = Run(gemm, 300, &order);
    int differences = 0;
    for (const int64_t m : kRows) {
      const std::vector<float> some = Run(gemm, m, &order);
      sum_orders->insert(order);
      for (size_t i = 0; i < some.size(); ++i) {
        differences += std::memcmp(&some[i], &all[i], sizeof(float)) != 0;
      }
    }
    return differences;
  }

  // A legal config of a sum order.
  GemmConfig ConfigWith(const GemmProblem& problem,
                        const std::string& sum_order) {
    return *BestWithSumOrder(problem, sum_order, device_, AllLinked);
  }

  // Tunes `m`: `fast` is the sum order of the winner, `slow` was measured too.
  void Tune(int64_t m, const std::string& fast, double fast_ns,
            const std::string& slow, double slow_ns) {
    auto store = *Store::Open(folder_.File("user.db"), Store::Mode::kReadWrite);
    TuneFor(store.get(), Layer(m), ConfigWith(Layer(m), fast), device_,
            fast_ns);
    TuneFor(store.get(), Layer(m), ConfigWith(Layer(m), slow), device_,
            slow_ns);
  }

  TemporaryFolder folder_;
  DeviceFacts device_ = TestDevice();
  std::vector<uint16_t> a_, b_;
};

constexpr char kAlone[] = "sm90 16b k128 x1";
constexpr char kPairs[] = "sm90 16b k128 x2";

TEST_F(DispatchInvarianceTest, UntunedRowsHaveTheSameBitsAtEveryM) {
  std::set<std::string> orders;
  EXPECT_EQ(Differences(Open(true).get(), &orders), 0);
  EXPECT_EQ(orders.size(), 1u);
}

TEST_F(DispatchInvarianceTest, TunedRowsHaveTheSameBitsAtEveryM) {
  Tune(1, kPairs, 100, kAlone, 200);
  Tune(64, kPairs, 150, kAlone, 200);
  Tune(300, kAlone, 300, kPairs, 310);
  std::set<std::string> orders;
  const auto invariant = Open(true);
  EXPECT_EQ(Differences(invariant.get(), &orders), 0);
  EXPECT_EQ(orders, std::set<std::string>{kPairs});
  // What was measured is what runs, though not the fastest at M = 300.
  EXPECT_EQ(invariant->Choose(Layer(300))->why, Why::kTuned);
  EXPECT_EQ(invariant->Choose(Layer(300))->expected_ns, 310);
  EXPECT_EQ(invariant->Choose(Layer(7))->why, Why::kDefault);

  // The test can fail: without the option the bits do differ.
  orders.clear();
  EXPECT_GT(Differences(Open(false).get(), &orders), 0);
  EXPECT_GT(orders.size(), 1u);
}

TEST_F(DispatchInvarianceTest, TheOrderWithTheMostMeasuredProblemsIsTheLayers) {
  Tune(64, kPairs, 1, kAlone, 1000);
  auto store = *Store::Open(folder_.File("user.db"), Store::Mode::kReadWrite);
  TuneFor(store.get(), Layer(300), ConfigWith(Layer(300), kAlone), device_,
          1000);
  std::set<std::string> orders;
  EXPECT_EQ(Differences(Open(true).get(), &orders), 0);
  EXPECT_EQ(orders, std::set<std::string>{kAlone});
}

// A neighbour's config is a good guess, but not of this layer's sum order.
TEST_F(DispatchInvarianceTest, ANeighbouringLayerDoesNotDecide) {
  auto store = *Store::Open(folder_.File("user.db"), Store::Mode::kReadWrite);
  TuneFor(store.get(), Layer(300), ConfigWith(Layer(300), kPairs), device_,
          100);
  GemmProblem neighbour = Layer(64);
  neighbour.n = 2 * kN;
  neighbour.ldc = neighbour.ldd = kPacked;
  neighbour = Normalized(neighbour);
  const GemmConfig config = *DefaultConfig(Layer(64), device_);
  ASSERT_NE(SumOrder(config), kPairs);
  TuneFor(store.get(), neighbour, config, device_, 100);
  EXPECT_EQ(Open(false)->Choose(Layer(64))->why, Why::kNearest);
  const absl::StatusOr<Choice> choice = Open(true)->Choose(Layer(64));
  EXPECT_EQ(choice->why, Why::kDefault);
  EXPECT_EQ(SumOrder(choice->config), kPairs);
}

// Another order would be another result: an error is better.
TEST_F(DispatchInvarianceTest, WhatFailsDoesNotGiveWayToAnotherSumOrder) {
  FakeKernels::Reset();
  for (const KernelVariant& v : Variants()) {
    GemmConfig config;
    config.variant = &v;
    if (SumOrder(config) == kPairs) FakeKernels::failing.insert(v.name);
  }
  Tune(64, kPairs, 100, kAlone, 200);
  const auto gemm = Open(true, FakeKernels::Backend());
  GemmArguments args;
  args.d = a_.data();
  EXPECT_FALSE(gemm->Run(Layer(64), args, nullptr).ok());
  for (const std::string& config : FakeKernels::launched) {
    EXPECT_EQ(SumOrder(*ParseConfig(config)), kPairs);
  }
}

}  // namespace
}  // namespace tiletune
