// autotune query and list: stored winners, measured or predicted.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autotune/commands/asked.h"
#include "autotune/commands/commands.h"
#include "autotune/commands/remarks.h"
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

// What the database says about a set of problems. Predictions are of no policy:
// who asks for one is not shown them.
struct Found {
  std::vector<WinnerRow> winners;
  std::vector<PredictedRow> predicted;

  size_t size() const { return winners.size() + predicted.size(); }
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
absl::Status SayMissing(const Store& store, const Filter& filter,
                        const Options& options) {
  const absl::StatusOr<std::string> note = OtherBuildsNote(store, filter);
  if (!note.ok()) return note.status();
  std::fprintf(stderr,
               "autotune: %s has no winner%s in %s; dispatch would take the "
               "nearest tuned shape or the default config; tune it with\n  "
               "%s\n",
               filter.problem.c_str(),
               options.policies.empty() ? "" : " of that policy",
               store.path().c_str(), TuneCommand(filter, options).c_str());
  if (!note->empty()) std::fprintf(stderr, "autotune: %s\n", note->c_str());
  return absl::OkStatus();
}

template <typename AnyRow>
void Append(const std::vector<AnyRow>& rows, const Remarks& remarks,
            Json* all) {
  for (const AnyRow& row : rows) {
    Json json = ToJson(row);
    const std::string why =
        remarks.WhyImpossible(row.device, row.problem, row.config);
    if (!why.empty()) json["impossible"] = why;
    all->push_back(json);
  }
}

// `filter` lets through what was asked for.
absl::Status Print(const Store& store, const Filter& filter, const Found& found,
                   bool json) {
  const absl::StatusOr<Remarks> remarks = Remarks::Of(store, filter);
  if (!remarks.ok()) return remarks.status();
  if (json) {
    Json all = Json::array();
    Append(found.winners, *remarks, &all);
    Append(found.predicted, *remarks, &all);
    std::printf("%s\n", all.dump(2).c_str());
    return absl::OkStatus();
  }
  if (!found.winners.empty()) {
    std::printf(
        "%s%s",
        WinnerTable(found.winners, DeviceColumn::kShown, *remarks).c_str(),
        SupplyFlips(found.winners).c_str());
  }
  if (!found.predicted.empty()) {
    std::fputs(PredictionTable(found.predicted, DeviceColumn::kShown, *remarks)
                   .c_str(),
               stdout);
  }
  remarks->Say();
  return absl::OkStatus();
}

}  // namespace

int RunQuery(const Options& options) {
  const absl::StatusOr<bool> json = WantsJson(options);
  if (!json.ok()) return Fail(json.status());
  const absl::StatusOr<Asked> asked = OpenAsked(options, Problems::kNeeded);
  if (!asked.ok()) return Fail(asked.status());
  Found found;
  int missing = 0;
  for (const GemmProblem& problem : asked->problems) {
    const Filter filter = FilterOf(*asked, problem);
    const size_t before = found.size();
    absl::Status status =
        CollectWinners(*asked->store, filter, asked->policies, &found);
    if (status.ok() && options.policies.empty()) {
      status = CollectPredicted(*asked->store, filter, &found);
    }
    if (status.ok() && found.size() == before) {
      ++missing;
      status = SayMissing(*asked->store, filter, options);
    }
    if (!status.ok()) return Fail(status);
  }
  Filter all;
  all.device = asked->device;
  const absl::Status printed = Print(
      *asked->store,
      asked->problems.size() == 1 ? FilterOf(*asked, asked->problems[0]) : all,
      found, *json);
  if (!printed.ok()) return Fail(printed);
  return missing == 0 ? 0 : kFailed;
}

int RunList(const Options& options) {
  const absl::StatusOr<bool> json = WantsJson(options);
  if (!json.ok()) return Fail(json.status());
  const absl::StatusOr<Asked> asked = OpenAsked(options, Problems::kEvery);
  if (!asked.ok()) return Fail(asked.status());
  const Store& store = *asked->store;
  Filter filter;
  filter.device = asked->device;
  Found found;
  const bool every_policy = options.policies.empty();
  absl::Status status =
      every_policy ? CollectAll(store, filter, &found)
                   : CollectWinners(store, filter, asked->policies, &found);
  if (!status.ok()) return Fail(status);
  if (found.size() == 0 && !*json) {
    std::printf("%s holds no winners%s\n", store.path().c_str(),
                every_policy ? "" : " of that policy");
  } else {
    status = Print(store, filter, found, *json);
    if (!status.ok()) return Fail(status);
  }
  const absl::StatusOr<std::string> note = OtherBuildsNote(store, filter);
  if (!note.ok()) return Fail(note.status());
  if (!note->empty()) std::fprintf(stderr, "autotune: %s\n", note->c_str());
  return 0;
}

}  // namespace tiletune
