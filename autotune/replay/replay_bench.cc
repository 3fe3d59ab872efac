#include "autotune/replay/replay_bench.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "autotune/measure/noise.h"

namespace tiletune {
namespace {

// Of an H200 (docs/results/tuner_h200.md): the host's part of a candidate, of a
// timer, and the gaps between launches.
constexpr double kCheckNs = 1.0e6;
constexpr double kTimerNs = 0.4e6;
constexpr double kGaps = 1.25;
// The first look at a config, and what runs before its first sample.
constexpr int kProbeLaunches = 4;

double SampleNs(Stage stage, double ns) {
  return std::max(stage == Stage::kScreen ? 0.3e6 : 1e6, 2 * ns);
}

}  // namespace

absl::StatusOr<SweepRecord> SweepRecord::Read(const Store& swept) {
  SweepRecord record;
  const absl::StatusOr<std::vector<DeviceRow>> devices = swept.Devices();
  if (!devices.ok()) return devices.status();
  if (devices->size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(devices->size(), " devices in ", swept.path()));
  }
  record.device_ = devices->front().facts;
  const absl::StatusOr<std::vector<Measurement>> rows = swept.Measurements({});
  if (!rows.ok()) return rows.status();
  std::map<std::string, std::map<std::string, double>> finals;
  for (const Measurement& row : *rows) {
    if (row.outcome != Outcome::kOk || row.median_ns <= 0) continue;
    const std::string problem = ProblemKey(row.problem);
    auto& times = row.stage == Stage::kFinal ? finals : record.times_;
    times[problem][row.config.key] = row.median_ns;
  }
  for (auto& [problem, times] : record.times_) {
    std::vector<double> ratios;
    for (const auto& [config, ns] : finals[problem]) {
      if (times.count(config) > 0) ratios.push_back(ns / times[config]);
    }
    for (const auto& [config, ns] : finals[problem]) {
      times[config] = ns / Median(ratios);
    }
    const absl::StatusOr<GemmProblem> parsed = ParseProblemKey(problem);
    if (parsed.ok()) record.problems_.push_back(*parsed);
  }
  return record;
}

const std::map<std::string, double>& SweepRecord::TimesOf(
    const GemmProblem& p) const {
  static const auto* const none = new std::map<std::string, double>;
  const auto found = times_.find(ProblemKey(p));
  return found == times_.end() ? *none : found->second;
}

double ReplayBench::FastestTime(const GemmProblem& problem) const {
  double fastest = 0;
  for (const auto& [config, ns] : record_.TimesOf(problem)) {
    if (fastest == 0 || ns < fastest) fastest = ns;
  }
  return fastest;
}

Trial ReplayBench::Prepare(const GemmProblem& problem,
                           const MeasurementPolicy& policy) {
  times_ = &record_.TimesOf(problem);
  timers_.clear();
  probed_.clear();
  return RoughBench::Prepare(problem, policy);
}

bool ReplayBench::Knows(const GemmConfig& config) const {
  return times_ != nullptr && times_->count(ConfigKey(config)) > 0;
}

double ReplayBench::SteadyTime(const GemmConfig& config) const {
  const auto found = times_->find(ConfigKey(config));
  return found == times_->end() ? 0 : found->second;
}

Trial ReplayBench::Check(const GemmConfig& config, int repeats) {
  gpu_ns_ += kCheckNs + kGaps * repeats * SteadyTime(config);
  return RoughBench::Check(config, repeats);
}

Trial ReplayBench::Time(const TimeRequest& request) {
  const double ns = SteadyTime(request.config);
  const std::string key = ConfigKey(request.config);
  const std::string timer =
      absl::StrCat(key, static_cast<int>(request.stage), "i", request.instance,
                   "@", request.placement);
  if (timers_.insert(timer).second) gpu_ns_ += kTimerNs;
  if (probed_.insert(key).second) {
    gpu_ns_ += kGaps * (kProbeLaunches * ns + SampleNs(request.stage, ns));
  }
  gpu_ns_ += kGaps * request.count * SampleNs(request.stage, ns);
  return RoughBench::Time(request);
}

}  // namespace tiletune
