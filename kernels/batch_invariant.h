// Batch invariance: the same bits for a row of D, however many rows there are.
//
// A sum of floats depends on the order of its terms. Which config is fastest
// depends on M, and with the config changes the order in which an element's
// products are added up. Who needs equal bits at every batch size runs all M of
// a layer with configs of one sum order:
//
//   const GemmProblem layer = LayerOf(problem);              // without M
//   std::string order = *PredictedSumOrder(layer, device, IsLinked);
//   GemmConfig config = *BestWithSumOrder(problem, order, device, IsLinked);
//   // for any M of the layer: equal rows of A give equal rows of D
#ifndef TILETUNE_KERNELS_BATCH_INVARIANT_H_
#define TILETUNE_KERNELS_BATCH_INVARIANT_H_

#include <string>

#include "absl/status/statusor.h"
#include "kernels/config.h"
#include "kernels/device.h"
#include "kernels/problem.h"

namespace tiletune {

// All that decides in which order a config adds up the products of an element
// of D, as text: "sm90 16b k64 x1" (family, operand width, K of a stage, CTAs
// that share a tile's K), with "swapped" where D is computed transposed. Tile
// sizes, clusters, stages, schedule, supply and visiting order have no part in
// it. Empty with split-K: how many slices a tile is cut into depends on M, on
// Hopper tile by tile. CTAs that share K are there for short M instead.
std::string SumOrder(const GemmConfig& config);

// The problem without M: size 0, operands packed and aligned.
GemmProblem LayerOf(const GemmProblem& problem);

// Whether the caller can launch a variant. Not asked on modelled devices.
using CanLaunch = bool (*)(const KernelVariant& variant);

// The sum order whose configs are predicted fastest over the Ms from 1 to 8192
// that stand for decoding and prefill, in the geometric mean, among those that
// can run all of them. A pure function of the layer, the device and what can be
// launched. FailedPrecondition when there is none.
absl::StatusOr<std::string> PredictedSumOrder(const GemmProblem& layer,
                                              const DeviceFacts& device,
                                              CanLaunch can_launch);

// The config of a sum order that is predicted fastest for a problem.
// FailedPrecondition when none is legal.
absl::StatusOr<GemmConfig> BestWithSumOrder(const GemmProblem& problem,
                                            const std::string& sum_order,
                                            const DeviceFacts& device,
                                            CanLaunch can_launch);

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_BATCH_INVARIANT_H_
