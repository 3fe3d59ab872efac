#include "autotune/search/journal.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autotune/measure/noise.h"

namespace tiletune {
namespace {

// Outcomes that must not be tried again with this build: they cost a worker,
// or a wrong result.
bool IsFault(Outcome outcome) {
  return outcome == Outcome::kWrong || outcome == Outcome::kCrashed ||
         outcome == Outcome::kTimeout;
}

// Whether it says nothing of other policies: what hangs beside a kernel that
// holds SMs may have waited for those.
bool IsOfPolicy(Outcome outcome, const MeasurementPolicy& policy) {
  return outcome == Outcome::kTimeout && policy.busy_percent > 0;
}

bool IsCurrent(const GemmConfig& config, const std::string& build) {
  return build == config.variant->build_fingerprint;
}

}  // namespace

double TieWidth(const std::vector<double>& samples_ns) {
  // Few samples say little about their own noise.
  if (samples_ns.size() < 3) return 0.05;
  return std::max(0.01, 2 * RelativeNoise(samples_ns));
}

Journal::Journal(Store* store, DeviceFacts device, std::string run_uid,
                 bool reuse)
    : store_(store),
      device_(std::move(device)),
      run_uid_(std::move(run_uid)),
      reuse_(reuse) {}

absl::Status Journal::Open(const GemmProblem& problem,
                           const MeasurementPolicy& policy,
                           const GemmConfig& default_config) {
  problem_ = problem;
  policy_ = policy;
  default_key_ = ConfigKey(default_config);
  known_.clear();
  barred_.clear();
  unfinished_.clear();
  Filter filter;
  filter.device = device_.Fingerprint();
  filter.problem = ProblemKey(problem);
  filter.policy = policy;
  const absl::StatusOr<std::vector<QuarantineRow>> barred =
      store_->Quarantined(filter);
  if (!barred.ok()) return barred.status();
  for (const QuarantineRow& row : *barred) {
    const absl::StatusOr<GemmConfig> config = ParseConfig(row.config);
    if (config.ok() && IsCurrent(*config, row.build)) {
      barred_[row.config] = row.reason;
    }
  }
  Filter every_policy = filter;
  every_policy.policy.reset();
  const absl::Status marked_out = MarkImpossible(every_policy);
  if (!marked_out.ok()) return marked_out;
  const absl::StatusOr<std::vector<Attempt>> attempts =
      store_->UnfinishedAttempts(filter);
  if (!attempts.ok()) return attempts.status();
  for (const Attempt& attempt : *attempts) {
    unfinished_.emplace(attempt.config.key, attempt.uid);
  }
  if (!reuse_) filter.run_uid = run_uid_;
  absl::StatusOr<std::vector<Measurement>> rows = store_->Measurements(filter);
  if (!rows.ok()) return rows.status();
  const absl::StatusOr<std::vector<MarkRow>> marks = store_->Marks();
  if (!marks.ok()) return marks.status();
  std::set<std::string> marked;
  for (const MarkRow& mark : *marks) marked.insert(mark.measurement_uid);
  for (Measurement& m : *rows) {
    if (m.outcome != Outcome::kOk || marked.count(m.uid) != 0) continue;
    const absl::StatusOr<GemmConfig> config = ParseConfig(m.config.key);
    if (!config.ok() || !IsCurrent(*config, m.config.build)) continue;
    const auto key = std::make_pair(m.config.key, m.stage);
    known_[key] = std::move(m);  // oldest first: the newest stays
  }
  return absl::OkStatus();
}

absl::Status Journal::MarkImpossible(const Filter& filter) {
  const absl::StatusOr<std::vector<ImpossibleRow>> found =
      store_->Impossible(filter);
  if (!found.ok()) return found.status();
  if (found->empty()) return absl::OkStatus();
  std::map<std::pair<std::string, std::string>, std::string> reasons;
  for (const ImpossibleRow& row : *found) {
    if (!row.is_prediction) reasons[{row.config, row.build}] = row.reason;
  }
  const absl::StatusOr<std::vector<Measurement>> rows =
      store_->Measurements(filter);
  if (!rows.ok()) return rows.status();
  return store_->Transaction([&]() -> absl::Status {
    for (const Measurement& m : *rows) {
      const auto reason = reasons.find({m.config.key, m.config.build});
      if (reason == reasons.end() || m.outcome != Outcome::kOk) continue;
      const absl::Status status = store_->MarkMeasurement(
          m.uid, Mark::kStale,
          absl::StrCat("cannot be true: ", reason->second));
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  });
}

const Measurement* Journal::Find(const GemmConfig& config, Stage stage) const {
  const auto it = known_.find({ConfigKey(config), stage});
  return it == known_.end() ? nullptr : &it->second;
}

const std::string* Journal::Quarantined(const GemmConfig& config) const {
  const auto it = barred_.find(ConfigKey(config));
  return it == barred_.end() ? nullptr : &it->second;
}

absl::StatusOr<std::string> Journal::Started(const GemmConfig& config) {
  Attempt attempt;
  attempt.problem = problem_;
  attempt.config = RecordOf(config);
  attempt.device = device_;
  attempt.policy = policy_;
  attempt.run_uid = run_uid_;
  return store_->RecordStarted(attempt);
}

Measurement Journal::MeasurementOf(const Entry& entry) const {
  Measurement m;
  m.uid = entry.uid;
  m.problem = problem_;
  m.config = RecordOf(entry.config);
  m.device = device_;
  m.policy = policy_;
  m.stage = entry.stage;
  const Trial& trial = entry.trial;
  m.outcome = trial.outcome;
  m.detail = trial.detail;
  m.is_default = m.config.key == default_key_;
  m.samples_ns.assign(trial.samples_ns.begin(), trial.samples_ns.end());
  Summarize(&m);
  if (entry.facts.median_ns > 0) m.median_ns = entry.facts.median_ns;
  m.noise =
      entry.facts.noise > 0 ? entry.facts.noise : TieWidth(trial.samples_ns);
  m.soak_repeats = entry.facts.soak_repeats;
  m.sm_clock_mhz = trial.conditions.sm_clock_mhz;
  m.memory_clock_mhz = trial.conditions.memory_clock_mhz;
  m.temperature_c = trial.conditions.temperature_c;
  m.power_limit_w = trial.conditions.power_limit_w;
  m.power_capped = trial.conditions.power_capped;
  m.run_uid = run_uid_;
  return m;
}

absl::Status Journal::Record(const std::string& uid, const GemmConfig& config,
                             Stage stage, const Trial& trial,
                             const Facts& facts) {
  return RecordAll({{uid, config, stage, trial, facts}});
}

absl::Status Journal::RecordAll(const std::vector<Entry>& entries) {
  std::vector<Measurement> rows;
  for (const Entry& entry : entries) rows.push_back(MeasurementOf(entry));
  const absl::Status stored = store_->Transaction([&]() -> absl::Status {
    for (const Measurement& m : rows) {
      absl::Status status = store_->RecordMeasurement(m);
      if (status.ok() && IsFault(m.outcome)) {
        std::optional<MeasurementPolicy> barred_under;
        if (IsOfPolicy(m.outcome, policy_)) barred_under = policy_;
        status = store_->Quarantine(
            problem_, m.config, device_,
            absl::StrCat(std::string(Name(m.outcome)), ": ", m.detail),
            barred_under);
      }
      const auto [begin, end] = unfinished_.equal_range(m.config.key);
      for (auto it = begin; status.ok() && it != end; ++it) {
        status = store_->EndAttempt(it->second);
      }
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  });
  if (!stored.ok()) return stored;
  for (Measurement& m : rows) {
    unfinished_.erase(m.config.key);
    if (IsFault(m.outcome)) barred_[m.config.key] = m.detail;
    if (m.outcome != Outcome::kOk) continue;
    const auto key = std::make_pair(m.config.key, m.stage);
    known_[key] = std::move(m);
  }
  return absl::OkStatus();
}

}  // namespace tiletune
