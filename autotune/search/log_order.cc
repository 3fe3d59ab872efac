#include "autotune/search/log_order.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/status/statusor.h"
#include "kernels/cost_model/cost_model.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

double PredictedSeconds(const GemmProblem& problem, const DeviceFacts& device) {
  const absl::StatusOr<GemmConfig> config = DefaultConfig(problem, device);
  return config.ok() ? Predict(problem, *config, device).seconds : 0;
}

}  // namespace

std::vector<GemmProblem> MostTimeFirst(
    const std::vector<GemmProblem>& problems,
    const std::map<std::string, int64_t>& launches, const DeviceFacts& device) {
  std::vector<std::pair<double, size_t>> seconds;  // negative: most first
  for (size_t i = 0; i < problems.size(); ++i) {
    const auto logged = launches.find(ProblemKey(problems[i]));
    seconds.emplace_back(logged == launches.end()
                             ? 0
                             : -static_cast<double>(logged->second) *
                                   PredictedSeconds(problems[i], device),
                         i);
  }
  std::sort(seconds.begin(), seconds.end());
  std::vector<GemmProblem> ordered;
  for (const auto& [unused, i] : seconds) ordered.push_back(problems[i]);
  return ordered;
}

}  // namespace tiletune
