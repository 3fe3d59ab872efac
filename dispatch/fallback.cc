#include "dispatch/fallback.h"

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "kernels/batch_invariant.h"
#include "kernels/cost_model/cost_model.h"
#include "kernels/registry.h"

namespace tiletune {

Fallback::Fallback(FallbackOptions options)
    : options_(std::move(options)),
      defaults_(options_.remembered_problems),
      without_workspace_(options_.remembered_problems) {}

absl::StatusOr<Choice> Fallback::Default(const GemmProblem& normalized) {
  Choice choice;
  int64_t finds = 0;
  if (defaults_.Find(normalized, &choice, &finds)) return choice;
  absl::StatusOr<Choice> worked_out = WorkOutDefault(normalized);
  if (worked_out.ok()) defaults_.Store(normalized, *worked_out);
  return worked_out;
}

absl::StatusOr<Choice> Fallback::WithoutWorkspace(
    const GemmProblem& normalized) {
  Choice choice;
  int64_t finds = 0;
  if (without_workspace_.Find(normalized, &choice, &finds)) {
    return choice;
  }
  const std::optional<GemmConfig> config = BestWithoutWorkspace(normalized);
  if (!config.has_value()) {
    return absl::InvalidArgumentError(
        "every config of this problem needs more workspace than there is");
  }
  choice = {*config, Why::kDefault, 0, 0};
  without_workspace_.Store(normalized, choice);
  return choice;
}

absl::StatusOr<Choice> Fallback::WorkOutDefault(
    const GemmProblem& normalized) const {
  absl::StatusOr<GemmConfig> config = DefaultOf(normalized);
  if (!config.ok()) return config.status();
  Choice choice = {*config, Why::kDefault, 0, 0};
  if (options_.device.modelled) return choice;
  absl::StatusOr<size_t> bytes = options_.backend->workspace_bytes(
      normalized, choice.config, options_.device);
  if (!bytes.ok()) return bytes.status();
  choice.workspace_bytes = *bytes;
  return choice;
}

absl::StatusOr<GemmConfig> Fallback::DefaultOf(
    const GemmProblem& normalized) const {
  if (options_.batch_invariant) {
    const GemmProblem layer = LayerOf(normalized);
    const auto measured = options_.sum_orders.find(layer);
    absl::StatusOr<std::string> order =
        measured != options_.sum_orders.end()
            ? measured->second
            : PredictedSumOrder(layer, options_.device,
                                options_.backend->is_linked);
    if (!order.ok()) return order.status();
    return BestWithSumOrder(normalized, *order, options_.device,
                            options_.backend->is_linked);
  }
  absl::StatusOr<GemmConfig> config =
      DefaultConfig(normalized, options_.device);
  if (!config.ok() || options_.device.modelled ||
      options_.backend->is_linked(*config->variant)) {
    return config;
  }
  return FirstLinked(normalized).value_or(*config);
}

// A program may link a few variants only: the first legal one of those.
std::optional<GemmConfig> Fallback::FirstLinked(
    const GemmProblem& normalized) const {
  CandidateOptions reference;
  reference.kernels = "reference_naive";
  for (const CandidateOptions& options : {CandidateOptions(), reference}) {
    for (const GemmConfig& config :
         LegalConfigs(normalized, options_.device, options)) {
      if (options_.backend->is_linked(*config.variant)) return config;
    }
  }
  return std::nullopt;
}

// The reference kernel where all others repack their operands.
std::optional<GemmConfig> Fallback::BestWithoutWorkspace(
    const GemmProblem& normalized) const {
  std::optional<GemmConfig> best;
  double least = 0;
  CandidateOptions usual, reference;
  usual.splits = {1};
  reference.kernels = "reference_naive";
  for (const CandidateOptions& options : {usual, reference}) {
    if (best.has_value()) break;
    for (const GemmConfig& config :
         LegalConfigs(normalized, options_.device, options)) {
      if (!options_.backend->is_linked(*config.variant)) continue;
      const absl::StatusOr<size_t> bytes = options_.backend->workspace_bytes(
          normalized, config, options_.device);
      if (!bytes.ok() || *bytes != 0) continue;
      const double seconds =
          Predict(normalized, config, options_.device).seconds;
      if (best.has_value() && seconds >= least) continue;
      best = config;
      least = seconds;
    }
  }
  return best;
}

}  // namespace tiletune
