// autotune explain: why a shape has the winner it has.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autotune/commands/asked.h"
#include "autotune/commands/commands.h"
#include "autotune/commands/text_table.h"

namespace tiletune {
namespace {

// What stands in for standings where nothing was measured.
absl::Status ExplainPredictions(const Store& store, const Filter& filter,
                                const Options& options) {
  absl::StatusOr<std::vector<Prediction>> rows = store.Predictions(filter);
  if (!rows.ok()) return rows.status();
  if (rows->empty()) {
    const absl::StatusOr<std::string> note = OtherBuildsNote(store, filter);
    if (!note.ok()) return note.status();
    std::printf("%s: nothing measured%s%s; tune it with\n  %s\n",
                filter.problem.c_str(),
                note->empty() ? "" : " here: ", note->c_str(),
                TuneCommand(filter, options).c_str());
    return absl::OkStatus();
  }
  std::stable_sort(rows->begin(), rows->end(),
                   [](const Prediction& x, const Prediction& y) {
                     return x.predicted_ns < y.predicted_ns;
                   });
  TextTable table({"config", "predicted time", "device", ""});
  for (const Prediction& row : *rows) {
    table.Add({row.config.key, absl::StrCat("~", FormatTime(row.predicted_ns)),
               row.device.Fingerprint(), row.is_default ? "default" : ""});
  }
  std::printf("%s: nothing measured; the cost model predicts\n%s",
              filter.problem.c_str(), table.ToString().c_str());
  return absl::OkStatus();
}

// Standings, rejects and unfinished attempts of one problem.
absl::Status Explain(const Store& store, const Filter& filter,
                     const Options& options) {
  const absl::StatusOr<std::vector<StandingRow>> standings =
      store.Standings(filter);
  if (!standings.ok()) return standings.status();
  if (standings->empty()) {
    const absl::Status status = ExplainPredictions(store, filter, options);
    if (!status.ok()) return status;
  } else {
    TextTable table(
        {"place", "config", "time", "behind", "noise", "samples", ""});
    const double best = standings->front().median_ns;
    for (const StandingRow& row : *standings) {
      table.Add({absl::StrCat(row.place), row.config, FormatTime(row.median_ns),
                 absl::StrFormat("%+.2f %%", 100 * (row.median_ns / best - 1)),
                 absl::StrFormat("%.2f %%", 100 * row.noise),
                 absl::StrCat(row.sample_count),
                 absl::StrCat(row.tied ? "tied " : "",
                              row.is_default ? "default" : "")});
    }
    const StandingRow& first = standings->front();
    std::printf("%s on %s, %s\n%s", first.problem.c_str(), first.device.c_str(),
                PolicyKey(first.policy).c_str(), table.ToString().c_str());
  }
  const absl::StatusOr<std::vector<QuarantineRow>> barred =
      store.Quarantined(filter);
  if (!barred.ok()) return barred.status();
  for (const QuarantineRow& row : *barred) {
    std::printf("rejected  %s: %s%s\n", row.config.c_str(), row.reason.c_str(),
                row.policy.has_value() ? " (under this policy)" : "");
  }
  const absl::StatusOr<std::vector<Attempt>> attempts =
      store.UnfinishedAttempts(filter);
  if (!attempts.ok()) return attempts.status();
  for (const Attempt& attempt : *attempts) {
    std::printf("started and never finished  %s\n", attempt.config.key.c_str());
  }
  return absl::OkStatus();
}

}  // namespace

int RunExplain(const Options& options) {
  const absl::StatusOr<Asked> asked = OpenAsked(options, Problems::kNeeded);
  if (!asked.ok()) return Fail(asked.status());
  std::vector<std::string> fingerprints = {asked->device};
  if (asked->device.empty()) {
    fingerprints.clear();
    const absl::StatusOr<std::vector<DeviceRow>> rows = asked->store->Devices();
    if (!rows.ok()) return Fail(rows.status());
    for (const DeviceRow& row : *rows) {
      if (!row.facts.modelled) fingerprints.push_back(row.fingerprint);
    }
    // An empty one is every device: what is known was predicted.
    if (fingerprints.empty()) fingerprints.push_back("");
  }
  for (const std::string& fingerprint : fingerprints) {
    for (const GemmProblem& problem : asked->problems) {
      for (const MeasurementPolicy& policy : asked->policies) {
        Filter filter = FilterOf(*asked, problem);
        filter.device = fingerprint;
        filter.policy = policy;
        const absl::Status status = Explain(*asked->store, filter, options);
        if (!status.ok()) return Fail(status);
      }
    }
  }
  return 0;
}

}  // namespace tiletune
