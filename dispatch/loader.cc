#include "dispatch/loader.h"

#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/container/node_hash_map.h"
#include "absl/strings/str_cat.h"
#include "autotune/store/store.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

// A program must start even if somebody holds or has damaged its database.
constexpr std::chrono::milliseconds kPatience(500);
constexpr std::chrono::seconds kTimeLimit(10);

std::string Text(const absl::Status& status) {
  return std::string(status.message().data(), status.message().size());
}

std::vector<VariantBuild> BuildsOfThisProgram() {
  std::vector<VariantBuild> builds;
  for (const KernelVariant& variant : Variants()) {
    builds.push_back({variant.name, variant.build_fingerprint});
  }
  return builds;
}

// Turns stored text into entries that this program may launch on the device.
class EntryMaker {
 public:
  explicit EntryMaker(const LoadRequest& request) : request_(request) {}

  // False, and a reason kept, when the row is not to be used.
  bool Make(const std::string& problem_key, const std::string& config_key,
            const std::string& build, Why why, double expected_ns,
            std::vector<TableEntry>* out) {
    absl::StatusOr<GemmProblem> problem = ParseProblemKey(problem_key);
    if (!problem.ok()) return Reject(problem.status());
    const absl::StatusOr<GemmConfig>& config = Parsed(config_key);
    if (!config.ok()) return Reject(config.status());
    if (build != config->variant->build_fingerprint) {
      return Reject(absl::FailedPreconditionError(
          absl::StrCat(config->variant->name, " was measured as build ", build,
                       ", which this is not")));
    }
    return MakeChecked(Normalized(*problem), *config, why, expected_ns, out);
  }

  bool MakeChecked(const GemmProblem& problem, const GemmConfig& config,
                   Why why, double expected_ns, std::vector<TableEntry>* out) {
    absl::Status legal = CheckLegal(problem, config, request_.device);
    if (!legal.ok()) return Reject(legal);
    TableEntry entry = {problem, {config, why, 0, expected_ns}};
    // Nothing runs on a modelled device: there, nothing need be linked.
    if (!request_.device.modelled) {
      if (!request_.backend->is_linked(*config.variant)) {
        return Reject(absl::UnimplementedError(absl::StrCat(
            config.variant->name, " is not linked into this program")));
      }
      absl::StatusOr<size_t> bytes =
          request_.backend->workspace_bytes(problem, config, request_.device);
      if (!bytes.ok()) return Reject(bytes.status());
      entry.choice.workspace_bytes = *bytes;
    }
    out->push_back(entry);
    return true;
  }

  // One warning for all rows of `path` that were rejected.
  void Report(const std::string& path, Warnings* warnings) {
    if (rejected_ == 0) return;
    warnings->Say(absl::StrCat(path, ": ", rejected_, " of its rows ",
                               rejected_ == 1 ? "is" : "are",
                               " not used; the first: ", first_reason_));
    rejected_ = 0;
  }

 private:
  // Thousands of rows name the same few configs.
  const absl::StatusOr<GemmConfig>& Parsed(const std::string& config_key) {
    const auto known = configs_.find(config_key);
    if (known != configs_.end()) return known->second;
    return configs_.emplace(config_key, ParseConfig(config_key)).first->second;
  }

  bool Reject(const absl::Status& reason) {
    if (rejected_++ == 0) first_reason_ = Text(reason);
    return false;
  }

  const LoadRequest& request_;
  absl::node_hash_map<std::string, absl::StatusOr<GemmConfig>> configs_;
  int rejected_ = 0;
  std::string first_reason_;
};

// 0 is the policy asked for.
int PolicyRank(const MeasurementPolicy& policy,
               const MeasurementPolicy& wanted) {
  if (policy == wanted) return 0;
  return policy == MeasurementPolicy() ? 1 : 2;
}

absl::Status ReadWinners(const Store& store, const LoadRequest& request,
                         Why why, EntryMaker* maker,
                         std::vector<TableEntry>* out) {
  const absl::StatusOr<LaunchWinners> winners =
      store.WinnersToLaunch(request.device.Fingerprint());
  if (!winners.ok()) return winners.status();
  // The table keeps the first entry of a problem.
  for (int rank = 0; rank < 3; ++rank) {
    for (const LaunchWinners::Row& row : winners->rows) {
      if (PolicyRank(row.policy, request.policy) != rank) continue;
      const LaunchWinners::Config& config = winners->configs[row.config];
      maker->Make(row.problem, config.key, config.build, why, row.median_ns,
                  out);
    }
  }
  return absl::OkStatus();
}

absl::Status ReadPredictions(const Store& store, const LoadRequest& request,
                             EntryMaker* maker, std::vector<TableEntry>* out) {
  DeviceFacts modelled = request.device;
  modelled.modelled = true;
  for (const DeviceFacts& device : {request.device, modelled}) {
    Filter filter;
    filter.device = device.Fingerprint();
    absl::StatusOr<std::vector<PredictedRow>> rows =
        store.PredictedWinners(filter);
    if (!rows.ok()) return rows.status();
    for (const PredictedRow& row : *rows) {
      maker->Make(row.problem, row.config, row.build, Why::kPredicted,
                  row.predicted_ns, out);
    }
  }
  return absl::OkStatus();
}

absl::Status ReadDatabase(const std::string& path, Why why,
                          const LoadRequest& request, EntryMaker* maker,
                          Loaded* loaded) {
  Store::Options options;
  options.patience = kPatience;
  options.time_limit = kTimeLimit;
  absl::StatusOr<std::unique_ptr<Store>> store = Store::Open(
      path,
      why == Why::kSystem ? Store::Mode::kImmutable : Store::Mode::kReadOnly,
      options);
  if (!store.ok()) return store.status();
  absl::Status status = (*store)->UseBuilds(BuildsOfThisProgram());
  if (status.ok()) {
    status = ReadWinners(**store, request, why, maker, &loaded->entries);
  }
  if (status.ok()) {
    status = ReadPredictions(**store, request, maker, &loaded->predictions);
  }
  return status;
}

void AddPins(const LoadRequest& request, EntryMaker* maker, Loaded* loaded) {
  for (const Pin& pin : request.pins) {
    absl::StatusOr<GemmConfig> config = ParseConfig(pin.config);
    if (config.ok()) {
      maker->MakeChecked(Normalized(pin.problem), *config, Why::kPinned, 0,
                         &loaded->entries);
    } else {
      maker->Make(ProblemKey(pin.problem), pin.config, "", Why::kPinned, 0,
                  &loaded->entries);
    }
  }
}

}  // namespace

Loaded LoadChoices(const LoadRequest& request, Warnings* warnings) {
  Loaded loaded;
  EntryMaker maker(request);
  AddPins(request, &maker, &loaded);
  maker.Report("the pinned configs", warnings);
  for (const auto& [path, why] :
       {std::pair<std::string, Why>{request.user_database, Why::kTuned},
        std::pair<std::string, Why>{request.system_database, Why::kSystem}}) {
    if (path.empty()) continue;
    absl::Status status = ReadDatabase(path, why, request, &maker, &loaded);
    if (!status.ok()) {
      std::string reason = Text(status);
      if (reason.find(path) == std::string::npos) {
        reason = absl::StrCat(path, ": ", reason);
      }
      warnings->Say(reason + "; going on without it");
    }
    maker.Report(path, warnings);
  }
  return loaded;
}

}  // namespace tiletune
