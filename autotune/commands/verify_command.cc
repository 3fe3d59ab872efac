// autotune verify: does what is stored still hold? A sample of the winners is
// timed again beside the default config. What comes of it marks rows, and is
// not ranked: the ranking compares times of one clock, and this is another.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autotune/command_line/problem_flags.h"
#include "autotune/command_line/problems.h"
#include "autotune/commands/commands.h"
#include "autotune/commands/remarks.h"
#include "autotune/commands/session.h"
#include "autotune/commands/text_table.h"
#include "autotune/commands/version.h"
#include "autotune/measure/paired_rounds.h"
#include "autotune/measure/steady_now.h"
#include "autotune/search/journal.h"
#include "autotune/search/search.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

// A winner whose time relative to the default config's grew by more than this,
// and by more than twice the tie width, is stale. Times alone say little: at
// its power limit a GPU that was busy before takes a tenth longer or more for
// everything.
constexpr double kDrift = 0.03;
// One that takes so much longer than it did is stale whatever the reason.
constexpr double kSlowdown = 0.25;

// The bar of issue 5: no winner may be that much slower than the default.
constexpr double kSlower = 0.02;

// Every n-th row, so that `share` of them remain; at least one.
std::vector<WinnerRow> SampleOf(const std::vector<WinnerRow>& rows,
                                double share) {
  std::vector<WinnerRow> sample;
  double due = 1;
  for (const WinnerRow& row : rows) {
    if (due >= 1) {
      sample.push_back(row);
      due -= 1;
    }
    due += share;
  }
  return sample;
}

// How much slower the winner is; 0 where it is the default or that failed.
double AgainstDefault(const std::vector<Contender>& pair) {
  if (pair.size() < 2 || !pair[0].trial.ok() || !pair[1].trial.ok()) return 0;
  return pair[0].level.ns / pair[1].level.ns - 1;
}

// How much of its gain over the default config the winner has lost; 0 where
// either is not known. `then`: the default config's time beside `row`.
double LostAgainstDefault(const WinnerRow& row, std::optional<double> then,
                          const std::vector<Contender>& pair) {
  if (pair.size() < 2 || !pair[1].trial.ok() || !then.has_value()) return 0;
  return (1 + AgainstDefault(pair)) / (row.median_ns / *then) - 1;
}

// What `fallback` took in the run that `winner` was timed in: times of two runs
// are of two clocks. Nothing if that run, or this build of it, was another.
std::optional<double> TimeBeside(const WinnerRow& winner,
                                 const GemmConfig& fallback,
                                 const std::vector<Measurement>& rows) {
  const auto won = std::find_if(
      rows.begin(), rows.end(),
      [&](const Measurement& m) { return m.uid == winner.measurement_uid; });
  if (won == rows.end()) return std::nullopt;
  std::optional<double> ns;
  for (const Measurement& m : rows) {  // the newest last
    if (m.run_uid == won->run_uid && m.stage == won->stage &&
        m.outcome == Outcome::kOk && m.config.key == ConfigKey(fallback) &&
        m.config.build == fallback.variant->build_fingerprint) {
      ns = m.median_ns;
    }
  }
  return ns;
}

struct Verdict {
  std::string text;
  bool stale = false;
};

// `pair`: the winner, then the default config unless it is the winner, which
// took `then` beside the winner.
Verdict Judge(const WinnerRow& row, std::optional<double> then,
              const std::vector<Contender>& pair) {
  const Trial& winner = pair.front().trial;
  if (!winner.ok()) {
    return {
        absl::StrCat(std::string(Name(winner.outcome)), ": ", winner.detail),
        true};
  }
  const double drift = pair.front().level.ns / row.median_ns - 1;
  const double tie = std::max(row.noise, TieWidths(pair, 0).front());
  if (drift > kSlowdown) {
    return {absl::StrFormat("stale: %+.1f %% since", 100 * drift), true};
  }
  const double lost = LostAgainstDefault(row, then, pair);
  if (lost > std::max(kDrift, 2 * tie)) {
    return {absl::StrFormat("stale: %+.1f %% against the default config since",
                            100 * lost),
            true};
  }
  if (AgainstDefault(pair) > tie) {
    return {"stale: slower than the default config", true};
  }
  return {absl::StrFormat("holds (%+.1f %%)", 100 * drift), false};
}

class Verification {
 public:
  Verification(const Options& options, Session* session, Store* store)
      : options_(options), session_(*session), store_(*store) {}

  // Winners that need no timing: they cannot be true. Takes them from `rows`.
  absl::Status TakeImpossible(std::vector<WinnerRow>* rows) {
    const absl::StatusOr<Remarks> remarks = Remarks::Of(store_, {});
    if (!remarks.ok()) return remarks.status();
    std::vector<WinnerRow> possible;
    for (WinnerRow& row : *rows) {
      const std::string why =
          remarks->WhyImpossible(row.device, row.problem, row.config);
      if (why.empty()) {
        possible.push_back(std::move(row));
        continue;
      }
      ++impossible_;
      table_.Add({row.problem, PolicyKey(row.policy), row.config,
                  FormatTime(row.median_ns), "", "", "impossible: " + why});
    }
    *rows = std::move(possible);
    return absl::OkStatus();
  }

  absl::Status Run(const std::vector<WinnerRow>& rows) {
    ::tiletune::Run run;
    run.command = "verify";
    run.tool_version = ToolVersion();
    absl::StatusOr<std::string> uid = store_.StartRun(run);
    if (!uid.ok()) return uid.status();
    run_uid_ = *std::move(uid);
    const absl::Time start = SteadyNow();
    for (const WinnerRow& row : rows) {
      if (options_.budget_seconds > 0 &&
          SteadyNow() - start > absl::Seconds(options_.budget_seconds)) {
        break;
      }
      const absl::Status status = Verify(row);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  const TextTable& table() const { return table_; }
  int stale() const { return stale_; }
  int impossible() const { return impossible_; }
  double worst_against_default() const { return worst_against_default_; }
  int slower_than_default() const { return slower_than_default_; }

 private:
  absl::Status Verify(const WinnerRow& row) {
    const absl::StatusOr<GemmProblem> problem = ParseProblemKey(row.problem);
    const absl::StatusOr<GemmConfig> config = ParseConfig(row.config);
    if (!problem.ok() || !config.ok()) {
      table_.Add({row.problem, PolicyKey(row.policy), row.config, "", "", "",
                  "not checked: of a newer autotune"});
      return absl::OkStatus();
    }
    const DeviceFacts& device = session_.target.facts;
    const absl::StatusOr<GemmConfig> fallback = DefaultConfig(*problem, device);
    if (!fallback.ok()) return fallback.status();
    const bool is_default = *fallback == *config;
    Bench* const bench = session_.target.bench.get();
    const Trial prepared = bench->Prepare(*problem, row.policy);
    if (!prepared.ok()) {
      table_.Add({row.problem, PolicyKey(row.policy), row.config, "", "", "",
                  "not checked: " + prepared.detail});
      return absl::OkStatus();
    }
    Filter group;
    group.device = device.Fingerprint();
    group.problem = row.problem;
    group.policy = row.policy;
    const absl::StatusOr<std::vector<Measurement>> rows =
        store_.Measurements(group);
    if (!rows.ok()) return rows.status();
    Journal journal(&store_, device, run_uid_, /*reuse=*/false);
    absl::Status status = journal.Open(*problem, row.policy, *fallback);
    if (!status.ok()) return status;
    std::vector<Contender> pair = {{*config}};
    if (!is_default) pair.push_back({*fallback});
    std::vector<std::string> uids;
    for (Contender& c : pair) {
      const absl::StatusOr<std::string> uid = journal.Started(c.config);
      if (!uid.ok()) return uid.status();
      uids.push_back(*uid);
      const bool dynamic = c.config.variant->supply != SupplyKind::kStatic;
      c.trial = bench->Check(c.config, dynamic ? kSoakRepeats : 1);
    }
    RunRounds(bench, Stage::kFinal, Search::PairRule(), absl::InfiniteFuture(),
              &pair);
    const Verdict verdict = Judge(row, TimeBeside(row, *fallback, *rows), pair);
    worst_against_default_ =
        std::max(worst_against_default_, AgainstDefault(pair));
    slower_than_default_ += AgainstDefault(pair) > kSlower ? 1 : 0;
    if (verdict.stale) {
      ++stale_;
      status = store_.MarkMeasurement(row.measurement_uid, Mark::kStale,
                                      verdict.text);
      if (!status.ok()) return status;
    }
    for (size_t i = 0; i < pair.size(); ++i) {
      const Contender& c = pair[i];
      // A failure is true at any clock, and bars the config.
      status = c.trial.ok() ? store_.EndAttempt(uids[i])
                            : journal.Record(uids[i], c.config, Stage::kFinal,
                                             c.trial, {});
      if (!status.ok()) return status;
    }
    table_.Add({row.problem, PolicyKey(row.policy), row.config,
                FormatTime(row.median_ns), FormatTime(pair.front().level.ns),
                absl::StrFormat("%+.2f %%", 100 * AgainstDefault(pair)),
                verdict.text});
    return absl::OkStatus();
  }

  const Options& options_;
  Session& session_;
  Store& store_;
  std::string run_uid_;
  TextTable table_{{"problem", "policy", "config", "stored", "now",
                    "against default", "verdict"}};
  int stale_ = 0;
  int impossible_ = 0;
  double worst_against_default_ = 0;
  int slower_than_default_ = 0;
};

// Rows that another driver measured may no longer hold.
absl::StatusOr<int> MarkOtherDrivers(const std::vector<WinnerRow>& rows,
                                     const std::string& driver, Store* store) {
  int marked = 0;
  for (const WinnerRow& row : rows) {
    if (row.driver == driver || row.suspect) continue;
    const absl::Status status = store->MarkMeasurement(
        row.measurement_uid, Mark::kSuspect,
        absl::StrCat("measured with driver ", row.driver, ", now ", driver));
    if (!status.ok()) return status;
    ++marked;
  }
  return marked;
}

// The winners that the command line means: those of its shapes, or all.
absl::StatusOr<std::vector<WinnerRow>> RowsOf(const Options& options,
                                              const DeviceFacts& device,
                                              const Store& store) {
  Filter filter;
  filter.device = device.Fingerprint();
  absl::StatusOr<std::vector<WinnerRow>> rows = store.Winners(filter);
  if (!rows.ok()) return rows.status();
  std::set<std::string> wanted;
  if (!options.shapes.empty() || !options.problems.empty()) {
    const absl::StatusOr<std::vector<GemmProblem>> problems =
        ProblemsOf(options);
    if (!problems.ok()) return problems.status();
    for (const GemmProblem& p : *problems) wanted.insert(ProblemKey(p));
  } else {
    const absl::Status unused = CheckNoTypeFlag(options, "stored winners");
    if (!unused.ok()) return unused;
  }
  const absl::StatusOr<std::vector<MeasurementPolicy>> policies =
      PoliciesOf(options);
  if (!policies.ok()) return policies.status();
  const auto other = [&](const WinnerRow& row) {
    const bool policy = options.policies.empty() ||
                        std::find(policies->begin(), policies->end(),
                                  row.policy) != policies->end();
    return !policy || (!wanted.empty() && wanted.count(row.problem) == 0);
  };
  rows->erase(std::remove_if(rows->begin(), rows->end(), other), rows->end());
  return rows;
}

}  // namespace

int RunVerify(const Options& options) {
  absl::StatusOr<Session> session = OpenTimingSession(options);
  if (!session.ok()) return Fail(session.status());
  // Opened to read first: what is not there holds no winner, and is not made.
  const absl::Status there =
      OpenStore(options, Store::Mode::kReadOnly).status();
  if (!there.ok()) return Fail(there);
  const auto store = OpenStore(options, Store::Mode::kReadWrite);
  if (!store.ok()) return Fail(store.status());
  const DeviceFacts& device = session->target.facts;
  absl::StatusOr<std::vector<WinnerRow>> rows =
      RowsOf(options, device, **store);
  if (!rows.ok()) return Fail(rows.status());
  const size_t winners = rows->size();
  Verification verification(options, &*session, store->get());
  absl::Status status = verification.TakeImpossible(&*rows);
  if (!status.ok()) return Fail(status);
  const absl::StatusOr<int> suspects =
      MarkOtherDrivers(*rows, device.driver, store->get());
  if (!suspects.ok()) return Fail(suspects.status());
  const bool named = !options.shapes.empty() || !options.problems.empty();
  status = verification.Run(named ? *rows : SampleOf(*rows, options.sample));
  if (!status.ok()) return Fail(status);
  std::printf("%s%zu winners, %d newly suspect (another driver), %d stale\n",
              verification.table().ToString().c_str(), winners, *suspects,
              verification.stale());
  std::printf(
      "%d more than %.0f %% slower than the default config; worst %+.2f %%\n",
      verification.slower_than_default(), 100 * kSlower,
      100 * verification.worst_against_default());
  if (verification.stale() > 0) {
    std::printf("the next autotune tune takes the stale shapes again\n");
  }
  if (verification.impossible() > 0) {
    std::printf(
        "%d cannot be true: autotune gc --impossible drops their rows\n",
        verification.impossible());
  }
  const bool holds = verification.stale() + verification.impossible() == 0;
  return holds ? 0 : kFailed;
}

}  // namespace tiletune
