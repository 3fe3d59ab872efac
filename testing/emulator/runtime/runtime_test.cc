// The runtime API over kernels that nvcc compiled, linked without NVIDIA's
// runtime: no GPU, no driver.
#include <cuda_runtime_api.h>

#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "testing/emulator/runtime/session.h"
#include "testing/emulator/runtime/test_kernels.h"

namespace tiletune::emulator::runtime {
namespace {

template <typename T>
T* Upload(const std::vector<T>& host) {
  void* device = nullptr;
  const size_t bytes = host.size() * sizeof(T);
  EXPECT_EQ(cudaMalloc(&device, bytes), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(device, host.data(), bytes, cudaMemcpyHostToDevice),
            cudaSuccess);
  return static_cast<T*>(device);
}

template <typename T>
std::vector<T> Download(const T* device, size_t count) {
  std::vector<T> host(count);
  EXPECT_EQ(cudaMemcpy(host.data(), device, count * sizeof(T),
                       cudaMemcpyDeviceToHost),
            cudaSuccess);
  return host;
}

cudaError_t Launch(const void* function, unsigned grid, unsigned block,
                   std::vector<void*> arguments, size_t dynamic_shared = 0,
                   unsigned cluster = 0) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(grid);
  config.blockDim = dim3(block);
  config.dynamicSmemBytes = dynamic_shared;
  config.attrs = &attribute;
  config.numAttrs = cluster != 0 ? 1 : 0;
  return cudaLaunchKernelExC(&config, function, arguments.data());
}

TEST(Runtime, RunsAKernelLaunchedWithChevrons) {
  const int n = 1000;
  float* x = Upload(std::vector<float>(n, 2.0f));
  float* y = Upload(std::vector<float>(n, 1.0f));
  LaunchSaxpy(n, 3.0f, x, y, nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(Download(y, n), std::vector<float>(n, 7.0f));
}

TEST(Runtime, CopiesToConstantVariables) {
  float* x = Upload(std::vector<float>(1, 2.0f));
  float* y = Upload(std::vector<float>(1, 0.0f));
  ASSERT_EQ(SetScale(10.0f), cudaSuccess);
  LaunchSaxpy(1, 1.0f, x, y, nullptr);
  EXPECT_EQ(Download(y, 1)[0], 20.0f);
  ASSERT_EQ(SetScale(1.0f), cudaSuccess);
}

TEST(Runtime, SharesManagedVariablesBothWays) {
  ManagedCounter() = 100;
  LaunchCount(64);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(ManagedCounter(), 164);
}

TEST(Runtime, SharesManagedAndPinnedMemory) {
  for (const auto allocate :
       {+[](void** p) {
          return cudaMallocManaged(p, 128, cudaMemAttachGlobal);
        },
        +[](void** p) { return cudaMallocHost(p, 128); }}) {
    void* memory = nullptr;
    ASSERT_EQ(allocate(&memory), cudaSuccess);
    int value = 5;
    ASSERT_EQ(Launch(FillKernel(), 1, 32, {&memory, &value}), cudaSuccess);
    EXPECT_EQ(static_cast<int*>(memory)[31], 5);
    EXPECT_EQ(cudaFree(memory), cudaSuccess);
  }
}

TEST(Runtime, GivesALaunchItsClusterShape) {
  int* out = Upload(std::vector<int>(8, 0));
  ASSERT_EQ(Launch(ClusterKernel(), 8, 32, {&out}, 0, 4), cudaSuccess);
  EXPECT_EQ(Download(out, 8), std::vector<int>(8, 4));
  EXPECT_EQ(Launch(ClusterKernel(), 16, 32, {&out}, 0, 16),
            cudaErrorInvalidClusterSize);
  cudaGetLastError();
}

TEST(Runtime, WantsLargeSharedMemoryToBeAskedFor) {
  int* out = Upload(std::vector<int>(1, 0));
  int offset = (200 << 10) - 4;
  EXPECT_EQ(Launch(DynamicSharedKernel(), 1, 1, {&out, &offset}, 200 << 10),
            cudaErrorInvalidValue);
  ASSERT_EQ(cudaFuncSetAttribute(DynamicSharedKernel(),
                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 200 << 10),
            cudaSuccess);
  EXPECT_EQ(Launch(DynamicSharedKernel(), 1, 1, {&out, &offset}, 200 << 10),
            cudaSuccess);
  EXPECT_EQ(Download(out, 1)[0], 77);
  int ctas = 0;
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                &ctas, DynamicSharedKernel(), 128, 100 << 10),
            cudaSuccess);
  EXPECT_EQ(ctas, 2);
  cudaGetLastError();
}

TEST(Runtime, FailsALaunchInWhichSomethingWasFound) {
  Session& session = Session::Get();
  int* out = Upload(std::vector<int>(64, 0));
  int size = 64;
  EXPECT_EQ(Launch(OutOfBoundsKernel(), 1, 1, {&out, &size}),
            cudaErrorLaunchFailure);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  EXPECT_EQ(session.findings(), 1);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  session.ForgetFindings();
  cudaGetLastError();
}

TEST(Runtime, ReplaysWhatAStreamCaptured) {
  float* x = Upload(std::vector<float>(4, 1.0f));
  float* y = Upload(std::vector<float>(4, 9.0f));
  cudaStream_t stream;
  cudaStream_t other;
  cudaEvent_t fork;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaStreamCreate(&other), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&fork), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal),
            cudaSuccess);
  cudaMemsetAsync(y, 0, 16, stream);
  cudaEventRecord(fork, stream);
  cudaStreamWaitEvent(other, fork, 0);
  LaunchSaxpy(4, 1.0f, x, y, other);
  cudaGraph_t graph;
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(Download(y, 4)[0], 9.0f) << "captured work must not run";

  cudaGraphExec_t exec;
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
    EXPECT_EQ(Download(y, 4), std::vector<float>(4, 1.0f));
  }
  LaunchSaxpy(4, 1.0f, x, y, other);
  EXPECT_EQ(Download(y, 4)[0], 2.0f) << "the other stream runs again";
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaEventDestroy(fork);
  cudaStreamDestroy(other);
  cudaStreamDestroy(stream);
}

TEST(Runtime, HasAClockThatGrowsWithTheWork) {
  float* x = Upload(std::vector<float>(4, 1.0f));
  cudaEvent_t start;
  cudaEvent_t end;
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  float milliseconds = 0;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end),
            cudaErrorInvalidResourceHandle);
  cudaEventRecord(start, nullptr);
  LaunchSaxpy(4, 1.0f, x, x, nullptr);
  cudaEventRecord(end, nullptr);
  ASSERT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaSuccess);
  EXPECT_GT(milliseconds, 0);
  cudaEventDestroy(start);
  cudaEventDestroy(end);
  cudaGetLastError();
}

TEST(Runtime, RefusesCopiesThatLeaveAnAllocation) {
  std::vector<char> host(256);
  char* device = Upload(host);
  EXPECT_EQ(cudaMemcpy(device + 1, host.data(), 256, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host.data(), host.data(), 4, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(device + 255, 0, 2), cudaErrorInvalidValue);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(Runtime, CopiesRowsBetweenPitches) {
  const std::vector<char> host = {1, 2, 3, 4, 5, 6};
  char* device = Upload(std::vector<char>(12, 0));
  ASSERT_EQ(
      cudaMemcpy2D(device, 4, host.data(), 2, 2, 3, cudaMemcpyHostToDevice),
      cudaSuccess);
  EXPECT_EQ(Download(device, 12),
            (std::vector<char>{1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 0, 0}));
}

TEST(Runtime, IsTheGpuThatTheSettingsSay) {
  cudaDeviceProp properties;
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_STREQ(properties.name, "NVIDIA B200");
  EXPECT_EQ(properties.multiProcessorCount, 148);
  int value = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&value,
                                   cudaDevAttrMaxSharedMemoryPerBlockOptin, 0),
            cudaSuccess);
  EXPECT_EQ(value, 227 << 10);
  EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
  cudaGetLastError();
}

TEST(Runtime, NamesItsErrors) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorInvalidPtx), "cudaErrorInvalidPtx");
  EXPECT_STREQ(cudaGetErrorString(cudaSuccess), "no error");
}

TEST(Runtime, SaysThatACallIsNotSupported) {
  cudaArray_t array = nullptr;
  cudaChannelFormatDesc format = {};
  EXPECT_EQ(cudaMallocArray(&array, &format, 1, 1, 0), cudaErrorNotSupported);
}

}  // namespace
}  // namespace tiletune::emulator::runtime
