// Lets a kernel use more than 48 KiB of dynamic shared memory and be launched
// in clusters of more than 8 CTAs, both of which CUDA asks for once in every
// context (CUDA C++ Programming Guide, "Shared Memory" of compute
// capability 7.x and "Thread Block Clusters"). For launchers.
//
//   KernelLimits* limits = KernelLimits::Of(function, shared_bytes);
//   absl::Status s = limits->Raise();         // before each launch
//   if (s.ok()) cudaLaunchKernelExC(&config, function, arguments);
#ifndef TILETUNE_KERNELS_LAUNCH_KERNEL_LIMITS_H_
#define TILETUNE_KERNELS_LAUNCH_KERNEL_LIMITS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"

namespace tiletune {

// Safe from several threads at once.
class KernelLimits {
 public:
  KernelLimits(const void* function, int shared_bytes)
      : function_(function), shared_bytes_(shared_bytes) {}
  KernelLimits(const KernelLimits&) = delete;
  KernelLimits& operator=(const KernelLimits&) = delete;

  // The program's one for a kernel, whose `shared_bytes` are always the same.
  // It lives forever. Takes a lock.
  static KernelLimits* Of(const void* function, int shared_bytes);

  // Sets the limits in CUDA's current context, unless that was done before:
  // then it costs a few ns. Contexts are told apart by numbers that are never
  // used again (cuCtxGetId), so that a device that was reset gets its limits
  // anew; a driver older than CUDA 12.0 has none, and is asked each time.
  // Internal when the CUDA call fails.
  absl::Status Raise();

 private:
  absl::Status RaiseIn(uint64_t context);

  const void* const function_;
  const int shared_bytes_;
  // Where it is set, the last few; 0: free.
  std::array<std::atomic<uint64_t>, 8> contexts_ = {};
  std::atomic<uint32_t> next_{0};
};

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_LAUNCH_KERNEL_LIMITS_H_
