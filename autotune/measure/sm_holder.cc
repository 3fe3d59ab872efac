#include "autotune/measure/sm_holder.h"

namespace tiletune {

absl::Status TakeBeside(SmHolder* holder,
                        const std::function<absl::Status()>& take) {
  if (holder == nullptr) return take();
  absl::Status status = holder->Enter();
  if (!status.ok()) return status;
  status = take();
  // A kernel that waits for the holder's SMs outlasts it, and is timed without
  // it.
  const bool has_ended = holder->HasEnded();
  status.Update(holder->Leave());
  if (status.ok() && has_ended) {
    status = absl::DeadlineExceededError(
        "the co-tenant's time was over before the sample was");
  }
  return status;
}

}  // namespace tiletune
