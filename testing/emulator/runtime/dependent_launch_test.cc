// Programmatic dependent launch through the runtime API, under strict checks.
#include <cuda_runtime_api.h>

#include <vector>

#include "gtest/gtest.h"
#include "testing/emulator/runtime/session.h"
#include "testing/emulator/runtime/test_kernels.h"

namespace tiletune::emulator::runtime {
namespace {

class DependentLaunch : public testing::Test {
 protected:
  DependentLaunch() {
    void* words = nullptr;
    EXPECT_EQ(cudaMalloc(&words, 12), cudaSuccess);
    words_ = static_cast<int*>(words);
    EXPECT_EQ(cudaMemset(words_, 0, 12), cudaSuccess);
    EXPECT_EQ(cudaStreamCreate(&stream_), cudaSuccess);
  }
  ~DependentLaunch() override {
    cudaStreamDestroy(stream_);
    cudaDeviceReset();
    Session::Get().ForgetFindings();
    cudaGetLastError();
  }

  cudaError_t Launch(const void* function, bool programmatic, int waits,
                     cudaStream_t stream) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = programmatic;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(1);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    void* arguments[] = {&words_, &waits};
    return cudaLaunchKernelExC(&config, function, arguments);
  }

  void LaunchPair(int waits) {
    EXPECT_EQ(Launch(NeedsItsDependentKernel(), false, 0, stream_),
              cudaSuccess);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(Launch(DependentKernel(), true, waits, stream_), cudaSuccess);
  }

  std::vector<int> Words() {
    std::vector<int> words(3);
    cudaMemcpy(words.data(), words_, 12, cudaMemcpyDeviceToHost);
    return words;
  }

  int* words_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

TEST_F(DependentLaunch, StartsBeforeTheOneBeforeHasEnded) {
  LaunchPair(/*waits=*/1);
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(Words(), (std::vector<int>{1, 7, 8}));
}

TEST_F(DependentLaunch, IsRunByACopyToo) {
  LaunchPair(/*waits=*/1);
  EXPECT_EQ(Words(), (std::vector<int>{1, 7, 8}));
}

TEST_F(DependentLaunch, ThatDoesNotWaitRaces) {
  const cudaError_t first =
      Launch(NeedsItsDependentKernel(), false, 0, stream_);
  EXPECT_EQ(first, cudaSuccess);
  EXPECT_EQ(Launch(DependentKernel(), true, /*waits=*/0, stream_),
            cudaErrorLaunchFailure);
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaErrorLaunchFailure);
  EXPECT_GT(Session::Get().findings(), 0);
}

TEST_F(DependentLaunch, OverlapsInAGraph) {
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal),
            cudaSuccess);
  LaunchPair(/*waits=*/1);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(exec, stream_), cudaSuccess);
  EXPECT_EQ(Words(), (std::vector<int>{1, 7, 8}));
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}

TEST_F(DependentLaunch, OfAnotherStreamOrWithoutTheAttributeDoesNot) {
  // Words[0] is set already: neither kernel needs the other.
  cudaMemset(words_, 1, 1);
  EXPECT_EQ(Launch(NeedsItsDependentKernel(), false, 0, stream_), cudaSuccess);
  EXPECT_EQ(Launch(DependentKernel(), false, 0, stream_), cudaSuccess);
  EXPECT_EQ(Launch(NeedsItsDependentKernel(), false, 0, stream_), cudaSuccess);
  EXPECT_EQ(Launch(DependentKernel(), true, 0, nullptr), cudaSuccess);
  EXPECT_EQ(Session::Get().findings(), 0) << "no wait, and yet no race";
  EXPECT_EQ(Words(), (std::vector<int>{1, 7, 8}));
}

TEST_F(DependentLaunch, ThatIsImpossibleFailsAtOnce) {
  EXPECT_EQ(Launch(NeedsItsDependentKernel(), false, 0, stream_), cudaSuccess);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(2048);
  config.stream = stream_;
  int waits = 0;
  void* arguments[] = {&words_, &waits};
  EXPECT_EQ(cudaLaunchKernelExC(&config, DependentKernel(), arguments),
            cudaErrorInvalidConfiguration);
  EXPECT_EQ(Launch(DependentKernel(), true, 1, stream_), cudaSuccess);
  EXPECT_EQ(Words(), (std::vector<int>{1, 7, 8}));
}

}  // namespace
}  // namespace tiletune::emulator::runtime
