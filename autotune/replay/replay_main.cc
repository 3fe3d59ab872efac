// replay: see README.md.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "autotune/command_line/status_main.h"
#include "autotune/measure/noise.h"
#include "autotune/replay/replay_bench.h"
#include "autotune/search/journal.h"
#include "autotune/search/search.h"
#include "autotune/store/memory_folder.h"
#include "autotune/study/agreement.h"
#include "autotune/study/sweep.h"
#include "kernels/user_path.h"

ABSL_FLAG(std::string, swept, "", "DB.oracle of autotune regret");
ABSL_FLAG(int, pairs, 4, "pairs of tunes a shape");
ABSL_FLAG(std::vector<std::string>, offsets,
          std::vector<std::string>({"1", "8"}),
          "the swizzle offsets of the sweep");

namespace tiletune {
namespace {

struct Totals {
  int pairs = 0, same = 0, tied = 0;
  double search_ns = 0, sweep_ns = 0;
  std::vector<double> regrets;
};

class Replay {
 public:
  explicit Replay(const SweepRecord& record) : record_(record) {}

  absl::Status Run(const GemmProblem& problem, int pair) {
    std::unique_ptr<Store> stores[2];
    for (int run : {0, 1}) {
      absl::StatusOr<std::unique_ptr<Store>> made =
          Tune(problem, 2 * pair + run);
      if (!made.ok()) return made.status();
      stores[run] = *std::move(made);
    }
    const auto agreement = Compare(*stores[0], *stores[1]);
    if (!agreement.ok()) return agreement.status();
    ++totals_.pairs;
    totals_.same += agreement->same;
    totals_.tied += agreement->tied;
    for (const ShapeAgreement& s : agreement->shapes) {
      if (s.kind != AgreementKind::kDiffer) continue;
      std::printf("differ: %s: %s or %s\n", s.problem.c_str(), s.one.c_str(),
                  s.other.c_str());
    }
    return absl::OkStatus();
  }

  const Totals& totals() const { return totals_; }

 private:
  absl::StatusOr<std::unique_ptr<Store>> Tune(const GemmProblem& problem,
                                              int process) {
    absl::StatusOr<std::unique_ptr<Store>> store = Store::Open(
        folder_.File(absl::StrCat(++stores_, ".db")), Store::Mode::kReadWrite);
    if (!store.ok()) return store.status();
    ReplayBench bench(&record_, process);
    bench.Prepare(problem, {});
    Journal journal(store->get(), record_.device(), "run", /*reuse=*/false);
    Search::Options options;
    options.candidates.offsets.clear();
    for (const std::string& offset : absl::GetFlag(FLAGS_offsets)) {
      options.candidates.offsets.push_back(std::stoi(offset));
    }
    options.runnable = [&](const GemmConfig& c) { return bench.Knows(c); };
    const absl::StatusOr<SearchReport> report =
        Search(&bench, &journal, options).Run(problem, {});
    if (!report.ok()) return report.status();
    totals_.search_ns += bench.gpu_ns();
    const auto winners = (*store)->Winners({});
    if (!winners.ok()) return winners.status();
    Judge(problem, winners->front().config);
    return store;
  }

  // The regret of a choice, and what the sweep would have cost.
  void Judge(const GemmProblem& problem, const std::string& choice) {
    const auto& times = record_.TimesOf(problem);
    double best = std::numeric_limits<double>::infinity();
    ReplayBench bench(&record_, 0);
    bench.Prepare(problem, {});
    for (const auto& [key, ns] : times) best = std::min(best, ns);
    for (const auto& [key, ns] : times) {
      const absl::StatusOr<GemmConfig> config = ParseConfig(key);
      if (!config.ok()) continue;
      bench.Check(*config, 1);
      const bool hopeless = ns > SweepOptions().hopeless * best;
      const int samples = hopeless ? 1 : SweepOptions().passes;
      bench.Time({*config, Stage::kScreen, 0, samples});
    }
    totals_.sweep_ns += bench.gpu_ns();
    const double regret = times.at(choice) / best - 1;
    totals_.regrets.push_back(regret);
    if (regret > 0.02) {
      std::printf("regret %.2f %%: %s: %s\n", 100 * regret,
                  ProblemKey(problem).c_str(), choice.c_str());
    }
  }

  const SweepRecord& record_;
  MemoryFolder folder_;
  int stores_ = 0;
  Totals totals_;
};

absl::Status Main() {
  if (absl::GetFlag(FLAGS_swept).empty()) {
    return absl::InvalidArgumentError(
        "--swept=DB.oracle is missing: what autotune regret --db=DB wrote");
  }
  const auto swept =
      Store::Open(UserPath(absl::GetFlag(FLAGS_swept)), Store::Mode::kReadOnly);
  if (!swept.ok()) return swept.status();
  const absl::StatusOr<SweepRecord> record = SweepRecord::Read(**swept);
  if (!record.ok()) return record.status();
  Replay replay(*record);
  for (const GemmProblem& problem : record->problems()) {
    for (int pair = 0; pair < absl::GetFlag(FLAGS_pairs); ++pair) {
      const absl::Status status = replay.Run(problem, pair);
      if (!status.ok()) {
        std::fprintf(stderr, "%s: %s\n", ProblemKey(problem).c_str(),
                     std::string(status.message()).c_str());
        break;
      }
    }
  }
  const Totals& t = replay.totals();
  if (t.pairs == 0) return absl::NotFoundError("nothing was replayed");
  const auto at = [&](int percent) {
    return 100 * Percentile(t.regrets, percent);
  };
  std::printf(
      "%d pairs of tunes: %.1f %% the same winner, %.1f %% agree\n"
      "regret: median %.2f %%, 95th %.2f %%, worst %.2f %%\n"
      "GPU: %.2f s a tune, %.1f %% of the sweep\n",
      t.pairs, 100.0 * t.same / t.pairs, 100.0 * (t.same + t.tied) / t.pairs,
      at(50), at(95), at(100), t.search_ns * 0.5e-9 / t.pairs,
      100 * t.search_ns / t.sweep_ns);
  return absl::OkStatus();
}

}  // namespace
}  // namespace tiletune

int main(int argc, char** argv) {
  return tiletune::StatusMain(argc, argv, tiletune::Main);
}
