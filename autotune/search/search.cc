#include "autotune/search/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autotune/measure/noise.h"
#include "autotune/measure/steady_now.h"
#include "kernels/cost_model/cost_model.h"
#include "scheduler/supply_kind.h"

namespace tiletune {
namespace {

constexpr double kFirstMargin = 1.5;
constexpr int kScreenSamples = 3;
// Kernels of at least so long draw full power while they are sampled; to
// shorter ones the default config adds more noise than it takes out.
constexpr double kPairedSeconds = 50e-6;
// Of at least so long: two samples with one of the default config between them
// are enough, and both directions of a family are about equal.
constexpr double kLongSeconds = 100e-6;
constexpr int kLongScreenSamples = 2;
constexpr int kLongSurvivors = 8;
constexpr int kLongMembers = 4;
// Of the longest kernels the final takes no more than make rounds of this, but
// not fewer than `kFewestFinalists`.
constexpr double kLongestRoundNs = 60e6;
constexpr size_t kFewestFinalists = 16;

// The fastest of a screen is so by luck as well: on an H200 the third was up to
// 6.8 % slower, and a margin over the first left out who was as good in truth.
constexpr size_t kNearBestRank = 2;

// The order in which the store prefers configs that tie (docs/database.md).
auto Preference(const GemmConfig& config) {
  const ConfigRecord r = RecordOf(config);
  return std::make_tuple(r.split_k, r.cluster_ctas, r.shared_bytes, r.threads,
                         static_cast<int>(config.variant->supply),
                         r.swizzle_offset, r.swizzle_direction, r.key);
}

void Append(const Trial& more, Trial* trial) {
  trial->outcome = more.outcome;
  trial->detail = more.detail;
  trial->conditions = more.conditions;
  trial->samples_ns.insert(trial->samples_ns.end(), more.samples_ns.begin(),
                           more.samples_ns.end());
}

bool IsDynamic(const GemmConfig& config) {
  return config.variant->supply != SupplyKind::kStatic;
}

}  // namespace

Search::Search(Bench* bench, Journal* journal, Options options)
    : bench_(bench), journal_(journal), options_(std::move(options)) {}

bool Search::OutOfTime() const { return SteadyNow() >= deadline_; }

double Search::BestMedian() const {
  double best = std::numeric_limits<double>::infinity();
  for (const std::optional<double>& ns : medians_) {
    if (ns.has_value()) best = std::min(best, *ns);
  }
  return best;
}

double Search::NearBestMedian() const {
  std::vector<double> medians;
  for (const std::optional<double>& ns : medians_) {
    if (ns.has_value()) medians.push_back(*ns);
  }
  const size_t rank = std::min(kNearBestRank, medians.size() - 1);
  std::nth_element(medians.begin(), medians.begin() + rank, medians.end());
  return medians[rank];
}

void Search::Report(const char* stage, int done, int of) const {
  if (!options_.progress) return;
  const double best = BestMedian();
  options_.progress({stage, done, of, std::isfinite(best) ? best : 0});
}

absl::Status Search::Prepare() {
  if (prepared_) return absl::OkStatus();
  const Trial trial = bench_->Prepare(problem_, policy_);
  if (!trial.ok()) {
    return absl::UnavailableError(
        absl::StrCat("cannot prepare the problem: ", trial.detail));
  }
  prepared_ = true;
  return absl::OkStatus();
}

absl::Status Search::Screen(size_t index) {
  const GemmConfig& config = plan_->configs()[index];
  if (journal_->Quarantined(config) != nullptr) {
    ++report_.rejected;
    return absl::OkStatus();
  }
  if (const Measurement* known = journal_->Find(config, Stage::kScreen)) {
    medians_[index] = known->median_ns;
    NotePower(known->power_capped, known->median_ns);
    ++report_.reused;
    return absl::OkStatus();
  }
  absl::Status status = Prepare();
  if (!status.ok()) return status;
  const absl::StatusOr<std::string> uid = journal_->Started(config);
  if (!uid.ok()) return uid.status();
  Trial trial = bench_->Check(config, /*repeats=*/1);
  std::optional<double> time;
  if (trial.ok()) time = TakeScreen(index, &trial);
  report_.samples += trial.samples_ns.size();
  Journal::Facts facts;
  facts.median_ns = time.value_or(0);
  status = journal_->Record(*uid, config, Stage::kScreen, trial, facts);
  if (!status.ok()) return status;
  if (trial.ok()) {
    medians_[index] = time;
    ++report_.measured;
  } else {
    ++report_.rejected;
  }
  return absl::OkStatus();
}

void Search::NotePower(bool is_capped, double ns) {
  is_paired_ = is_paired_ || (is_capped && ns >= kPairedSeconds * 1e9);
}

double Search::Reference(size_t index, int nth) {
  const int first = kScreenSamples * (1 + static_cast<int>(index)) + nth;
  const Trial trial =
      bench_->Time({plan_->configs()[0], Stage::kScreen, first, /*count=*/1});
  if (!trial.ok()) return 0;
  ++report_.samples;
  return trial.samples_ns[0];
}

std::optional<double> Search::TakeScreen(size_t index, Trial* trial) {
  const bool paired = is_paired_ && index != 0 && medians_[0].has_value();
  const bool is_long = paired && *medians_[0] >= kLongSeconds * 1e9;
  const int count = is_long ? kLongScreenSamples : kScreenSamples;
  std::vector<double> times;
  std::vector<double> references;
  for (int i = 0; i < count; ++i) {
    Append(bench_->Time({plan_->configs()[index], Stage::kScreen, i, 1}),
           trial);
    if (!trial->ok()) return std::nullopt;
    times.push_back(trial->samples_ns.back());
    const bool hopeless = !options_.exhaustive && index != 0 &&
                          times[0] > kFirstMargin * BestMedian();
    if (hopeless) break;
    if (!paired || i + 1 == count) continue;
    const double reference = Reference(index, i);
    if (reference > 0) references.push_back(reference);
  }
  const double ns = Median(times);
  NotePower(trial->conditions.power_capped, ns);
  return references.empty() ? ns : ns * *medians_[0] / Median(references);
}

absl::Status Search::ScreenAll(const std::vector<size_t>& indices,
                               const char* stage) {
  int done = 0;
  for (size_t index : indices) {
    if (OutOfTime() && index != 0) {
      report_.out_of_time = true;
      break;
    }
    const absl::Status status = Screen(index);
    if (!status.ok()) return status;
    ++done;
    if (options_.progress) {
      const double best = BestMedian();
      options_.progress(
          {stage, done, static_cast<int>(indices.size()),
           best < std::numeric_limits<double>::infinity() ? best : 0});
    }
  }
  return absl::OkStatus();
}

size_t Search::MostFinalists() const {
  if (options_.exhaustive) return options_.exhaustive_finalists;
  // A sample is two launches at least, one a copy of the operands.
  const double round = kLongestRoundNs / (2 * BestMedian());
  return std::clamp(static_cast<size_t>(round), kFewestFinalists,
                    static_cast<size_t>(options_.finalists));
}

std::vector<size_t> Search::Finalists() const {
  std::vector<size_t> indices;
  const double limit = NearBestMedian() * options_.final_margin;
  for (size_t i = 0; i < medians_.size(); ++i) {
    if (medians_[i].has_value() && *medians_[i] <= limit) indices.push_back(i);
  }
  const double tie = BestMedian() * (1 + options_.screen_tie);
  const auto before = [&](size_t a, size_t b) {
    const bool a_ties = *medians_[a] <= tie, b_ties = *medians_[b] <= tie;
    if (a_ties != b_ties) return a_ties;
    return a_ties ? Preference(plan_->configs()[a]) <
                        Preference(plan_->configs()[b])
                  : *medians_[a] < *medians_[b];
  };
  std::stable_sort(indices.begin(), indices.end(), before);
  int dynamic = 0;
  const auto one_too_many = [&](size_t i) {
    return i != 0 && IsDynamic(plan_->configs()[i]) &&
           ++dynamic > options_.dynamic_finalists && policy_.busy_percent == 0;
  };
  indices.erase(std::remove_if(indices.begin(), indices.end(), one_too_many),
                indices.end());
  const size_t most = MostFinalists();
  if (indices.size() > most) indices.resize(most);
  const bool default_in =
      std::find(indices.begin(), indices.end(), size_t{0}) != indices.end();
  if (!default_in && medians_[0].has_value()) {
    if (indices.size() == most) indices.pop_back();
    indices.push_back(0);
  }
  return indices;
}

absl::StatusOr<std::vector<Contender>> Search::Contenders(
    const std::vector<size_t>& finalists, std::vector<std::string>* uids) {
  std::vector<Contender> contenders;
  std::vector<size_t> wanted;  // the store's choice first
  for (size_t index : finalists) {
    const GemmConfig& config = plan_->configs()[index];
    absl::StatusOr<std::string> uid = journal_->Started(config);
    if (!uid.ok()) return uid.status();
    uids->push_back(*std::move(uid));
    wanted.push_back(contenders.size());
    Contender contender{config, 0, Trial()};
    // Whether it is slower than the winner must be known well.
    contender.stays = index == 0;
    if (IsDynamic(config)) {
      contender.trial = bench_->Check(config, kSoakRepeats);
    }
    contenders.push_back(std::move(contender));
  }
  std::sort(wanted.begin(), wanted.end(), [&](size_t a, size_t b) {
    return Preference(contenders[a].config) < Preference(contenders[b].config);
  });
  for (size_t i = 0; i < wanted.size(); ++i) {
    contenders[wanted[i]].preference = static_cast<int>(i);
  }
  return contenders;
}

absl::Status Search::Final() {
  const std::vector<size_t> indices = Finalists();
  report_.finalists = static_cast<int>(indices.size());
  const auto known = [&](size_t i) {
    return journal_->Find(plan_->configs()[i], Stage::kFinal) != nullptr;
  };
  if (std::all_of(indices.begin(), indices.end(), known)) {
    report_.reused += static_cast<int>(indices.size());
    return absl::OkStatus();
  }
  absl::Status status = Prepare();
  if (!status.ok()) return status;

  std::vector<std::string> uids;
  absl::StatusOr<std::vector<Contender>> made = Contenders(indices, &uids);
  if (!made.ok()) return made.status();
  std::vector<Contender> contenders = *std::move(made);
  const size_t fastest = std::min_element(indices.begin(), indices.end(),
                                          [this](size_t a, size_t b) {
                                            return *medians_[a] < *medians_[b];
                                          }) -
                         indices.begin();
  contenders.push_back(contenders[fastest]);
  contenders.back().instance = 1;
  contenders.back().stays = false;
  RoundsRule rule = options_.final_rule;
  if (!is_paired_) {
    rule.warm_up_ns = 0;
    rule.placements = options_.short_placements;
  }
  RunRounds(bench_, Stage::kFinal, rule, deadline_, &contenders,
            [this](int done, int of) { Report("final", done, of); });
  const Contender twin = contenders.back();
  contenders.pop_back();
  report_.samples += twin.trial.samples_ns.size();
  const bool both = twin.trial.ok() && contenders[fastest].trial.ok();
  report_.self_difference =
      both ? std::abs(twin.level.ns / contenders[fastest].level.ns - 1) : 0;
  const std::vector<double> ties =
      TieWidths(contenders, report_.self_difference);

  // Whoever it was seen on: they share the GPU's state, of which the driver
  // tells every 20 ms.
  const bool is_capped = std::any_of(
      contenders.begin(), contenders.end(),
      [](const Contender& c) { return c.trial.conditions.power_capped; });

  std::vector<Journal::Entry> entries;
  for (size_t i = 0; i < contenders.size(); ++i) {
    const Contender& c = contenders[i];
    Journal::Entry entry{uids[i], c.config, Stage::kFinal, c.trial, {}};
    entry.facts.soak_repeats = IsDynamic(c.config) ? kSoakRepeats : 0;
    entry.facts.median_ns = c.level.ns;
    entry.facts.noise = ties[i];
    // At a power limit two configs alone differ by another percent or two than
    // among many, whose heat they share.
    if (indices[i] == 0 && is_capped) {
      entry.facts.noise = kMostTieWidth;
    }
    entries.push_back(std::move(entry));
    report_.samples += c.trial.samples_ns.size();
    ++(c.trial.ok() ? report_.measured : report_.rejected);
  }
  return journal_->RecordAll(entries);
}

double Search::PruningLoss() const {
  const auto median = [this](size_t i) { return medians_[i]; };
  std::vector<size_t> visited = plan_->First();
  for (const std::vector<size_t>& more :
       {plan_->Turned(median), plan_->Independent(median),
        plan_->Second(median)}) {
    visited.insert(visited.end(), more.begin(), more.end());
  }
  double best = std::numeric_limits<double>::infinity();
  for (size_t i : visited) {
    if (medians_[i].has_value()) best = std::min(best, *medians_[i]);
  }
  return best / BestMedian() - 1;
}

absl::StatusOr<SearchReport> Search::Run(const GemmProblem& problem,
                                         const MeasurementPolicy& policy) {
  problem_ = problem;
  policy_ = policy;
  prepared_ = false;
  report_ = SearchReport();
  deadline_ = SteadyNow() + options_.budget;
  std::vector<GemmConfig> configs =
      LegalConfigs(problem, journal_->device(), options_.candidates);
  if (options_.runnable) {
    const auto cannot = [this](const GemmConfig& c) {
      return !options_.runnable(c);
    };
    configs.erase(std::remove_if(configs.begin(), configs.end(), cannot),
                  configs.end());
  }
  if (configs.empty()) {
    return absl::NotFoundError("no kernel here can run this problem");
  }
  std::vector<double> predicted;
  for (const GemmConfig& config : configs) {
    predicted.push_back(Predict(problem, config, journal_->device()).seconds);
  }
  absl::Status status = journal_->Open(problem, policy, configs[0]);
  if (!status.ok()) return status;
  report_.legal = static_cast<int>(configs.size());
  is_paired_ = predicted[0] >= kPairedSeconds;
  medians_.assign(configs.size(), std::nullopt);
  CandidatePlan::Options plan = options_.plan;
  if (policy.busy_percent > 0) plan.dynamic_members = plan.members;
  if (predicted[0] >= kLongSeconds) {
    plan.survivors = std::min(plan.survivors, kLongSurvivors);
    plan.members = std::min(plan.members, kLongMembers);
    plan.turning = 0;
  }
  plan_.emplace(std::move(configs), std::move(predicted), plan);

  const auto median = [this](size_t i) { return medians_[i]; };
  std::vector<size_t> screened = plan_->First();
  status = ScreenAll(screened, "screen");
  if (!status.ok()) return status;
  for (const auto& more :
       {&CandidatePlan::Turned, &CandidatePlan::Independent}) {
    const std::vector<size_t> indices = (*plan_.*more)(median);
    status = ScreenAll(indices, "screen");
    if (!status.ok()) return status;
    screened.insert(screened.end(), indices.begin(), indices.end());
  }
  std::vector<size_t> rest;
  if (options_.exhaustive) {
    for (size_t i = 0; i < medians_.size(); ++i) {
      if (std::find(screened.begin(), screened.end(), i) == screened.end()) {
        rest.push_back(i);
      }
    }
  } else {
    rest = plan_->Second(median);
  }
  status = ScreenAll(rest, "orders");
  if (!status.ok()) return status;
  if (options_.exhaustive && !report_.out_of_time) {
    report_.pruning_loss = PruningLoss();
  }
  if (BestMedian() == std::numeric_limits<double>::infinity()) {
    return absl::NotFoundError("no candidate ran right");
  }
  status = Final();
  if (!status.ok()) return status;
  return report_;
}

}  // namespace tiletune
