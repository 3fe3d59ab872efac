// GpuOperands: HostOperands on the GPU, for tests that launch kernels.
//
//   TILETUNE_NEED_GPU(device);                    // skips where there is none
//   auto gpu = GpuOperands::Upload(host, args);
//   LaunchGemm(problem, config, (*gpu)->arguments(), device, ...);
//   absl::Status s = (*gpu)->DownloadD(&host);    // waits
#ifndef TILETUNE_TESTING_REFERENCE_GPU_OPERANDS_H_
#define TILETUNE_TESTING_REFERENCE_GPU_OPERANDS_H_

#include <cstdlib>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "kernels/device.h"
#include "kernels/gemm.h"
#include "kernels/timing/device_buffer.h"
#include "testing/reference/host_operands.h"

// Declares `device`, the facts of CUDA device 0; without one skips the test,
// or fails it where TILETUNE_REQUIRE_GPU is set.
#define TILETUNE_NEED_GPU(device)                               \
  const ::absl::StatusOr<::tiletune::DeviceFacts> device##_or = \
      ::tiletune::QueryDevice(0);                               \
  if (!device##_or.ok()) {                                      \
    if (std::getenv("TILETUNE_REQUIRE_GPU") != nullptr) {       \
      FAIL() << device##_or.status();                           \
    }                                                           \
    GTEST_SKIP() << device##_or.status();                       \
  }                                                             \
  [[maybe_unused]] const ::tiletune::DeviceFacts& device = *device##_or

namespace tiletune {

class GpuOperands {
 public:
  // Copies operands and scales as they are, D's 0xff included. `scalars` gives
  // alpha, beta and scale_d (its pointers are not looked at).
  static absl::StatusOr<std::unique_ptr<GpuOperands>> Upload(
      HostOperands& host, const HostArguments& scalars);

  GemmArguments arguments() const { return arguments_; }
  absl::Status DownloadD(HostOperands* host) const;
  // What the kernel left in amax_d; 0 before the first launch.
  absl::StatusOr<float> DownloadAmax() const;

 private:
  GpuOperands() = default;

  absl::StatusOr<void*> Copy(const void* from, size_t bytes);

  std::vector<DeviceBuffer> buffers_;
  GemmArguments arguments_;
};

}  // namespace tiletune

#endif  // TILETUNE_TESTING_REFERENCE_GPU_OPERANDS_H_
