// First looks at a launch: about how long it takes says how many launches make
// a sample. One look serves a config's samples of every stage, instance and
// placement; it costs as much as a sample does.
//
//   LaunchProbes probes;
//   auto probe = probes.Of(problem, policy, config, [&] { return TimeIt(); });
//   if (probe.ok()) UseSeconds(probe->seconds);
#ifndef TILETUNE_AUTOTUNE_MEASURE_LAUNCH_PROBES_H_
#define TILETUNE_AUTOTUNE_MEASURE_LAUNCH_PROBES_H_

#include <functional>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "autotune/store/measurement.h"
#include "kernels/config.h"
#include "kernels/problem.h"

namespace tiletune {

class LaunchProbes {
 public:
  struct Probe {
    double seconds = 0;
    bool is_new = false;  // `look` was called for it
  };

  // Calls `look` unless it has answered for this config since `problem` and
  // `policy` are the same. An error of `look` is returned and not remembered.
  absl::StatusOr<Probe> Of(const GemmProblem& problem,
                           const MeasurementPolicy& policy,
                           const GemmConfig& config,
                           const std::function<absl::StatusOr<double>()>& look);

 private:
  std::string conditions_;                 // problem and policy
  std::map<std::string, double> seconds_;  // by config
};

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_MEASURE_LAUNCH_PROBES_H_
