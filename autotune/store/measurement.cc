#include "autotune/store/measurement.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tiletune {
namespace {

const char* Name(SupplyKind supply) {
  switch (supply) {
    case SupplyKind::kStatic:
      return "static";
    case SupplyKind::kQueue:
      return "queue";
    case SupplyKind::kClc:
      return "clc";
  }
  return "";
}

// The value below which the fraction `part` of the samples lies, with linear
// interpolation between neighbours. `sorted` is not empty.
double Quantile(const std::vector<float>& sorted, double part) {
  const double position = part * (sorted.size() - 1);
  const size_t below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = position - below;
  return sorted[below] * (1 - weight) + sorted[above] * weight;
}

}  // namespace

bool operator==(const MeasurementPolicy& x, const MeasurementPolicy& y) {
  return x.l2 == y.l2 && x.launch == y.launch &&
         x.busy_percent == y.busy_percent;
}

std::string PolicyKey(const MeasurementPolicy& policy) {
  return absl::StrCat(policy.l2 == L2State::kCold ? "cold" : "warm", "-",
                      policy.launch == LaunchMode::kGraph ? "graph" : "stream",
                      "-busy", policy.busy_percent);
}

absl::StatusOr<MeasurementPolicy> ParsePolicy(std::string_view key) {
  const std::vector<std::string> parts =
      absl::StrSplit(std::string(key), absl::ByChar('-'));
  MeasurementPolicy policy;
  bool ok = parts.size() == 3 && parts[2].rfind("busy", 0) == 0 &&
            absl::SimpleAtoi(parts[2].substr(4), &policy.busy_percent) &&
            policy.busy_percent >= 0 && policy.busy_percent <= 99;
  if (ok) {
    policy.l2 = parts[0] == "cold" ? L2State::kCold : L2State::kWarm;
    policy.launch =
        parts[1] == "graph" ? LaunchMode::kGraph : LaunchMode::kStream;
    // One spelling only: this also catches unknown words and "busy007".
    ok = PolicyKey(policy) == key;
  }
  if (!ok) {
    return absl::InvalidArgumentError(absl::StrCat(
        "\"", std::string(key),
        "\" is no policy: say {cold|warm}-{graph|stream}-busyN with N from 0 "
        "to 99, such as cold-graph-busy0"));
  }
  return policy;
}

std::string_view Name(Stage stage) {
  return stage == Stage::kFinal ? "final" : "screen";
}

std::string_view Name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOk:
      return "ok";
    case Outcome::kWrong:
      return "wrong";
    case Outcome::kCrashed:
      return "crashed";
    case Outcome::kTimeout:
      return "timeout";
    case Outcome::kOutOfMemory:
      return "out of memory";
    case Outcome::kUnstable:
      return "unstable";
    case Outcome::kRefused:
      return "refused";
  }
  return "";
}

ConfigRecord RecordOf(const GemmConfig& config) {
  const KernelVariant& v = *config.variant;
  ConfigRecord record;
  record.key = ConfigKey(config);
  record.build = v.build_fingerprint;
  record.variant = v.name;
  record.supply = Name(v.supply);
  record.tile_m = v.tile_m;
  record.tile_n = v.tile_n;
  record.tile_k = v.tile_k;
  record.cluster_ctas = v.cluster_m * v.cluster_n * v.cluster_k;
  record.stages = v.stages;
  record.threads = v.threads;
  record.shared_bytes = v.shared_bytes;
  record.swizzle_offset = config.swizzle_offset;
  record.swizzle_direction = static_cast<uint32_t>(config.swizzle_direction);
  record.split_k = config.split_k;
  return record;
}

void Summarize(Measurement* measurement) {
  std::vector<float> sorted = measurement->samples_ns;
  measurement->sample_count = static_cast<int64_t>(sorted.size());
  if (sorted.empty()) return;
  std::sort(sorted.begin(), sorted.end());
  measurement->min_ns = sorted.front();
  measurement->median_ns = Quantile(sorted, 0.5);
  measurement->mean_ns =
      std::accumulate(sorted.begin(), sorted.end(), 0.0) / sorted.size();
  measurement->relative_spread =
      (Quantile(sorted, 0.75) - Quantile(sorted, 0.25)) /
      measurement->median_ns;
}

}  // namespace tiletune
