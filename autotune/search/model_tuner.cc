#include "autotune/search/model_tuner.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "kernels/cost_model/cost_model.h"
#include "kernels/glob.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

struct Ranked {
  size_t index;
  double seconds;
};

}  // namespace

absl::StatusOr<PredictedRow> PredictWinner(const GemmProblem& problem,
                                           const DeviceFacts& device,
                                           const std::string& kernels,
                                           Store* store) {
  CandidateOptions candidates;
  candidates.kernels = kernels;
  const std::vector<GemmConfig> configs =
      LegalConfigs(problem, device, candidates);
  if (configs.empty()) {
    return absl::NotFoundError("no kernel here can run this problem");
  }
  // The default config is always the first, whatever its kernel is called.
  const double default_ns = Predict(problem, configs[0], device).seconds * 1e9;
  std::vector<Ranked> ranked;
  for (size_t i = 0; i < configs.size(); ++i) {
    if (!GlobMatches(kernels, configs[i].variant->name)) continue;
    ranked.push_back({i, Predict(problem, configs[i], device).seconds});
  }
  if (ranked.empty()) {
    return absl::NotFoundError(
        absl::StrCat("no kernel here whose name matches '", kernels,
                     "' can run this problem"));
  }
  // Equal predictions keep the registry's order, the default config first.
  std::stable_sort(
      ranked.begin(), ranked.end(),
      [](const Ranked& x, const Ranked& y) { return x.seconds < y.seconds; });
  const ConfigRecord best = RecordOf(configs[ranked.front().index]);
  PredictedRow row;
  row.device = device.Fingerprint();
  row.problem = ProblemKey(problem);
  row.config = best.key;
  row.build = best.build;
  row.model = kCostModelName;
  row.predicted_ns = ranked.front().seconds * 1e9;
  row.default_ns = default_ns;
  if (kernels != CandidateOptions().kernels) return row;
  std::vector<Prediction> predictions;
  std::set<const KernelVariant*> kept;
  for (const Ranked& r : ranked) {
    const GemmConfig& config = configs[r.index];
    // Orders of one kernel differ by little: one of each says more.
    const bool is_next =
        kept.size() < kStoredPredictions && kept.insert(config.variant).second;
    if (!is_next && r.index != 0) continue;
    Prediction prediction;
    prediction.problem = problem;
    prediction.config = RecordOf(config);
    prediction.device = device;
    prediction.model = kCostModelName;
    prediction.predicted_ns = r.seconds * 1e9;
    prediction.is_default = r.index == 0;
    predictions.push_back(prediction);
  }
  const absl::Status stored = store->RecordPredictions(predictions);
  if (!stored.ok()) return stored;
  return row;
}

}  // namespace tiletune
