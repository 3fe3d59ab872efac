#include "dispatch/loader.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "autotune/store/store.h"
#include "kernels/batch_invariant.h"
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
    return MakeChecked(*problem, *config, why, expected_ns, out);
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
  std::unordered_map<std::string, absl::StatusOr<GemmConfig>> configs_;
  int rejected_ = 0;
  std::string first_reason_;
};

// 0 is the policy asked for.
int PolicyRank(const MeasurementPolicy& policy,
               const MeasurementPolicy& wanted) {
  if (policy == wanted) return 0;
  return policy == MeasurementPolicy() ? 1 : 2;
}

// Adds the winners of the device, among configs that `allowed` accepts; for
// each problem the one of the best policy first.
absl::Status AddWinners(
    const Store& store, const LoadRequest& request, Why why,
    const std::function<bool(const std::string& config_key)>& allowed,
    EntryMaker* maker, std::vector<TableEntry>* entries) {
  const absl::StatusOr<LaunchWinners> winners =
      store.WinnersToLaunch(request.device.Fingerprint(), allowed);
  if (!winners.ok()) return winners.status();
  entries->reserve(entries->size() + winners->rows.size());
  for (int rank = 0; rank < 3; ++rank) {
    for (const LaunchWinners::Row& row : winners->rows) {
      if (PolicyRank(row.policy, request.policy) != rank) continue;
      const LaunchWinners::Config& config = winners->configs[row.config];
      maker->Make(row.problem, config.key, config.build, why, row.median_ns,
                  entries);
    }
  }
  return absl::OkStatus();
}

std::string SumOrderOf(const std::string& config_key) {
  const absl::StatusOr<GemmConfig> config = ParseConfig(config_key);
  return config.ok() ? SumOrder(*config) : "";
}

// What was measured of a layer in one sum order.
struct LayerEntries {
  std::vector<TableEntry> entries;
  absl::flat_hash_set<GemmProblem> problems;
  double log_ns = 0;

  bool IsBetterThan(const LayerEntries& other) const {
    if (problems.size() != other.problems.size()) {
      return problems.size() > other.problems.size();
    }
    return log_ns < other.log_ns;
  }
};

// Layers that an earlier database has decided keep their sum order.
absl::Status ReadInvariantWinners(const Store& store,
                                  const LoadRequest& request, Why why,
                                  EntryMaker* maker, Loaded* loaded) {
  std::set<std::string> sum_orders;
  const absl::StatusOr<LaunchWinners> none = store.WinnersToLaunch(
      request.device.Fingerprint(), [&sum_orders](const std::string& key) {
        sum_orders.insert(SumOrderOf(key));
        return false;
      });
  if (!none.ok()) return none.status();
  sum_orders.erase("");
  absl::flat_hash_map<GemmProblem, std::map<std::string, LayerEntries>> layers;
  for (const std::string& order : sum_orders) {
    std::vector<TableEntry> entries;
    const absl::Status read = AddWinners(
        store, request, why,
        [&order](const std::string& key) { return SumOrderOf(key) == order; },
        maker, &entries);
    if (!read.ok()) return read;
    for (const TableEntry& entry : entries) {
      LayerEntries& layer = layers[LayerOf(entry.problem)][order];
      layer.entries.push_back(entry);
      if (!layer.problems.insert(entry.problem).second) continue;
      layer.log_ns += std::log(entry.choice.expected_ns);
    }
  }
  for (const auto& [layer, by_order] : layers) {
    const auto best = std::max_element(by_order.begin(), by_order.end(),
                                       [](const auto& x, const auto& y) {
                                         return y.second.IsBetterThan(x.second);
                                       });
    const std::string& order =
        loaded->sum_orders.emplace(layer, best->first).first->second;
    const auto chosen = by_order.find(order);
    if (chosen == by_order.end()) continue;
    loaded->entries.insert(loaded->entries.end(),
                           chosen->second.entries.begin(),
                           chosen->second.entries.end());
  }
  return absl::OkStatus();
}

absl::Status ReadWinners(const Store& store, const LoadRequest& request,
                         Why why, EntryMaker* maker, Loaded* loaded) {
  if (request.batch_invariant) {
    return ReadInvariantWinners(store, request, why, maker, loaded);
  }
  return AddWinners(store, request, why, nullptr, maker, &loaded->entries);
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

// Winners are of this program's builds of the kernels. Where a file has others
// alone, nothing of it is used, and somebody should hear why.
absl::Status WarnOfOtherBuilds(const Store& store, const LoadRequest& request,
                               Warnings* warnings) {
  Filter filter;
  filter.device = request.device.Fingerprint();
  const absl::StatusOr<RowCounts> others = store.OtherBuilds(filter);
  if (!others.ok()) return others.status();
  if (others->measurements == 0) return absl::OkStatus();
  warnings->Say(absl::StrCat(
      store.path(), ": none of its ", others->measurements,
      " measurements on this GPU is of this build of the kernels, so that none "
      "is used; tune again"));
  return absl::OkStatus();
}

absl::Status ReadDatabase(const std::string& path, Why why,
                          const LoadRequest& request, EntryMaker* maker,
                          Warnings* warnings, Loaded* loaded) {
  Store::Options options;
  options.patience = kPatience;
  options.time_limit = kTimeLimit;
  absl::StatusOr<std::unique_ptr<Store>> store = Store::Open(
      path,
      why == Why::kSystem ? Store::Mode::kImmutable : Store::Mode::kReadOnly,
      options);
  if (!store.ok()) return store.status();
  absl::Status status = (*store)->UseBuilds(BuildsOfThisProgram());
  const size_t before = loaded->entries.size();
  if (status.ok()) {
    status = ReadWinners(**store, request, why, maker, loaded);
  }
  if (status.ok() && loaded->entries.size() == before) {
    status = WarnOfOtherBuilds(**store, request, warnings);
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
    absl::Status status =
        ReadDatabase(path, why, request, &maker, warnings, &loaded);
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
