// The CUDA call that launches a kernel of either family.
//
// Use it in a family's launcher; whoever links it chooses the CUDA runtime.
//
//   KernelLaunch launch = {};
//   launch.function = entry->function(); launch.ctas = 296; launch.cluster = 2;
//   launch.threads = 256; launch.shared_bytes = 230000;
//   absl::Status s = LaunchKernel(launch, &parameters, stream);
#ifndef TILETUNE_KERNELS_LAUNCH_LAUNCH_KERNEL_H_
#define TILETUNE_KERNELS_LAUNCH_LAUNCH_KERNEL_H_

#include <cstdint>

#include "absl/status/status.h"
#include "kernels/gemm.h"

namespace tiletune {

// Trivially copyable, so that a PreparedLaunch can hold it.
struct KernelLaunch {
  const void* function;   // a __global__ function of one parameter
  uint32_t ctas;          // grid x
  uint32_t cluster;       // CTAs along x; 0: launched without clusters
  uint32_t threads;       // per CTA
  uint32_t shared_bytes;  // dynamic, per CTA
  // Programmatic dependent launch: may start before the stream's last kernel
  // has ended.
  bool is_dependent;
};

// Enqueues it with `*parameters`, which are copied. The error of CudaStatus()
// where the call fails.
absl::Status LaunchKernel(const KernelLaunch& launch, const void* parameters,
                          GpuStream stream);

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_LAUNCH_LAUNCH_KERNEL_H_
