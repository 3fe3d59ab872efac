// Lets a kernel use more than 48 KiB of dynamic shared memory, which CUDA asks
// for once in every context (CUDA C++ Programming Guide, "Shared Memory" of
// compute capability 7.x). For launchers.
//
//   SharedMemoryLimit* limit = SharedMemoryLimit::Of(function, bytes);
//   absl::Status s = limit->Raise();          // before each launch
//   if (s.ok()) cudaLaunchKernelExC(&config, function, arguments);
#ifndef TILETUNE_KERNELS_LAUNCH_SHARED_MEMORY_LIMIT_H_
#define TILETUNE_KERNELS_LAUNCH_SHARED_MEMORY_LIMIT_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"

namespace tiletune {

// Safe from several threads at once.
class SharedMemoryLimit {
 public:
  SharedMemoryLimit(const void* function, int bytes)
      : function_(function), bytes_(bytes) {}
  SharedMemoryLimit(const SharedMemoryLimit&) = delete;
  SharedMemoryLimit& operator=(const SharedMemoryLimit&) = delete;

  // The program's one for a kernel, whose `bytes` are always the same. It lives
  // forever. Takes a lock.
  static SharedMemoryLimit* Of(const void* function, int bytes);

  // Sets the limit in CUDA's current context, unless that was done before: then
  // it costs a few ns. Contexts are told apart by numbers that are never used
  // again (cuCtxGetId), so that a device that was reset gets its limit anew; a
  // driver older than CUDA 12.0 has none, and is asked each time. Internal when
  // the CUDA call fails.
  absl::Status Raise();

 private:
  absl::Status RaiseIn(uint64_t context);

  const void* const function_;
  const int bytes_;
  // Where it is set, the last few; 0: free.
  std::array<std::atomic<uint64_t>, 8> contexts_ = {};
  std::atomic<uint32_t> next_{0};
};

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_LAUNCH_SHARED_MEMORY_LIMIT_H_
