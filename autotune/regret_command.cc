// autotune regret: what the search's shortcuts cost. Each shape is tuned twice,
// with pruning and exhaustively, into two files beside the database; then both
// picks and the default config are timed afresh, in turn.
#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "autotune/commands.h"
#include "autotune/journal.h"
#include "autotune/noise.h"
#include "autotune/paired_rounds.h"
#include "autotune/problems.h"
#include "autotune/search.h"
#include "autotune/session.h"
#include "autotune/text_table.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

// One of the two searches over all problems.
class Side {
 public:
  static absl::StatusOr<Side> Open(const std::string& path, Session* session,
                                   const Search::Options& options) {
    Side side;
    side.bench_ = session->target.bench.get();
    side.device_ = session->target.facts;
    side.options_ = options;
    absl::StatusOr<std::unique_ptr<Store>> store =
        Store::Open(path, Store::Mode::kReadWrite);
    if (!store.ok()) return store.status();
    side.store_ = *std::move(store);
    Run run;
    run.command = "regret";
    absl::StatusOr<std::string> uid = side.store_->StartRun(run);
    if (!uid.ok()) return uid.status();
    side.run_uid_ = *std::move(uid);
    return side;
  }

  // The winner's key.
  absl::StatusOr<std::string> Tune(const GemmProblem& problem,
                                   const MeasurementPolicy& policy) {
    const absl::Time start = absl::Now();
    Journal journal(store_.get(), device_, run_uid_, /*reuse=*/true);
    const absl::StatusOr<SearchReport> report =
        Search(bench_, &journal, options_).Run(problem, policy);
    if (!report.ok()) return report.status();
    seconds_ += absl::ToDoubleSeconds(absl::Now() - start);
    samples_ += report->samples;
    Filter filter;
    filter.device = device_.Fingerprint();
    filter.problem = ProblemKey(problem);
    filter.policy = policy;
    const absl::StatusOr<std::vector<WinnerRow>> rows = store_->Winners(filter);
    if (!rows.ok()) return rows.status();
    if (rows->empty()) return absl::NotFoundError("no winner");
    return rows->front().config;
  }

  double seconds() const { return seconds_; }
  int64_t samples() const { return samples_; }

 private:
  Bench* bench_ = nullptr;
  DeviceFacts device_;
  Search::Options options_;
  std::unique_ptr<Store> store_;
  std::string run_uid_;
  double seconds_ = 0;
  int64_t samples_ = 0;
};

std::string Percent(double value) {
  return absl::StrFormat("%+.2f %%", 100 * value);
}

double Percentile(std::vector<double> values, int percent) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[((values.size() - 1) * percent + 50) / 100];
}

}  // namespace

int RunRegret(const Options& options, const Platform& platform) {
  const absl::StatusOr<std::vector<GemmProblem>> problems = ProblemsOf(options);
  if (!problems.ok()) return Fail(problems.status());
  const absl::StatusOr<std::vector<MeasurementPolicy>> policies =
      PoliciesOf(options);
  if (!policies.ok()) return Fail(policies.status());
  absl::StatusOr<Session> session = OpenTimingSession(options);
  if (!session.ok()) return Fail(session.status());
  Search::Options search;
  search.candidates.kernels = options.kernels;
  search.candidates.include_unproven = options.include_unproven;
  search.runnable = [&](const GemmConfig& c) {
    return platform.is_linked(*c.variant);
  };
  const std::string path = DatabasePath(options);
  absl::StatusOr<Side> pruned = Side::Open(path + ".pruned", &*session, search);
  if (!pruned.ok()) return Fail(pruned.status());
  search.exhaustive = true;
  absl::StatusOr<Side> oracle = Side::Open(path + ".oracle", &*session, search);
  if (!oracle.ok()) return Fail(oracle.status());

  Bench* const bench = session->target.bench.get();
  TextTable table({"problem", "policy", "pick", "oracle's", "time", "regret",
                   "against default"});
  std::vector<double> regrets, gains;
  for (const GemmProblem& problem : *problems) {
    for (const MeasurementPolicy& policy : *policies) {
      const absl::StatusOr<std::string> picks[] = {
          pruned->Tune(problem, policy), oracle->Tune(problem, policy)};
      const absl::StatusOr<GemmConfig> fallback =
          DefaultConfig(problem, session->target.facts);
      if (!fallback.ok()) return Fail(fallback.status());
      std::vector<Contender> contenders;
      for (const absl::StatusOr<std::string>& pick : picks) {
        if (!pick.ok()) return Fail(pick.status());
        const int instance = static_cast<int>(contenders.size());
        contenders.push_back({*ParseConfig(*pick), instance, Trial()});
      }
      contenders.push_back({*fallback, 2, Trial()});
      const Trial prepared = bench->Prepare(problem, policy);
      if (!prepared.ok()) return Fail(absl::UnavailableError(prepared.detail));
      RunRounds(bench, Stage::kFinal, {}, absl::InfiniteFuture(), &contenders);
      double ns[3];
      for (int i = 0; i < 3; ++i) {
        if (!contenders[i].trial.ok()) {
          return Fail(absl::UnavailableError(contenders[i].trial.detail));
        }
        ns[i] = Median(contenders[i].trial.samples_ns);
      }
      regrets.push_back(ns[0] / ns[1] - 1);
      gains.push_back(ns[0] / ns[2] - 1);
      table.Add({ProblemKey(problem), PolicyKey(policy), *picks[0], *picks[1],
                 FormatTime(ns[0]), Percent(regrets.back()),
                 Percent(gains.back())});
      std::fprintf(stderr, "[%zu] %s: %s\n", regrets.size(),
                   ProblemKey(problem).c_str(),
                   Percent(regrets.back()).c_str());
    }
  }
  std::printf("%s", table.ToString().c_str());
  std::printf(
      "regret: median %s, 95th %s, worst %s; slowest against the default %s\n",
      Percent(Percentile(regrets, 50)).c_str(),
      Percent(Percentile(regrets, 95)).c_str(),
      Percent(Percentile(regrets, 100)).c_str(),
      Percent(Percentile(gains, 100)).c_str());
  // Of a resumed study these are of what was measured now.
  std::printf("search: %.1f s and %lld samples, exhaustive %.1f s and %lld\n",
              pruned->seconds(), static_cast<long long>(pruned->samples()),
              oracle->seconds(), static_cast<long long>(oracle->samples()));
  return 0;
}

}  // namespace tiletune
