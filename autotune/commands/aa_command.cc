// autotune aa: one kernel under two names. What it differs from itself by is
// the least difference that means anything between two kernels.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autotune/commands/asked.h"
#include "autotune/commands/commands.h"
#include "autotune/commands/text_table.h"
#include "autotune/measure/noise.h"
#include "autotune/measure/paired_rounds.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

// The bar of issue 5.
constexpr double kBar = 0.005;

// |a / b - 1| of each trial, sorted.
using Differences = std::vector<double>;

double Share(const Differences& differences, double limit) {
  if (differences.empty()) return 0;
  return static_cast<double>(
             std::upper_bound(differences.begin(), differences.end(), limit) -
             differences.begin()) /
         differences.size();
}

std::string Percent(double value) {
  return absl::StrFormat("%.3f %%", 100 * value);
}

absl::StatusOr<Differences> Compare(Bench* bench, const GemmConfig& config,
                                    int trials, double* median_ns) {
  Differences differences;
  for (int i = 0; i < trials; ++i) {
    std::vector<Contender> pair = {{config, 2 * i, Trial()},
                                   {config, 2 * i + 1, Trial()}};
    RoundsRule rule;
    rule.hopeless = 0;
    RunRounds(bench, Stage::kFinal, rule, absl::InfiniteFuture(), &pair);
    for (const Contender& c : pair) {
      if (!c.trial.ok()) return absl::UnavailableError(c.trial.detail);
    }
    differences.push_back(std::abs(pair[0].level.ns / pair[1].level.ns - 1));
    *median_ns = pair[1].level.ns;
  }
  std::sort(differences.begin(), differences.end());
  return differences;
}

// The config to compare with itself: the default one, or the first that
// --kernels names.
absl::StatusOr<GemmConfig> ConfigOf(const GemmProblem& problem,
                                    const Options& options,
                                    const DeviceFacts& device) {
  if (options.kernels == "*") return DefaultConfig(problem, device);
  CandidateOptions candidates;
  candidates.kernels = options.kernels;
  candidates.include_unproven = true;
  const std::vector<GemmConfig> configs =
      LegalConfigs(problem, device, candidates);
  // The first is the default, whatever it is called.
  if (configs.size() < 2) {
    return absl::NotFoundError(
        absl::StrCat("no kernel called ", options.kernels, " can run this"));
  }
  return configs[1];
}

}  // namespace

int RunSelfComparison(const Options& options) {
  absl::StatusOr<AskedToTime> asked = OpenToTime(options);
  if (!asked.ok()) return Fail(asked.status());
  Target& target = asked->session.target;
  Bench* const bench = target.bench.get();
  TextTable table({"problem", "policy", "config", "time", "median", "95th",
                   "worst", absl::StrCat("within ", Percent(kBar))});
  Differences all;
  for (const GemmProblem& problem : asked->problems) {
    const absl::StatusOr<GemmConfig> config =
        ConfigOf(problem, options, target.facts);
    if (!config.ok()) return Fail(config.status());
    for (const MeasurementPolicy& policy : asked->policies) {
      const Trial prepared = bench->Prepare(problem, policy);
      const Trial checked =
          prepared.ok() ? bench->Check(*config, /*repeats=*/1) : prepared;
      if (!checked.ok()) return Fail(absl::UnavailableError(checked.detail));
      double ns = 0;
      const absl::StatusOr<Differences> differences =
          Compare(bench, *config, options.trials, &ns);
      if (!differences.ok()) return Fail(differences.status());
      all.insert(all.end(), differences->begin(), differences->end());
      table.Add({ProblemKey(problem), PolicyKey(policy), ConfigKey(*config),
                 FormatTime(ns), Percent(Percentile(*differences, 50)),
                 Percent(Percentile(*differences, 95)),
                 Percent(differences->back()),
                 absl::StrFormat("%.0f %%", 100 * Share(*differences, kBar))});
    }
  }
  std::sort(all.begin(), all.end());
  std::printf("One kernel under two names on %s (%s), %d trials a row\n%s",
              target.facts.name.c_str(), target.facts.Fingerprint().c_str(),
              options.trials, table.ToString().c_str());
  std::printf("%.1f %% of %zu trials differ by %s or less\n",
              100 * Share(all, kBar), all.size(), Percent(kBar).c_str());
  return 0;
}

}  // namespace tiletune
