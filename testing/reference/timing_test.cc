// kernels/timing on a GPU: operands, their guards, and seconds per launch.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/cuda_status.h"
#include "kernels/gemm.h"
#include "kernels/registry.h"
#include "kernels/timing/inputs.h"
#include "kernels/timing/launch_timer.h"
#include "kernels/timing/operands.h"
#include "testing/reference/assorted_problems.h"
#include "testing/reference/gpu_operands.h"
#include "testing/reference/need_gpu.h"

namespace tiletune {
namespace {

class Stream {
 public:
  Stream() { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }
  ~Stream() { cudaStreamDestroy(stream_); }
  GpuStream get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

TEST(Inputs, AreNormalAndDependOnTheSeedAlone) {
  TILETUNE_NEED_GPU(device);
  constexpr int64_t kCount = 1 << 20;
  Stream stream;
  auto buffer = DeviceBuffer::Allocate(kCount * sizeof(float));
  ASSERT_TRUE(buffer.ok());
  std::vector<float> first(kCount), again(kCount), other(kCount);
  std::vector<float>* const targets[] = {&first, &again, &other};
  for (uint64_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(FillNormal(buffer->data(), DataType::kFp32, kCount,
                           i == 2 ? 8 : 7, stream.get())
                    .ok());
    ASSERT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(targets[i]->data(), buffer->data(), buffer->size(),
                         cudaMemcpyDeviceToHost),
              cudaSuccess);
  }
  EXPECT_EQ(first, again);
  EXPECT_NE(first, other);
  double sum = 0;
  double squares = 0;
  for (float x : first) {
    ASSERT_TRUE(std::isfinite(x));
    sum += x;
    squares += static_cast<double>(x) * x;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.01);
  EXPECT_NEAR(squares / kCount, 1, 0.01);
}

TEST(Operands, AreColdByEnoughCopies) {
  TILETUNE_NEED_GPU(device);
  Stream stream;
  const GemmProblem p = PlainProblem(1024, 1024, 1024);  // 6 MiB
  auto operands = Operands::Create(p, device, {}, stream.get());
  ASSERT_TRUE(operands.ok()) << operands.status();
  EXPECT_TRUE((*operands)->is_cold());
  EXPECT_GE((*operands)->copies() * 6.0 * (1 << 20), 2.0 * device.l2_bytes);
  EXPECT_NE((*operands)->arguments(0).a, (*operands)->arguments(1).a);
  EXPECT_EQ((*operands)->arguments(0).a,
            (*operands)->arguments((*operands)->copies()).a);
}

TEST(Operands, FindAWriteOutsideD) {
  TILETUNE_NEED_GPU(device);
  Stream stream;
  const GemmProblem p = PlainProblem(64, 64, 64);
  auto operands = Operands::Create(p, device, {}, stream.get());
  ASSERT_TRUE(operands.ok()) << operands.status();
  ASSERT_TRUE((*operands)->PoisonD(0, stream.get()).ok());
  EXPECT_TRUE((*operands)->CheckGuards(0, stream.get()).ok());
  char* const d = static_cast<char*>((*operands)->arguments(0).d);
  for (int64_t offset : {int64_t{-1}, int64_t{64 * 64 * 2}}) {
    ASSERT_TRUE((*operands)->PoisonD(0, stream.get()).ok());
    ASSERT_EQ(cudaMemsetAsync(d + offset, 0, 1, stream.get()), cudaSuccess);
    EXPECT_EQ((*operands)->CheckGuards(0, stream.get()).code(),
              absl::StatusCode::kDataLoss);
  }
}

TEST(Operands, HaveTheAlignmentOfTheProblem) {
  TILETUNE_NEED_GPU(device);
  Stream stream;
  GemmProblem p = PlainProblem(64, 64, 64);
  p.pointer_alignment = 4;
  auto operands = Operands::Create(p, device, {}, stream.get());
  ASSERT_TRUE(operands.ok()) << operands.status();
  const GemmArguments args = (*operands)->arguments(0);
  for (const void* pointer :
       {args.a, args.b, static_cast<const void*>(args.d)}) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(pointer) % 8, 4u);
  }
}

TEST(LaunchTimer, GraphAndStreamAgreeOnALongKernel) {
  TILETUNE_NEED_GPU(device);
  Stream stream;
  const GemmProblem p = PlainProblem(1024, 1024, 1024);
  auto operands = Operands::Create(p, device, {}, stream.get());
  ASSERT_TRUE(operands.ok()) << operands.status();
  GemmConfig config;
  config.variant = FindVariant("reference_naive");
  double seconds[2] = {0, 0};
  for (LaunchMode mode : {LaunchMode::kGraph, LaunchMode::kStream}) {
    TimerOptions options;
    options.mode = mode;
    options.launches = 10;
    auto timer = LaunchTimer::Create(
        [&](int64_t i, GpuStream s) {
          return LaunchGemm(p, config, (*operands)->arguments(i), device,
                            nullptr, 0, s);
        },
        options, stream.get());
    ASSERT_TRUE(timer.ok()) << timer.status();
    double& best = seconds[static_cast<int>(mode)];
    for (int i = 0; i < 5; ++i) {
      const absl::StatusOr<double> sample = (*timer)->Replay();
      ASSERT_TRUE(sample.ok()) << sample.status();
      best = best == 0 ? *sample : std::min(best, *sample);
    }
  }
  EXPECT_GT(seconds[0], 1e-6);
  EXPECT_NEAR(seconds[0], seconds[1], 0.1 * seconds[1]);
}

TEST(LaunchTimer, AFailingLaunchIsAnErrorAndLeavesTheStreamUsable) {
  TILETUNE_NEED_GPU(device);
  Stream stream;
  auto timer = LaunchTimer::Create(
      [](int64_t, GpuStream) { return absl::InternalError("no"); }, {},
      stream.get());
  EXPECT_EQ(timer.status().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess);
}

}  // namespace
}  // namespace tiletune
