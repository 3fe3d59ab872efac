#include "autotune/study/rough_bench.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "autotune/measure/fake_noise.h"
#include "autotune/search/candidate_plan.h"

namespace tiletune {
namespace {

// Kernels that long run into the power limit.
constexpr double kLongNs = 50e3;

}  // namespace

Trial RoughBench::Prepare(const GemmProblem& problem,
                          const MeasurementPolicy& policy) {
  name_ = ProblemKey(problem);
  fastest_ns_ = FastestTime(problem);
  return FakeBench::Prepare(problem, policy);
}

double RoughBench::FastestTime(const GemmProblem& problem) const {
  return 5e3 + Flops(problem) / 2e5;
}

// The host compares, and the GPU rests.
Trial RoughBench::Check(const GemmConfig& config, int repeats) {
  load_ms_ = std::max(0.0, load_ms_ - 6);
  return FakeBench::Check(config, repeats);
}

double RoughBench::SteadyTime(const GemmConfig& config) const {
  // Squares: the nearer to the best, the more of them.
  const double family = UnitOf(silicon_, absl::StrCat(name_, FamilyOf(config)));
  const double order = UnitOf(silicon_, absl::StrCat(name_, ConfigKey(config)));
  return fastest_ns_ * (1 + 0.3 * family * family + 0.02 * order * order);
}

double RoughBench::ProcessFactor(const std::string& key) const {
  return 1 + 0.001 * NormalOf(process_, key);
}

// Some configs mind where their operands lie, in every process, and of short
// kernels more.
double RoughBench::PlacementFactor(const std::string& key,
                                   int placement) const {
  const bool is_short = fastest_ns_ < kLongNs;
  double deviation = 0.0015;
  if (UnitOf(silicon_, key + "rough") < (is_short ? 0.1 : 0.03)) {
    deviation = is_short ? 0.015 : 0.006;
  }
  return 1 + deviation * NormalOf(process_, absl::StrCat(key, "@", placement));
}

double RoughBench::TimeHere(const GemmConfig& config, int placements) const {
  const std::string key = absl::StrCat(name_, ConfigKey(config));
  double sum = 0;
  for (int p = 0; p < placements; ++p) sum += PlacementFactor(key, p);
  return SteadyTime(config) * ProcessFactor(key) * sum / placements;
}

// The clock holds for some milliseconds of load, falls by 15 % and a little
// below what it comes back to; besides it wanders, by 2 % every 100 ms.
double RoughBench::ClockFactor(double sample_ns) {
  if (fastest_ns_ < kLongNs) return 1;
  const double ms = sample_ns / 1e6;
  const double kept = std::exp(-ms / 100);
  const double step = NormalOf(process_, absl::StrCat("clock", calls_));
  wander_ = wander_ * kept + 0.022 * std::sqrt(1 - kept * kept) * step;
  load_ms_ = std::min(200.0, load_ms_ + ms);
  double slower = 0.15;
  if (load_ms_ < 14) {
    slower = 0;
  } else if (load_ms_ < 22) {
    slower = 0.18 * (load_ms_ - 14) / 8;
  } else if (load_ms_ < 60) {
    slower = 0.18 - 0.03 * (load_ms_ - 22) / 38;
  }
  return (1 + wander_) * (1 + slower) / 1.15;
}

Trial RoughBench::Time(const TimeRequest& request) {
  Trial trial;
  const std::string key = absl::StrCat(name_, ConfigKey(request.config));
  double ns = SteadyTime(request.config) * ProcessFactor(key) *
              PlacementFactor(key, request.placement);
  if (request.stage == Stage::kScreen) {
    // Not among others, and after a rest: that favours some.
    const bool is_rough = UnitOf(process_, key + "screen") < 0.1;
    ns *= 1 + (is_rough ? 0.02 : 0.004) * NormalOf(process_, key + "screen");
  }
  const double sample_ns =
      std::max(request.stage == Stage::kScreen ? 0.3e6 : 1e6, 2 * ns);
  const double noise = 0.003 / std::sqrt(std::min(1.0, sample_ns / 1e6));
  for (int i = 0; i < request.count; ++i) {
    ++calls_;
    const std::string call = absl::StrCat("sample", calls_);
    double sample = ns * ClockFactor(sample_ns);
    sample *= 1 + noise * NormalOf(process_, call);
    // An interrupt now and then.
    if (UnitOf(process_, call) < 0.02) {
      sample *= 1 + 0.05 * UnitOf(process_, call + "late");
    }
    trial.samples_ns.push_back(sample);
  }
  trial.conditions.power_capped = fastest_ns_ >= kLongNs;
  trial.conditions.sm_clock_mhz = 1000;
  return trial;
}

}  // namespace tiletune
