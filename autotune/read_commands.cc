// The commands that read the database: query, list, devices, explain.
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autotune/commands.h"
#include "autotune/problems.h"
#include "autotune/report.h"
#include "autotune/target.h"
#include "autotune/text_table.h"
#include "nlohmann/json.hpp"

namespace tiletune {
namespace {

using Json = nlohmann::ordered_json;

// Refuses all formats but json and the table for people.
absl::StatusOr<bool> WantsJson(const Options& options) {
  if (options.format.empty()) return false;
  if (options.format == "json") return true;
  return absl::InvalidArgumentError(absl::StrCat(
      "--format=", options.format, ": ", options.command, " knows json"));
}

// The fingerprint that --device means; empty for every device.
absl::StatusOr<std::string> FingerprintOf(const Options& options) {
  const std::string& device = options.device;
  const bool stored =
      device.rfind("cc", 0) == 0 || device.rfind("model cc", 0) == 0;
  if (device.empty() || stored) return device;
  const absl::StatusOr<Target> target = FindTarget(device, {});
  if (!target.ok()) return target.status();
  return target->facts.Fingerprint();
}

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

absl::Status Collect(const Store& store, const Filter& filter,
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
  const absl::StatusOr<std::vector<PredictedRow>> predicted =
      store.PredictedWinners(filter);
  if (!predicted.ok()) return predicted.status();
  found->predicted.insert(found->predicted.end(), predicted->begin(),
                          predicted->end());
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
    std::printf("%s%s", WinnerTable(found.winners).c_str(),
                SupplyFlips(found.winners).c_str());
  }
  if (!found.predicted.empty()) {
    std::fputs(PredictionTable(found.predicted).c_str(), stdout);
  }
}

// Standings, rejects and unfinished attempts of one problem.
absl::Status Explain(const Store& store, const Filter& filter) {
  const absl::StatusOr<std::vector<StandingRow>> standings =
      store.Standings(filter);
  if (!standings.ok()) return standings.status();
  if (standings->empty()) {
    std::printf("%s: nothing measured\n", filter.problem.c_str());
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
    std::printf("rejected  %s: %s\n", row.config.c_str(), row.reason.c_str());
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
    const absl::Status status = Collect(**store, filter, *policies, &one);
    if (!status.ok()) return Fail(status);
    if (one.winners.empty() && one.predicted.empty()) {
      ++missing;
      std::fprintf(stderr, "autotune: %s is not in %s; dispatch would take ",
                   filter.problem.c_str(), (*store)->path().c_str());
      std::fprintf(stderr, "the nearest tuned shape or the default config\n");
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
  const absl::StatusOr<std::string> device = FingerprintOf(options);
  if (!device.ok()) return Fail(device.status());
  const auto store = OpenStore(options, Store::Mode::kReadOnly);
  if (!store.ok()) return Fail(store.status());
  Filter filter;
  filter.device = *device;
  Found found;
  absl::StatusOr<std::vector<WinnerRow>> winners = (*store)->Winners(filter);
  if (!winners.ok()) return Fail(winners.status());
  found.winners = *std::move(winners);
  absl::StatusOr<std::vector<PredictedRow>> predicted =
      (*store)->PredictedWinners(filter);
  if (!predicted.ok()) return Fail(predicted.status());
  found.predicted = *std::move(predicted);
  if (found.winners.empty() && found.predicted.empty() && !*json) {
    std::printf("%s holds no winners\n", (*store)->path().c_str());
    return 0;
  }
  Print(found, *json);
  return 0;
}

int RunDevices(const Options& options) {
  const absl::StatusOr<bool> json = WantsJson(options);
  if (!json.ok()) return Fail(json.status());
  Json all = Json::array();
  TextTable table({"device", "fingerprint", "name", "stored"});
  const auto add = [&](const std::string& handle, const DeviceFacts& facts,
                       const std::string& stored) {
    table.Add({handle, facts.Fingerprint(), facts.name, stored});
    all.push_back(Json{{"device", handle},
                       {"fingerprint", facts.Fingerprint()},
                       {"name", facts.name},
                       {"stored", stored}});
  };
  RemoteBench here({"/proc/self/exe", "worker", "auto"}, {});
  const absl::StatusOr<std::vector<BenchDevice>> devices = here.Devices();
  if (devices.ok()) {
    for (const BenchDevice& d : *devices) {
      add(absl::StrCat("cuda:", d.facts.ordinal), d.facts, "");
    }
  } else if (!*json) {
    std::printf("No CUDA device here: %s\n",
                std::string(devices.status().message()).c_str());
  }
  for (const std::string& name : ModelledDeviceNames()) {
    add(absl::StrCat("model:", name), *ModelledDevice(name), "");
  }
  // A database that is not there yet holds no devices.
  const auto store = OpenStore(options, Store::Mode::kReadOnly);
  if (store.ok()) {
    const absl::StatusOr<std::vector<DeviceRow>> rows = (*store)->Devices();
    if (!rows.ok()) return Fail(rows.status());
    for (const DeviceRow& row : *rows) {
      add("stored", row.facts,
          absl::StrCat(row.measurements, " measurements, ", row.predictions,
                       " predictions"));
    }
  } else if (!absl::IsNotFound(store.status())) {
    return Fail(store.status());
  }
  std::fputs(*json ? absl::StrCat(all.dump(2), "\n").c_str()
                   : table.ToString().c_str(),
             stdout);
  return 0;
}

int RunExplain(const Options& options) {
  if (options.shapes.empty() && options.problems.empty()) {
    return Fail(absl::InvalidArgumentError(
        "explain needs a --shape=MxNxK or a --problem=KEY"));
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
  std::vector<std::string> fingerprints = {*device};
  if (device->empty()) {
    fingerprints.clear();
    const absl::StatusOr<std::vector<DeviceRow>> rows = (*store)->Devices();
    if (!rows.ok()) return Fail(rows.status());
    for (const DeviceRow& row : *rows) {
      if (!row.facts.modelled) fingerprints.push_back(row.fingerprint);
    }
  }
  for (const std::string& fingerprint : fingerprints) {
    for (const GemmProblem& problem : *problems) {
      for (const MeasurementPolicy& policy : *policies) {
        Filter filter;
        filter.device = fingerprint;
        filter.problem = ProblemKey(problem);
        filter.policy = policy;
        const absl::Status status = Explain(**store, filter);
        if (!status.ok()) return Fail(status);
      }
    }
  }
  return 0;
}

}  // namespace tiletune
