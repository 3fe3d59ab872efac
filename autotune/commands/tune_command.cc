// autotune tune: measured on silicon, predicted on a modelled device.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autotune/command_line/problems.h"
#include "autotune/command_line/shard.h"
#include "autotune/commands/commands.h"
#include "autotune/commands/progress.h"
#include "autotune/commands/remarks.h"
#include "autotune/commands/report.h"
#include "autotune/commands/session.h"
#include "autotune/commands/version.h"
#include "autotune/measure/steady_now.h"
#include "autotune/search/batch_invariant.h"
#include "autotune/search/journal.h"
#include "autotune/search/log_order.h"
#include "autotune/search/model_tuner.h"
#include "autotune/search/search.h"
#include "autotune/store/path.h"
#include "kernels/glob.h"
#include "kernels/variant.h"

namespace tiletune {
namespace {

// One problem under one policy.
struct Job {
  GemmProblem problem;
  MeasurementPolicy policy;
};

std::string Describe(const Job& job) {
  return absl::StrCat(ProblemKey(job.problem), " (", PolicyKey(job.policy),
                      ")");
}

std::string HostName() {
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "";
}

std::string Summary(const SearchReport& r) {
  std::string text = absl::StrCat(r.measured, " timed, ", r.reused, " known, ",
                                  r.rejected, " rejected of ", r.legal);
  if (r.pruning_loss.has_value()) {
    absl::StrAppend(&text, absl::StrFormat(", pruning would have lost %.2f %%",
                                           100 * *r.pruning_loss));
  }
  if (r.out_of_time) absl::StrAppend(&text, ", out of time");
  return text;
}

// Tunes every job; a job that fails is reported and the others go on.
class MeasuredTune {
 public:
  MeasuredTune(const Options& options, const Platform& platform, Target* target,
               Store* store)
      : options_(options),
        platform_(platform),
        target_(*target),
        store_(*store) {}

  absl::Status Run(const std::vector<Job>& jobs) {
    RunRecord run;
    run.host = HostName();
    run.command = "tune";
    run.tool_version = ToolVersion();
    absl::StatusOr<std::string> uid = store_.StartRun(run);
    if (!uid.ok()) return uid.status();
    Journal journal(&store_, target_.facts, *uid, !options_.remeasure);
    Progress progress(stderr, static_cast<int>(jobs.size()));
    const absl::Time start = SteadyNow();
    for (size_t i = 0; i < jobs.size(); ++i) {
      Search::Options search_options = SearchOptions(&progress);
      if (options_.budget_seconds > 0) {
        // What is left, shared evenly: an early finisher leaves more.
        const absl::Duration left =
            start + absl::Seconds(options_.budget_seconds) - SteadyNow();
        if (left <= absl::ZeroDuration()) {
          not_reached_ = static_cast<int>(jobs.size() - i);
          break;
        }
        search_options.budget = left / (jobs.size() - i);
      }
      progress.Begin(Describe(jobs[i]));
      if (options_.batch_invariant) {
        const absl::StatusOr<InvariantCandidates> candidates =
            InvariantCandidatesOf(jobs[i].problem, target_.facts,
                                  platform_.is_linked);
        if (!candidates.ok()) {
          ++failed_;
          progress.End(std::string(candidates.status().message()));
          continue;
        }
        search_options.runnable = candidates->allows;
      }
      Search search(target_.bench.get(), &journal, search_options);
      const absl::StatusOr<SearchReport> report =
          search.Run(jobs[i].problem, jobs[i].policy);
      if (report.ok()) {
        progress.End(Summary(*report));
        continue;
      }
      if (!absl::IsNotFound(report.status()) &&
          !absl::IsUnavailable(report.status())) {
        return report.status();
      }
      std::error_code ignored;
      if (!std::filesystem::exists(store_.path(), ignored)) {
        return absl::DataLossError(
            absl::StrCat(store_.path(), " was deleted meanwhile: start again"));
      }
      ++failed_;
      progress.End(std::string(report.status().message()));
    }
    return absl::OkStatus();
  }

  int failed() const { return failed_; }
  // For which the budget left no time at all.
  int not_reached() const { return not_reached_; }

 private:
  using RunRecord = ::tiletune::Run;

  Search::Options SearchOptions(Progress* progress) const {
    Search::Options o;
    o.candidates.kernels = options_.kernels;
    o.candidates.include_unproven = options_.include_unproven;
    o.exhaustive = options_.exhaustive;
    o.progress = [progress](const SearchProgress& p) { progress->Update(p); };
    o.runnable = [is_linked = platform_.is_linked](const GemmConfig& c) {
      return is_linked(*c.variant);
    };
    return o;
  }

  const Options& options_;
  const Platform& platform_;
  Target& target_;
  Store& store_;
  int failed_ = 0;
  int not_reached_ = 0;
};

int Measure(const Options& options, const Platform& platform, Target* target,
            Store* store, const std::vector<Job>& jobs) {
  MeasuredTune tune(options, platform, target, store);
  const absl::Status status = tune.Run(jobs);
  if (!status.ok()) return Fail(status);
  if (tune.not_reached() > 0) {
    std::fprintf(stderr,
                 "autotune: --budget is spent: %d of %zu were not begun\n",
                 tune.not_reached(), jobs.size());
  }
  std::vector<WinnerRow> rows;
  for (const Job& job : jobs) {
    Filter filter;
    filter.device = target->facts.Fingerprint();
    filter.problem = ProblemKey(job.problem);
    filter.policy = job.policy;
    const absl::StatusOr<std::vector<WinnerRow>> winners =
        store->Winners(filter);
    if (!winners.ok()) return Fail(winners.status());
    rows.insert(rows.end(), winners->begin(), winners->end());
  }
  Filter here;
  here.device = target->facts.Fingerprint();
  const absl::StatusOr<Remarks> remarks = Remarks::Of(*store, here);
  if (!remarks.ok()) return Fail(remarks.status());
  std::printf("%s%s",
              WinnerTable(rows, DeviceColumn::kLeftOut, *remarks).c_str(),
              SupplyFlips(rows).c_str());
  remarks->Say();
  return tune.failed() == 0 ? 0 : kFailed;
}

// What is asked of timing, of a device on which nothing is timed.
absl::Status CheckFlagsOfModel(const Options& options, const Target& target) {
  for (const char* name :
       {"policy", "budget", "timeout", "exhaustive", "batch-invariant"}) {
    if (options.given.count(name) == 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--", name, " says how to time kernels, and ",
                     target.facts.name, " is a modelled device",
                     target.no_gpu.empty() ? "" : " (no CUDA device here)",
                     ": leave it out"));
  }
  return absl::OkStatus();
}

int Model(const Options& options, const Target& target, Store* store,
          const std::vector<Job>& jobs) {
  std::vector<PredictedRow> rows;
  int failed = 0;
  for (const Job& job : jobs) {
    const absl::StatusOr<PredictedRow> row =
        PredictWinner(job.problem, target.facts, options.kernels, store);
    if (row.ok()) {
      rows.push_back(*row);
    } else if (absl::IsNotFound(row.status())) {
      ++failed;
      std::fprintf(stderr, "%s: %s\n", ProblemKey(job.problem).c_str(),
                   std::string(row.status().message()).c_str());
    } else {
      return Fail(row.status());
    }
  }
  std::fputs(PredictionTable(rows, DeviceColumn::kLeftOut).c_str(), stdout);
  if (options.kernels != Options().kernels) {
    std::printf("Not stored, as --kernels left kernels out.\n");
  }
  return failed == 0 ? 0 : kFailed;
}

bool NamesAKernel(const std::string& glob) {
  const std::vector<KernelVariant>& variants = Variants();
  return std::any_of(
      variants.begin(), variants.end(),
      [&](const KernelVariant& v) { return GlobMatches(glob, v.name); });
}

}  // namespace

int RunTune(const Options& options, const Platform& platform) {
  if (!NamesAKernel(options.kernels)) {
    Fail(absl::InvalidArgumentError(
        absl::StrCat("--kernels: no kernel is called \"", options.kernels,
                     "\"; `autotune explain --shape=MxNxK` names those that "
                     "come first for a shape, and * stands for any part of a "
                     "name")));
    return kUsage;
  }
  LaunchCounts launches;
  absl::StatusOr<std::vector<GemmProblem>> problems =
      ProblemsOf(options, &launches);
  if (!problems.ok()) {
    Fail(problems.status());
    return kUsage;
  }
  const absl::StatusOr<std::vector<MeasurementPolicy>> policies =
      PoliciesOf(options);
  if (!policies.ok()) return Fail(policies.status());
  absl::StatusOr<Session> session = OpenSession(options);
  if (!session.ok()) return Fail(session.status());
  Target* const target = &session->target;
  const bool modelled = target->facts.modelled;
  // A log has an order of its own, by what its problems cost in all.
  problems = options.from_log.empty()
                 ? DearestFirst(*std::move(problems))
                 : MostTimeFirst(*problems, launches, target->facts);
  if (modelled) {
    const absl::Status flags = CheckFlagsOfModel(options, *target);
    if (!flags.ok()) return Fail(flags);
  }
  std::error_code ignored;
  const bool is_new = !std::filesystem::exists(DatabasePath(options), ignored);
  absl::StatusOr<std::unique_ptr<Store>> store =
      OpenStore(options, Store::Mode::kReadWrite);
  if (!store.ok()) return Fail(store.status());

  std::vector<Job> jobs;
  for (const GemmProblem& problem : *problems) {
    for (const MeasurementPolicy& policy : *policies) {
      jobs.push_back({problem, policy});
      if (modelled) break;  // the model knows no policies
    }
  }
  if (!target->note.empty()) std::printf("%s\n", target->note.c_str());
  std::printf("device    %s (%s)\ndatabase  %s%s\n", target->facts.name.c_str(),
              target->facts.Fingerprint().c_str(), (*store)->path().c_str(),
              is_new ? " (new)" : "");
  if (OnNetworkFilesystem((*store)->path())) {
    std::fprintf(stderr,
                 "autotune: the database is on a network file system, where "
                 "SQLite's locks may fail: let one process write it\n");
  }
  if (jobs.empty()) {
    std::printf("Shard %d of %d is empty: there are fewer problems.\n",
                options.shard, options.shards);
    return 0;
  }
  std::fflush(stdout);
  return modelled ? Model(options, *target, store->get(), jobs)
                  : Measure(options, platform, target, store->get(), jobs);
}

}  // namespace tiletune
