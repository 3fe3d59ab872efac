#include "autotune/commands/session.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace tiletune {

absl::StatusOr<Session> OpenSession(const Options& options) {
  RemoteBench::Limits limits;
  limits.trial = absl::Seconds(options.timeout_seconds);
  absl::StatusOr<Target> target =
      FindTarget(options.device.empty() ? "auto" : options.device, limits);
  if (!target.ok()) return target.status();
  Session session;
  session.target = *std::move(target);
  if (session.target.facts.modelled || options.force) return session;
  absl::StatusOr<GpuLock> lock = GpuLock::Take(session.target.lock_name);
  if (!lock.ok()) return lock.status();
  session.lock.emplace(*std::move(lock));
  return session;
}

absl::StatusOr<Session> OpenTimingSession(const Options& options) {
  absl::StatusOr<Session> session = OpenSession(options);
  if (!session.ok() || !session->target.facts.modelled) return session;
  const Target& target = session->target;
  return absl::FailedPreconditionError(absl::StrCat(
      target.no_gpu.empty() ? target.facts.name + " is a model" : target.no_gpu,
      "; ", options.command, " times kernels"));
}

}  // namespace tiletune
