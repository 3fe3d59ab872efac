#include "autotune/measure/launch_probes.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace tiletune {

absl::StatusOr<LaunchProbes::Probe> LaunchProbes::Of(
    const GemmProblem& problem, const MeasurementPolicy& policy,
    const GemmConfig& config,
    const std::function<absl::StatusOr<double>()>& look) {
  std::string conditions =
      absl::StrCat(ProblemKey(problem), "|", PolicyKey(policy));
  if (conditions != conditions_) seconds_.clear();
  conditions_ = std::move(conditions);
  const std::string key = ConfigKey(config);
  const auto known = seconds_.find(key);
  if (known != seconds_.end()) return Probe{known->second, false};
  const absl::StatusOr<double> seconds = look();
  if (!seconds.ok()) return seconds.status();
  seconds_.emplace(key, *seconds);
  return Probe{*seconds, true};
}

}  // namespace tiletune
