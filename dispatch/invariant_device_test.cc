// What batch invariance rests on, on a real GPU: configs of one sum order give
// an element of D the same bits, whatever the tile, the cluster, the schedule,
// the supply and the number of rows. Skipped without a GPU, unless
// TILETUNE_REQUIRE_GPU is set.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dispatch/tuned_gemm.h"
#include "kernels/batch_invariant.h"
#include "kernels/gemm.h"
#include "kernels/registry.h"
#include "kernels/timing/device_buffer.h"
#include "kernels/timing/inputs.h"
#include "testing/reference/need_gpu.h"

namespace tiletune {
namespace {

constexpr int64_t kRows[] = {300, 64, 7, 1};
constexpr size_t kWorkspaceBytes = 64 << 20;
constexpr unsigned kSeconds = 100;  // a hung kernel ends the test

GemmProblem Problem(int64_t m, int64_t n, int64_t k) {
  GemmProblem p;
  p.m = m;
  p.n = n;
  p.k = k;
  p.d_type = DataType::kFp32;  // nothing is rounded away
  return Normalized(p);
}

class InvariantDeviceTest
    : public ::testing::TestWithParam<std::pair<int64_t, int64_t>> {
 protected:
  void SetUp() override {
    TILETUNE_NEED_GPU(device);
    alarm(kSeconds);
    device_ = device;
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
              cudaSuccess);
    const auto [n, k] = GetParam();
    a_ = *DeviceBuffer::Allocate(static_cast<size_t>(kRows[0] * k * 2));
    b_ = *DeviceBuffer::Allocate(static_cast<size_t>(n * k * 2));
    d_ = *DeviceBuffer::Allocate(static_cast<size_t>(kRows[0] * n * 4));
    workspace_ = *DeviceBuffer::Allocate(kWorkspaceBytes);
    ASSERT_TRUE(workspace_.Fill(0, stream_).ok());
    ASSERT_TRUE(
        FillNormal(a_.data(), DataType::kBf16, kRows[0] * k, 1, stream_).ok());
    ASSERT_TRUE(FillNormal(b_.data(), DataType::kBf16, n * k, 2, stream_).ok());
  }

  void TearDown() override {
    alarm(0);
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }

  GemmArguments Arguments() const {
    GemmArguments args;
    args.a = a_.data();
    args.b = b_.data();
    args.d = d_.data();
    return args;
  }

  // Runs `launch` over poison, and reads D.
  template <typename Launch>
  std::vector<uint32_t> BitsAfter(const GemmProblem& p, const Launch& launch) {
    std::vector<uint32_t> bits(static_cast<size_t>(p.m * p.n));
    EXPECT_TRUE(d_.Fill(0xff, stream_).ok());
    const absl::Status status = launch();
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(cudaMemcpyAsync(bits.data(), d_.data(), bits.size() * 4,
                              cudaMemcpyDeviceToHost, stream_),
              cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    return bits;
  }

  std::vector<uint32_t> Bits(const GemmProblem& p, const GemmConfig& config) {
    return BitsAfter(p, [&] {
      return LaunchGemm(p, config, Arguments(), device_, workspace_.data(),
                        kWorkspaceBytes, stream_);
    });
  }

  DeviceFacts device_;
  cudaStream_t stream_ = nullptr;
  DeviceBuffer a_, b_, d_, workspace_;
};

bool StartsWith(const std::vector<uint32_t>& all,
                const std::vector<uint32_t>& some) {
  return some.size() <= all.size() &&
         std::memcmp(all.data(), some.data(), some.size() * 4) == 0;
}

TEST_P(InvariantDeviceTest, ConfigsOfOneSumOrderGiveTheSameBits) {
  const auto [n, k] = GetParam();
  CandidateOptions options;
  options.offsets = {1};
  options.splits = {1};
  options.include_unproven = true;
  std::map<std::string, std::vector<uint32_t>> bits_of;  // for the most rows
  int configs = 0;
  for (const int64_t m : kRows) {
    const GemmProblem p = Problem(m, n, k);
    std::set<const KernelVariant*> seen;
    for (const GemmConfig& config : LegalConfigs(p, device_, options)) {
      const std::string order = SumOrder(config);
      if (order.empty() || !IsLinked(*config.variant)) continue;
      if (!seen.insert(config.variant).second) continue;
      const std::vector<uint32_t> bits = Bits(p, config);
      const auto known = bits_of.emplace(order, bits).first;
      EXPECT_TRUE(StartsWith(known->second, bits))
          << order << "  " << ConfigKey(config) << "  M = " << m;
      ++configs;
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(configs, 0);
  // For the record: which orders happen to agree.
  std::map<std::vector<uint32_t>, std::string> classes;
  for (const auto& [order, bits] : bits_of) {
    std::string& names = classes[bits];
    names += (names.empty() ? "" : ", ") + order;
  }
  for (const auto& [bits, names] : classes) {
    std::printf("N = %lld, K = %lld: same bits: %s\n",
                static_cast<long long>(n), static_cast<long long>(k),
                names.c_str());
  }
}

TEST_P(InvariantDeviceTest, DispatchGivesARowTheSameBitsAtEveryM) {
  const auto [n, k] = GetParam();
  for (const bool invariant : {true, false}) {
    TunedGemmOptions options;
    options.user_database = "";
    options.system_database = "";
    options.shape_log = "";
    options.batch_invariant = invariant;
    const auto gemm = *TunedGemm::Open(std::move(options));
    std::vector<uint32_t> all;
    for (const int64_t m : kRows) {
      const GemmProblem p = Problem(m, n, k);
      Choice ran;
      const std::vector<uint32_t> bits = BitsAfter(p, [&] {
        return gemm->Run(p, Arguments(), workspace_.data(), kWorkspaceBytes,
                         stream_, &ran);
      });
      if (all.empty()) all = bits;
      const bool same = StartsWith(all, bits);
      std::printf("%s M = %lld: %s, %s\n", invariant ? "invariant" : "fastest",
                  static_cast<long long>(m), ConfigKey(ran.config).c_str(),
                  same ? "same bits" : "other bits");
      EXPECT_TRUE(same || !invariant) << "M = " << m;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layers, InvariantDeviceTest,
                         ::testing::Values(std::pair(512, 1024),
                                           std::pair(2112, 7168),
                                           std::pair(4096, 4096),
                                           std::pair(256, 16384)));

}  // namespace
}  // namespace tiletune
