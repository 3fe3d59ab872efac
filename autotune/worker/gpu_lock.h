// One tuner a GPU: two that time at once measure each other.
//
//   absl::StatusOr<GpuLock> lock = GpuLock::Take("0000:1b:00.0");
//   if (!lock.ok()) return lock.status();   // "process 4711 is tuning there"
//   ... // held until `lock` goes, or the process ends, however it ends
#ifndef TILETUNE_AUTOTUNE_WORKER_GPU_LOCK_H_
#define TILETUNE_AUTOTUNE_WORKER_GPU_LOCK_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace tiletune {

// An flock(2) on a file in /tmp, so that it holds between users too and is
// never stale. Containers with a /tmp of their own do not see one another.
class GpuLock {
 public:
  // FailedPrecondition when another process holds it; Unavailable when the
  // lock file can be neither made nor opened. `name` is of letters, digits,
  // '.', ':' and '-'; others are replaced. One that starts with '/' is the path
  // of the lock file, for GPUs that only a test has.
  static absl::StatusOr<GpuLock> Take(const std::string& name);

  GpuLock(GpuLock&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)) {}
  GpuLock& operator=(GpuLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~GpuLock();

 private:
  explicit GpuLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_WORKER_GPU_LOCK_H_
