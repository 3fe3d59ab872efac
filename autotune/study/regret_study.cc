#include "autotune/study/regret_study.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autotune/measure/paired_rounds.h"
#include "autotune/measure/steady_now.h"
#include "kernels/cost_model/cost_model.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

constexpr int kModelChoices = 8;

absl::StatusOr<std::string> StartRun(Store* store) {
  Run run;
  run.command = "regret";
  return store->StartRun(run);
}

bool IsFaster(const Swept& x, const Swept& y) {
  if ((x.level_ns > 0) != (y.level_ns > 0)) return x.level_ns > 0;
  return x.level_ns < y.level_ns;
}

}  // namespace

RegretStudy::RegretStudy(Bench* bench, DeviceFacts device, Options options)
    : bench_(bench), device_(std::move(device)), options_(std::move(options)) {}

absl::StatusOr<Regret> RegretStudy::Run(const GemmProblem& problem,
                                        const MeasurementPolicy& policy,
                                        Store* tuned, Store* swept) {
  problem_ = problem;
  policy_ = policy;
  regret_ = Regret();
  const absl::StatusOr<GemmConfig> fallback = DefaultConfig(problem, device_);
  if (!fallback.ok()) return fallback.status();
  regret_.fallback = *fallback;
  const absl::Time start = SteadyNow();
  absl::Status status = Tune(tuned);
  if (!status.ok()) return status;
  const absl::Time between = SteadyNow();
  status = SweepAll(swept);
  if (!status.ok()) return status;
  regret_.search_seconds = absl::ToDoubleSeconds(between - start);
  regret_.sweep_seconds = absl::ToDoubleSeconds(SteadyNow() - between);
  status = CompareAfresh();
  if (!status.ok()) return status;
  return regret_;
}

absl::Status RegretStudy::Tune(Store* store) {
  const absl::StatusOr<std::string> run = StartRun(store);
  if (!run.ok()) return run.status();
  Journal journal(store, device_, *run, /*reuse=*/false);
  const absl::StatusOr<SearchReport> report =
      Search(bench_, &journal, options_.search).Run(problem_, policy_);
  if (!report.ok()) return report.status();
  regret_.search_candidates =
      report->measured + report->rejected - report->finalists;
  Filter filter;
  filter.device = device_.Fingerprint();
  filter.problem = ProblemKey(problem_);
  filter.policy = policy_;
  const absl::StatusOr<std::vector<WinnerRow>> rows = store->Winners(filter);
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return absl::NotFoundError("no winner");
  absl::StatusOr<GemmConfig> pick = ParseConfig(rows->front().config);
  if (!pick.ok()) return pick.status();
  regret_.pick = *std::move(pick);
  return absl::OkStatus();
}

absl::Status RegretStudy::SweepAll(Store* store) {
  CandidateOptions candidates = options_.search.candidates;
  candidates.offsets = options_.offsets;
  std::vector<GemmConfig> configs = LegalConfigs(problem_, device_, candidates);
  if (options_.search.runnable) {
    configs.erase(std::remove_if(configs.begin(), configs.end(),
                                 [this](const GemmConfig& c) {
                                   return !options_.search.runnable(c);
                                 }),
                  configs.end());
  }
  regret_.sweep_candidates = static_cast<int>(configs.size());
  const Trial prepared = bench_->Prepare(problem_, policy_);
  if (!prepared.ok()) return absl::UnavailableError(prepared.detail);
  std::vector<Swept> swept = Sweep(bench_, configs, options_.sweep);
  std::stable_sort(swept.begin(), swept.end(), IsFaster);
  std::vector<Contender> finalists;
  for (const Swept& s : swept) {
    if (static_cast<int>(finalists.size()) == options_.sweep_finalists ||
        s.level_ns <= 0) {
      break;
    }
    finalists.push_back({s.config, 0, Trial(), Level()});
  }
  if (finalists.empty()) return absl::NotFoundError("no candidate ran right");
  RoundsRule rule = options_.search.final_rule;
  RunRounds(bench_, Stage::kFinal, rule, absl::InfiniteFuture(), &finalists);
  const Contender* best = nullptr;
  for (const Contender& c : finalists) {
    if (!c.trial.ok()) continue;
    if (best == nullptr || c.level.ns < best->level.ns) best = &c;
  }
  if (best == nullptr) return absl::NotFoundError("no finalist ran right");
  regret_.best = best->config;
  JudgeModel(swept);
  return RecordSweep(store, swept, finalists);
}

void RegretStudy::JudgeModel(const std::vector<Swept>& swept) {
  std::vector<std::pair<double, const Swept*>> ranked;
  for (const Swept& s : swept) {
    ranked.emplace_back(Predict(problem_, s.config, device_).seconds, &s);
  }
  std::stable_sort(
      ranked.begin(), ranked.end(),
      [](const auto& x, const auto& y) { return x.first < y.first; });
  double of_top = 0, of_families = 0;
  int top = 0;
  std::set<std::string> families;
  const auto take = [](const Swept& s, double* best) {
    if (s.level_ns > 0 && (*best == 0 || s.level_ns < *best)) {
      *best = s.level_ns;
    }
  };
  for (const auto& [seconds, s] : ranked) {
    if (top++ < kModelChoices) take(*s, &of_top);
    if (families.size() == kModelChoices) continue;
    if (families.insert(FamilyOf(s->config)).second) take(*s, &of_families);
  }
  const double best = swept.front().level_ns;
  const auto loss = [best](double ns) { return ns > 0 ? ns / best - 1 : NAN; };
  regret_.model_first_loss = loss(ranked.front().second->level_ns);
  regret_.model_top8_loss = loss(of_top);
  regret_.model_families8_loss = loss(of_families);
}

absl::Status RegretStudy::RecordSweep(Store* store,
                                      const std::vector<Swept>& swept,
                                      const std::vector<Contender>& finalists) {
  const absl::StatusOr<std::string> run = StartRun(store);
  if (!run.ok()) return run.status();
  Journal journal(store, device_, *run, /*reuse=*/false);
  const absl::Status opened = journal.Open(problem_, policy_, regret_.fallback);
  if (!opened.ok()) return opened;
  std::vector<Journal::Entry> entries;
  for (const Swept& s : swept) {
    entries.push_back({"", s.config, Stage::kScreen, s.trial, {}});
    entries.back().facts.median_ns = s.level_ns;
  }
  for (const Contender& c : finalists) {
    entries.push_back({"", c.config, Stage::kFinal, c.trial, {}});
    entries.back().facts.median_ns = c.level.ns;
  }
  return journal.RecordAll(entries);
}

absl::Status RegretStudy::CompareAfresh() {
  const Trial prepared = bench_->Prepare(problem_, policy_);
  if (!prepared.ok()) return absl::UnavailableError(prepared.detail);
  const GemmConfig* const configs[] = {&regret_.pick, &regret_.best,
                                       &regret_.fallback};
  std::vector<Contender> contenders;
  for (const GemmConfig* config : configs) {
    const int instance = static_cast<int>(contenders.size());
    contenders.push_back({*config, instance, Trial(), Level()});
  }
  RunRounds(bench_, Stage::kFinal, Search::PairRule(), absl::InfiniteFuture(),
            &contenders);
  for (const Contender& c : contenders) {
    if (!c.trial.ok()) return absl::UnavailableError(c.trial.detail);
  }
  regret_.pick_ns = contenders[0].level.ns;
  regret_.best_ns = contenders[1].level.ns;
  regret_.fallback_ns = contenders[2].level.ns;
  regret_.regret = regret_.pick_ns / regret_.best_ns - 1;
  regret_.against_default = regret_.pick_ns / regret_.fallback_ns - 1;
  return absl::OkStatus();
}

}  // namespace tiletune
