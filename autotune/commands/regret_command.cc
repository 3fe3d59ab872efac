// autotune regret: what the search's shortcuts cost, over many shapes
// (regret_study.h). What the search measured goes to DB.pruned, what the sweep
// did to DB.oracle.
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autotune/commands/asked.h"
#include "autotune/commands/commands.h"
#include "autotune/commands/output_file.h"
#include "autotune/commands/text_table.h"
#include "autotune/measure/noise.h"
#include "autotune/measure/steady_now.h"
#include "autotune/study/regret_study.h"
#include "kernels/user_path.h"

namespace tiletune {
namespace {

std::string Percent(double value) {
  return absl::StrFormat("%+.2f %%", 100 * value);
}

// "median +0.10 %, 95th +1.20 %, worst +2.00 %" of one field of the rows.
std::string Spread(const std::vector<Regret>& rows, double Regret::*field) {
  std::vector<double> values;
  for (const Regret& row : rows) values.push_back(row.*field);
  const auto at = [&](int percent) {
    return Percent(Percentile(values, percent));
  };
  return absl::StrCat("median ", at(50), ", 95th ", at(95), ", worst ",
                      at(100));
}

double Sum(const std::vector<Regret>& rows, double Regret::*field) {
  double sum = 0;
  for (const Regret& row : rows) sum += row.*field;
  return sum;
}

constexpr char kCsvHeader[] =
    "problem,policy,pick,best,default,pick_ns,best_ns,default_ns,regret,"
    "against_default,search_seconds,sweep_seconds,search_candidates,"
    "sweep_candidates,model_first_loss,model_top8_loss,model_families8_loss\n";

std::string CsvLine(const GemmProblem& problem, const MeasurementPolicy& policy,
                    const Regret& r) {
  return absl::StrCat(
      absl::StrFormat("\"%s\",%s,\"%s\",\"%s\",\"%s\",", ProblemKey(problem),
                      PolicyKey(policy), ConfigKey(r.pick), ConfigKey(r.best),
                      ConfigKey(r.fallback)),
      absl::StrFormat("%.1f,%.1f,%.1f,%.5f,%.5f,", r.pick_ns, r.best_ns,
                      r.fallback_ns, r.regret, r.against_default),
      absl::StrFormat("%.3f,%.3f,%d,%d,", r.search_seconds, r.sweep_seconds,
                      r.search_candidates, r.sweep_candidates),
      absl::StrFormat("%.5f,%.5f,%.5f\n", r.model_first_loss, r.model_top8_loss,
                      r.model_families8_loss));
}

void PrintSummary(const std::vector<Regret>& rows) {
  const double search = Sum(rows, &Regret::search_seconds);
  const double sweep = Sum(rows, &Regret::sweep_seconds);
  std::printf("%zu shapes\n", rows.size());
  if (rows.empty()) return;
  std::printf("regret: %s\n", Spread(rows, &Regret::regret).c_str());
  std::printf("against the default config: %s\n",
              Spread(rows, &Regret::against_default).c_str());
  std::printf(
      "search: %.1f s, sweep: %.1f s of the GPU: %.1f %%\n"
      "the model's first choice in the sweep: %s\n"
      "the best of its first 8: %s\n"
      "the best of its first 8 families: %s\n",
      search, sweep, 100 * search / sweep,
      Spread(rows, &Regret::model_first_loss).c_str(),
      Spread(rows, &Regret::model_top8_loss).c_str(),
      Spread(rows, &Regret::model_families8_loss).c_str());
}

absl::StatusOr<std::unique_ptr<Store>> OpenSide(const Options& options,
                                                const char* side) {
  return OpenFile(absl::StrCat(DatabasePath(options), side),
                  Store::Mode::kReadWrite, FolderOf(options));
}

}  // namespace

int RunRegret(const Options& options, const Platform& platform) {
  absl::StatusOr<AskedToTime> asked = OpenToTime(options);
  if (!asked.ok()) return Fail(asked.status());
  Target& target = asked->session.target;
  const auto tuned = OpenSide(options, ".pruned");
  if (!tuned.ok()) return Fail(tuned.status());
  const auto swept = OpenSide(options, ".oracle");
  if (!swept.ok()) return Fail(swept.status());
  const std::string output = UserPath(options.output);
  std::ofstream csv;
  if (!output.empty()) {
    absl::StatusOr<std::ofstream> opened = OpenOutput(output);
    if (!opened.ok()) return Fail(opened.status());
    csv = *std::move(opened);
    csv << kCsvHeader;
  }

  RegretStudy::Options study_options;
  study_options.search.candidates.kernels = options.kernels;
  study_options.search.candidates.include_unproven = options.include_unproven;
  study_options.search.runnable = [&](const GemmConfig& c) {
    return platform.is_linked(*c.variant);
  };
  study_options.offsets = options.offsets;
  RegretStudy study(target.bench.get(), target.facts, study_options);
  TextTable table({"problem", "policy", "pick", "sweep's best", "time",
                   "regret", "against default"});
  std::vector<Regret> rows;
  const absl::Time start = SteadyNow();
  for (const GemmProblem& problem : asked->problems) {
    for (const MeasurementPolicy& policy : asked->policies) {
      if (options.budget_seconds > 0 &&
          SteadyNow() - start > absl::Seconds(options.budget_seconds)) {
        break;
      }
      const absl::StatusOr<Regret> r =
          study.Run(problem, policy, tuned->get(), swept->get());
      if (!r.ok()) {
        std::fprintf(stderr, "%s: %s\n", ProblemKey(problem).c_str(),
                     std::string(r.status().message()).c_str());
        continue;
      }
      rows.push_back(*r);
      csv << CsvLine(problem, policy, *r) << std::flush;
      table.Add({ProblemKey(problem), PolicyKey(policy), ConfigKey(r->pick),
                 ConfigKey(r->best), FormatTime(r->pick_ns), Percent(r->regret),
                 Percent(r->against_default)});
      std::fprintf(stderr, "[%zu/%zu] %s: %s, %.2f s against %.2f s\n",
                   rows.size(), asked->problems.size() * asked->policies.size(),
                   ProblemKey(problem).c_str(), Percent(r->regret).c_str(),
                   r->search_seconds, r->sweep_seconds);
    }
  }
  std::fputs(table.ToString().c_str(), stdout);
  PrintSummary(rows);
  if (!output.empty()) {
    const absl::Status written = CloseOutput(output, &csv);
    if (!written.ok()) return Fail(written);
  }
  return rows.empty() ? kFailed : 0;
}

}  // namespace tiletune
