#include "autotune/search/log_order.h"

#include <algorithm>
#include <cmath>

#include "absl/status/statusor.h"
#include "kernels/cost_model/cost_model.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

// Of a launch that computes nothing, roughly.
constexpr double kLaunchSeconds = 2e-6;

// A usual tile, and how many waves take the model as long as all else does.
constexpr double kTile = 128;
constexpr double kWavesOfSmall = 20;

struct Logged {
  const GemmProblem* problem;
  double launches;
  double seconds;  // in all
};

double PredictedSeconds(const GemmProblem& problem, const DeviceFacts& device) {
  const absl::StatusOr<GemmConfig> config = DefaultConfig(problem, device);
  return config.ok() ? Predict(problem, *config, device).seconds : 0;
}

// The roofline: no kernel is faster.
double RooflineSeconds(const GemmProblem& p, const DeviceFacts& device) {
  const double bits = static_cast<double>(p.batch) *
                      (static_cast<double>(p.m) * p.k * BitsOf(p.a_type) +
                       static_cast<double>(p.k) * p.n * BitsOf(p.b_type) +
                       static_cast<double>(p.m) * p.n * BitsOf(p.d_type));
  return kLaunchSeconds + std::max(Flops(p) / device.dense_16bit_flops,
                                   bits / 8 / device.memory_bytes_per_second);
}

// What the model takes to predict it, that for a small problem being 1: it
// looks at each wave of each order, of which it samples 4096 where there are
// more.
double CostToPredict(const GemmProblem& p, const DeviceFacts& device) {
  const double tiles = std::ceil(p.m / kTile) * std::ceil(p.n / kTile);
  const double waves = tiles * p.batch / std::max(1, device.sm_count);
  return 1 + std::min(waves, 4096.0) / kWavesOfSmall;
}

void SortMostFirst(std::vector<Logged>::iterator begin,
                   std::vector<Logged>::iterator end) {
  std::stable_sort(begin, end, [](const Logged& x, const Logged& y) {
    return x.seconds > y.seconds;
  });
}

}  // namespace

std::vector<GemmProblem> MostTimeFirst(
    const std::vector<GemmProblem>& problems,
    const std::map<std::string, int64_t>& launches, const DeviceFacts& device,
    size_t most_predicted) {
  std::vector<Logged> logged;
  for (const GemmProblem& problem : problems) {
    const auto found = launches.find(ProblemKey(problem));
    const double count = found == launches.end() ? 0 : found->second;
    logged.push_back(
        {&problem, count, count * RooflineSeconds(problem, device)});
  }
  SortMostFirst(logged.begin(), logged.end());
  double cost = 0;
  auto l = logged.begin();
  for (; l != logged.end() && l->launches > 0; ++l) {
    cost += CostToPredict(*l->problem, device);
    if (cost > static_cast<double>(most_predicted)) break;
    l->seconds = l->launches * PredictedSeconds(*l->problem, device);
  }
  SortMostFirst(logged.begin(), l);
  std::vector<GemmProblem> ordered;
  for (const Logged& l : logged) ordered.push_back(*l.problem);
  return ordered;
}

}  // namespace tiletune
