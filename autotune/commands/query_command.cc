// autotune query and list: stored winners, measured or predicted.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "autotune/command_line/problems.h"
#include "autotune/commands/commands.h"
#include "autotune/commands/report.h"
#include "nlohmann/json.hpp"

namespace tiletune {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const WinnerRow& row) {
  Json json{{"source", "measured"},         {"device", row.device},
            {"problem", row.problem},       {"policy", PolicyKey(row.policy)},
            {"config", row.config},         {"median_ns", row.median_ns},
            {"noise", row.noise},           {"ties", row.ties},
            {"candidates", row.candidates}, {"suspect", row.suspect}};
  if (row.default_ns.has_value()) json["default_ns"] = *row.default_ns;
  if (row.gain.has_value()) json["gain"] = *row.gain;
  return json;
}

Json ToJson(const PredictedRow& row) {
  Json json{{"source", "predicted"},  {"device", row.device},
            {"problem", row.problem}, {"config", row.config},
            {"model", row.model},     {"predicted_ns", row.predicted_ns}};
  if (row.default_ns.has_value()) {
    json["predicted_default_ns"] = *row.default_ns;
  }
  return json;
}

// What the database says about a set of problems.
struct Found {
  std::vector<WinnerRow> winners;
  std::vector<PredictedRow> predicted;
};

absl::Status CollectWinners(const Store& store, const Filter& filter,
                            const std::vector<MeasurementPolicy>& policies,
                            Found* found) {
  for (const MeasurementPolicy& policy : policies) {
    Filter f = filter;
    f.policy = policy;
    const absl::StatusOr<std::vector<WinnerRow>> winners = store.Winners(f);
    if (!winners.ok()) return winners.status();
    found->winners.insert(found->winners.end(), winners->begin(),
                          winners->end());
  }
  return absl::OkStatus();
}

absl::Status CollectPredicted(const Store& store, const Filter& filter,
                              Found* found) {
  const absl::StatusOr<std::vector<PredictedRow>> predicted =
      store.PredictedWinners(filter);
  if (!predicted.ok()) return predicted.status();
  found->predicted.insert(found->predicted.end(), predicted->begin(),
                          predicted->end());
  return absl::OkStatus();
}

// Of every policy; predictions are of none.
absl::Status CollectAll(const Store& store, const Filter& filter,
                        Found* found) {
  absl::StatusOr<std::vector<WinnerRow>> winners = store.Winners(filter);
  if (!winners.ok()) return winners.status();
  found->winners = *std::move(winners);
  return CollectPredicted(store, filter, found);
}

// That dispatch would find nothing, and whether it would have once.
absl::Status SayMissing(const Store& store, const Filter& filter) {
  const absl::StatusOr<std::string> note = OtherBuildsNote(store, filter);
  if (!note.ok()) return note.status();
  std::fprintf(stderr,
               "autotune: %s has no winner in %s; dispatch would take the "
               "nearest tuned shape or the default config\n",
               filter.problem.c_str(), store.path().c_str());
  if (!note->empty()) std::fprintf(stderr, "autotune: %s\n", note->c_str());
  return absl::OkStatus();
}

void Print(const Found& found, bool json) {
  if (json) {
    Json all = Json::array();
    for (const WinnerRow& row : found.winners) all.push_back(ToJson(row));
    for (const PredictedRow& row : found.predicted) all.push_back(ToJson(row));
    std::printf("%s\n", all.dump(2).c_str());
    return;
  }
  if (!found.winners.empty()) {
    std::printf("%s%s",
                WinnerTable(found.winners, DeviceColumn::kShown).c_str(),
                SupplyFlips(found.winners).c_str());
  }
  if (!found.predicted.empty()) {
    std::fputs(PredictionTable(found.predicted, DeviceColumn::kShown).c_str(),
               stdout);
  }
}

}  // namespace

int RunQuery(const Options& options) {
  const absl::StatusOr<bool> json = WantsJson(options);
  if (!json.ok()) return Fail(json.status());
  if (options.shapes.empty() && options.problems.empty()) {
    return Fail(absl::InvalidArgumentError(
        "query needs a --shape=MxNxK or a --problem=KEY"));
  }
  const absl::StatusOr<std::vector<GemmProblem>> problems = ProblemsOf(options);
  if (!problems.ok()) return Fail(problems.status());
  const absl::StatusOr<std::vector<MeasurementPolicy>> policies =
      PoliciesOf(options);
  if (!policies.ok()) return Fail(policies.status());
  const absl::StatusOr<std::string> device = FingerprintOf(options);
  if (!device.ok()) return Fail(device.status());
  const auto store = OpenStore(options, Store::Mode::kReadOnly);
  if (!store.ok()) return Fail(store.status());
  Found found;
  int missing = 0;
  for (const GemmProblem& problem : *problems) {
    Filter filter;
    filter.device = *device;
    filter.problem = ProblemKey(problem);
    Found one;
    absl::Status status = CollectWinners(**store, filter, *policies, &one);
    if (status.ok()) status = CollectPredicted(**store, filter, &one);
    if (!status.ok()) return Fail(status);
    if (one.winners.empty() && one.predicted.empty()) {
      ++missing;
      const absl::Status said = SayMissing(**store, filter);
      if (!said.ok()) return Fail(said);
    }
    found.winners.insert(found.winners.end(), one.winners.begin(),
                         one.winners.end());
    found.predicted.insert(found.predicted.end(), one.predicted.begin(),
                           one.predicted.end());
  }
  Print(found, *json);
  return missing == 0 ? 0 : kFailed;
}

int RunList(const Options& options) {
  const absl::StatusOr<bool> json = WantsJson(options);
  if (!json.ok()) return Fail(json.status());
  const absl::StatusOr<std::vector<MeasurementPolicy>> policies =
      PoliciesOf(options);
  if (!policies.ok()) return Fail(policies.status());
  const absl::StatusOr<std::string> device = FingerprintOf(options);
  if (!device.ok()) return Fail(device.status());
  const auto store = OpenStore(options, Store::Mode::kReadOnly);
  if (!store.ok()) return Fail(store.status());
  Filter filter;
  filter.device = *device;
  Found found;
  const bool every_policy = options.policies.empty();
  absl::Status status =
      every_policy ? CollectAll(**store, filter, &found)
                   : CollectWinners(**store, filter, *policies, &found);
  if (!status.ok()) return Fail(status);
  if (found.winners.empty() && found.predicted.empty() && !*json) {
    std::printf("%s holds no winners%s\n", (*store)->path().c_str(),
                every_policy ? "" : " of that policy");
  } else {
    Print(found, *json);
  }
  const absl::StatusOr<std::string> note = OtherBuildsNote(**store, filter);
  if (!note.ok()) return Fail(note.status());
  if (!note->empty()) std::fprintf(stderr, "autotune: %s\n", note->c_str());
  return 0;
}

}  // namespace tiletune
