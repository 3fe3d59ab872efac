#include "autotune/search/batch_invariant.h"

#include "kernels/registry.h"

namespace tiletune {

absl::StatusOr<InvariantCandidates> InvariantCandidatesOf(
    const GemmProblem& problem, const DeviceFacts& device,
    CanLaunch can_launch) {
  const absl::StatusOr<GemmConfig> fallback = DefaultConfig(problem, device);
  if (!fallback.ok()) return fallback.status();
  const absl::StatusOr<std::string> order =
      PredictedSumOrder(LayerOf(problem), device, can_launch);
  if (!order.ok()) return order.status();
  return InvariantCandidates{*order, [order = *order, fallback = *fallback,
                                      can_launch](const GemmConfig& c) {
                               return can_launch(*c.variant) &&
                                      (c == fallback || SumOrder(c) == order);
                             }};
}

}  // namespace tiletune
