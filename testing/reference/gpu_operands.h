// GpuOperands: HostOperands in device memory, and D judged, for tests that
// launch kernels on a GPU or on the emulated runtime: whoever links it chooses.
//
//   auto gpu = GpuOperands::Upload(host, host.arguments());
//   ASSERT_TRUE(gpu.ok()) << gpu.status();
//   LaunchGemm(problem, config, (*gpu)->arguments(), device, ...);
//   EXPECT_TRUE((*gpu)->DIsExact(&host));    // waits
#ifndef TILETUNE_TESTING_REFERENCE_GPU_OPERANDS_H_
#define TILETUNE_TESTING_REFERENCE_GPU_OPERANDS_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "kernels/gemm.h"
#include "kernels/timing/device_buffer.h"
#include "testing/reference/host_operands.h"

namespace tiletune {

class GpuOperands {
 public:
  // Copies operands and scales as they are, D's 0xff included. `scalars` gives
  // alpha, beta and scale_d (its pointers are not looked at). A, B, C and D
  // start no better aligned than the problem says. The errors of CUDA.
  static absl::StatusOr<std::unique_ptr<GpuOperands>> Upload(
      HostOperands& host, const HostArguments& scalars);

  GemmArguments arguments() const { return arguments_; }
  // D as it was at first, for another launch.
  absl::Status UploadD(HostOperands& host) const;
  // Waits for all launches. Their errors are its own.
  absl::Status DownloadD(HostOperands* host) const;
  // What the kernel left in amax_d; 0 before the first launch.
  absl::StatusOr<float> DownloadAmax() const;

  // Downloads D. Success if nothing failed, each element is that of fp64,
  // rounded once, and the gaps between its lines are as they were. For operands
  // whose sums are exact: FillSmallIntegers().
  testing::AssertionResult DIsExact(HostOperands* host) const;

 private:
  GpuOperands() = default;

  absl::StatusOr<void*> Copy(const void* from, size_t bytes, size_t shift);

  std::vector<DeviceBuffer> buffers_;
  GemmArguments arguments_;
  HostArguments scalars_;
};

}  // namespace tiletune

#endif  // TILETUNE_TESTING_REFERENCE_GPU_OPERANDS_H_
