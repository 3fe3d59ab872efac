// What every command that times has to have first: the device, and the lock
// that keeps other tuners off it.
//
//   absl::StatusOr<Session> session = OpenSession(options);
//   if (!session.ok()) return Fail(session.status());
//   Measure(session->target.bench.get());
#ifndef TILETUNE_AUTOTUNE_COMMANDS_SESSION_H_
#define TILETUNE_AUTOTUNE_COMMANDS_SESSION_H_

#include <optional>

#include "absl/status/statusor.h"
#include "autotune/command_line/options.h"
#include "autotune/commands/target.h"
#include "autotune/worker/gpu_lock.h"

namespace tiletune {

struct Session {
  Target target;
  std::optional<GpuLock> lock;  // empty with --force, or on a modelled device
};

// The device of --device with the limits of --timeout. FailedPrecondition when
// another tuner has it; else errors of FindTarget.
absl::StatusOr<Session> OpenSession(const Options& options);

// The same for a command that must time: FailedPrecondition on a modelled
// device, also where "auto" found no other.
absl::StatusOr<Session> OpenTimingSession(const Options& options);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_COMMANDS_SESSION_H_
