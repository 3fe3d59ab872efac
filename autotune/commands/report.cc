#include "autotune/commands/report.h"

#include <map>
#include <set>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autotune/commands/text_table.h"
#include "autotune/store/measurement.h"
#include "kernels/config.h"
#include "kernels/problem.h"

namespace tiletune {
namespace {

double FlopsOf(const std::string& problem) {
  const absl::StatusOr<GemmProblem> p = ParseProblemKey(problem);
  return p.ok() ? Flops(*p) : 0;
}

// "", or that no run has shown the config's kernel right yet.
std::string ProofOf(const std::string& config) {
  const absl::StatusOr<GemmConfig> c = ParseConfig(config);
  return c.ok() && !c->variant->proven ? "unproven kernel" : "";
}

constexpr char kImpossible[] = "impossible";

template <typename AnyRow>
bool IsImpossible(const Remarks& remarks, const AnyRow& row) {
  return !remarks.WhyImpossible(row.device, row.problem, row.config).empty();
}

// The line of `device`, with it in front where it is shown.
std::vector<std::string> Line(DeviceColumn devices, const std::string& device,
                              std::vector<std::string> cells) {
  if (devices == DeviceColumn::kShown) cells.insert(cells.begin(), device);
  return cells;
}

}  // namespace

std::string WinnerTable(const std::vector<WinnerRow>& rows,
                        DeviceColumn devices, const Remarks& remarks) {
  if (rows.empty()) return "no winners\n";
  TextTable table(Line(devices, "device",
                       {"problem", "policy", "config", "time", "noise",
                        "TFLOP/s", "gain", "ties", ""}));
  for (const WinnerRow& row : rows) {
    table.Add(Line(
        devices, row.device,
        {row.problem, PolicyKey(row.policy), row.config,
         FormatTime(row.median_ns), absl::StrFormat("%.1f %%", 100 * row.noise),
         FormatTeraflops(FlopsOf(row.problem), row.median_ns),
         row.gain.has_value() ? FormatGain(*row.gain) : "-",
         absl::StrCat(row.ties, " of ", row.candidates),
         IsImpossible(remarks, row) ? kImpossible
         : row.suspect              ? "suspect: measure again"
                                    : ""}));
  }
  return table.ToString();
}

std::string SupplyFlips(const std::vector<WinnerRow>& rows) {
  struct Choices {
    std::set<SupplyKind> supplies;
    std::string text;
  };
  std::map<std::string, Choices> by_problem;
  for (const WinnerRow& row : rows) {
    const absl::StatusOr<GemmConfig> config = ParseConfig(row.config);
    if (!config.ok()) continue;
    Choices& choices = by_problem[row.device + ", " + row.problem];
    choices.supplies.insert(config->variant->supply);
    absl::StrAppend(&choices.text, choices.text.empty() ? "" : ", ",
                    RecordOf(*config).supply, " under ", PolicyKey(row.policy));
  }
  std::string text;
  for (const auto& [problem, choices] : by_problem) {
    if (choices.supplies.size() < 2) continue;
    absl::StrAppend(&text, "The winning supply flips on ", problem, ": ",
                    choices.text, "\n");
  }
  return text;
}

std::string PredictionTable(const std::vector<PredictedRow>& rows,
                            DeviceColumn devices, const Remarks& remarks) {
  if (rows.empty()) return "no predictions\n";
  TextTable table(Line(devices, "device",
                       {"problem", "config", "predicted time",
                        "predicted TFLOP/s", "predicted gain", ""}));
  for (const PredictedRow& row : rows) {
    const bool has_gain = row.default_ns.has_value() && row.predicted_ns > 0;
    table.Add(
        Line(devices, row.device,
             {row.problem, row.config,
              absl::StrCat("~", FormatTime(row.predicted_ns)),
              absl::StrCat(
                  "~", FormatTeraflops(FlopsOf(row.problem), row.predicted_ns)),
              has_gain ? FormatGain(*row.default_ns / row.predicted_ns) : "-",
              IsImpossible(remarks, row) ? kImpossible : ProofOf(row.config)}));
  }
  return absl::StrCat("Predictions of the cost model, not measurements:\n",
                      table.ToString());
}

}  // namespace tiletune
