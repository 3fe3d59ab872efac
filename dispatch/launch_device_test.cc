// Launches that are kept are launched right, on a real GPU: the same buffers
// with other contents, other buffers, in a graph, from several threads, and
// after the device was reset. Skipped without a GPU, unless
// TILETUNE_REQUIRE_GPU is set.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include "dispatch/workspace.h"
#include "kernels/gemm.h"
#include "kernels/prepared_gemm.h"
#include "kernels/registry.h"
#include "kernels/timing/device_buffer.h"
#include "testing/reference/need_gpu.h"

namespace tiletune {
namespace {

constexpr size_t kWorkspaceBytes = 64 << 20;
constexpr unsigned kSeconds = 60;  // a hung kernel ends the test
constexpr uint16_t kOne = 0x3f80;  // in bf16
constexpr uint16_t kTwo = 0x4000;

class LaunchDeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    TILETUNE_NEED_GPU(device);
    alarm(kSeconds);
    device_ = device;
    problem_.m = 320;
    problem_.n = 512;
    problem_.k = 256;
    problem_.d_type = DataType::kFp32;
    config_ = *DefaultConfig(problem_, device_);
    Allocate();
  }

  void TearDown() override { alarm(0); }

  // Also again, after what there was is gone.
  void Allocate() {
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
              cudaSuccess);
    workspace_ = *DeviceBuffer::Allocate(kWorkspaceBytes);
    ASSERT_TRUE(workspace_.Fill(0, stream_).ok());
    b_ = Filled(problem_.n * problem_.k, kOne);
    d_ = *DeviceBuffer::Allocate(
        static_cast<size_t>(problem_.m * problem_.n * 4));
  }

  static DeviceBuffer Filled(int64_t elements, uint16_t value) {
    const std::vector<uint16_t> host(static_cast<size_t>(elements), value);
    DeviceBuffer buffer = *DeviceBuffer::Allocate(host.size() * 2);
    EXPECT_EQ(cudaMemcpy(buffer.data(), host.data(), host.size() * 2,
                         cudaMemcpyHostToDevice),
              cudaSuccess);
    return buffer;
  }

  DeviceBuffer FilledA(uint16_t value) const {
    return Filled(problem_.m * problem_.k, value);
  }

  GemmArguments Arguments(const DeviceBuffer& a) const {
    GemmArguments arguments;
    arguments.a = a.data();
    arguments.b = b_.data();
    arguments.d = d_.data();
    return arguments;
  }

  absl::Status Launch(const DeviceBuffer& a) const {
    return LaunchGemm(problem_, config_, Arguments(a), device_,
                      workspace_.data(), kWorkspaceBytes, stream_);
  }

  // Elements of D that are not `expected`, once `launch` has run over poison.
  template <typename Launch>
  int64_t Wrong(float expected, const Launch& launch) {
    EXPECT_TRUE(d_.Fill(0xff, stream_).ok());
    const absl::Status status = launch();
    EXPECT_TRUE(status.ok()) << status;
    std::vector<float> host(static_cast<size_t>(problem_.m * problem_.n));
    EXPECT_EQ(cudaMemcpyAsync(host.data(), d_.data(), host.size() * 4,
                              cudaMemcpyDeviceToHost, stream_),
              cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    int64_t wrong = 0;
    for (const float value : host) wrong += value != expected;
    return wrong;
  }
  int64_t WrongAfterLaunch(float expected, const DeviceBuffer& a) {
    return Wrong(expected, [&] { return Launch(a); });
  }

  DeviceFacts device_;
  GemmProblem problem_;
  GemmConfig config_;
  cudaStream_t stream_ = nullptr;
  DeviceBuffer workspace_, b_, d_;
};

TEST_F(LaunchDeviceTest, OneOfTheSameBuffersReadsWhatIsInThemNow) {
  DeviceBuffer a = FilledA(kOne);
  EXPECT_EQ(WrongAfterLaunch(256, a), 0);
  const DeviceBuffer twos = FilledA(kTwo);
  ASSERT_EQ(
      cudaMemcpy(a.data(), twos.data(), a.size(), cudaMemcpyDeviceToDevice),
      cudaSuccess);
  EXPECT_EQ(WrongAfterLaunch(512, a), 0);
}

TEST_F(LaunchDeviceTest, OneOfOtherBuffersReadsThose) {
  const DeviceBuffer ones = FilledA(kOne);
  const DeviceBuffer twos = FilledA(kTwo);
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_EQ(WrongAfterLaunch(256, ones), 0);
    EXPECT_EQ(WrongAfterLaunch(512, twos), 0);
  }
}

TEST_F(LaunchDeviceTest, APreparedOneTakesOtherBuffers) {
  const DeviceBuffer ones = FilledA(kOne);
  const DeviceBuffer twos = FilledA(kTwo);
  auto gemm = PreparedGemm::Prepare(problem_, config_, Arguments(ones), device_,
                                    workspace_.data(), kWorkspaceBytes);
  ASSERT_TRUE(gemm.ok()) << gemm.status();
  EXPECT_EQ(Wrong(256, [&] { return gemm->Launch(stream_); }), 0);
  ASSERT_TRUE(gemm->SetArguments(Arguments(twos)).ok());
  EXPECT_EQ(Wrong(512, [&] { return gemm->Launch(stream_); }), 0);
}

TEST_F(LaunchDeviceTest, AKnownOneMayBeCaptured) {
  const DeviceBuffer twos = FilledA(kTwo);
  EXPECT_EQ(WrongAfterLaunch(512, twos), 0);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal),
            cudaSuccess);
  EXPECT_TRUE(Launch(twos).ok());
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);
  const auto launch = [&] {
    return cudaGraphLaunch(replay, stream_) == cudaSuccess
               ? absl::OkStatus()
               : absl::InternalError("cudaGraphLaunch");
  };
  EXPECT_EQ(Wrong(512, launch), 0);
  EXPECT_EQ(cudaGraphExecDestroy(replay), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(LaunchDeviceTest, AnotherThreadMayMakeItToo) {
  const DeviceBuffer twos = FilledA(kTwo);
  EXPECT_EQ(WrongAfterLaunch(512, twos), 0);
  std::thread([&] { EXPECT_EQ(WrongAfterLaunch(512, twos), 0); }).join();
}

// Memory may hold anything before it becomes a workspace.
TEST_F(LaunchDeviceTest, APreparedWorkspaceHasItsZeros) {
  CandidateOptions options;
  options.splits = {2};
  const std::vector<GemmConfig> configs =
      LegalConfigs(problem_, device_, options);
  const auto split =
      std::find_if(configs.begin(), configs.end(), [](const GemmConfig& c) {
        return c.split_k == 2 && IsLinked(*c.variant);
      });
  ASSERT_NE(split, configs.end());
  config_ = *split;
  ASSERT_GT(*WorkspaceBytes(problem_, config_, device_), 0u);
  ASSERT_TRUE(workspace_.Fill(0xff, stream_).ok());
  ASSERT_TRUE(
      PrepareWorkspace(workspace_.data(), kWorkspaceBytes, stream_).ok());
  const DeviceBuffer twos = FilledA(kTwo);
  EXPECT_EQ(WrongAfterLaunch(512, twos), 0);
  EXPECT_EQ(WrongAfterLaunch(512, twos), 0);
}

// What CUDA knew of the kernels is gone; our thread remembers the launch.
TEST_F(LaunchDeviceTest, SurvivesAResetOfTheDevice) {
  const void* before = nullptr;
  {
    const DeviceBuffer ones = FilledA(kOne);
    before = ones.data();
    EXPECT_EQ(WrongAfterLaunch(256, ones), 0);
    workspace_ = DeviceBuffer();
    b_ = DeviceBuffer();
    d_ = DeviceBuffer();
  }
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  Allocate();
  const DeviceBuffer twos = FilledA(kTwo);
  EXPECT_EQ(WrongAfterLaunch(512, twos), 0);
  if (twos.data() != before) {
    std::puts("the driver gave out other addresses: a new launch");
  }
  EXPECT_EQ(WrongAfterLaunch(512, twos), 0);
}

}  // namespace
}  // namespace tiletune
