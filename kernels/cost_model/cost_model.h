// The cost model: a prediction of how long a config takes, from counts alone.
//
// Use it to rank candidates before measuring, where nothing was measured, and
// on modelled devices. It is a prediction: never store or show it as a
// measurement. Its parameters per architecture stand in cost_parameters.cc.
//
//   PredictedCost p = Predict(problem, config, device);
//   printf("predicted %.1f us, %.2f waves\n", p.seconds * 1e6, p.waves);
//
// The model, for W resident clusters and T cluster tiles (splits included):
//
//   busy    = launch + fill + overlapped(compute, l2, dram) + epilogue + supply
//             + split_k
//   seconds = overlapped(busy, power) + repack
//
// compute is ceil(T / W) waves of the longest CTA's mainloop; l2 and dram are
// bytes over bandwidth, bytes as scheduler/l2_traffic.h predicts them for the
// order; the longest of the three hides most of the others. The rest is what
// those cannot hide. power is how long the work takes at the clock that the
// power limit sustains: it holds for the mean over a kernel, so that an idle
// tail of a wave costs nothing there.
#ifndef TILETUNE_KERNELS_COST_MODEL_COST_MODEL_H_
#define TILETUNE_KERNELS_COST_MODEL_COST_MODEL_H_

#include "kernels/config.h"
#include "kernels/cost_model/cost_counts.h"
#include "kernels/cost_model/cost_parameters.h"
#include "kernels/device.h"
#include "kernels/problem.h"

namespace tiletune {

// Seconds, unless named otherwise. (The name Prediction is the stored row's,
// in autotune/store/measurement.h.) The parts say what the total is made of.
struct PredictedCost {
  double seconds = 0;

  double launch = 0;
  double fill = 0;
  double compute = 0;
  double l2 = 0;
  double dram = 0;
  double epilogue = 0;
  double supply = 0;
  double split_k = 0;
  double power = 0;
  double repack = 0;

  double waves = 0;            // T / W
  double wave_efficiency = 0;  // T / (ceil(T / W) W)
  double tile_efficiency = 0;  // of the tiles' area, what lies inside D
  double l2_hit_rate = 0;      // of the bytes requested from L2
  double dram_bytes = 0;
};

// Any config that CheckLegal accepts. A problem without work takes `launch`.
PredictedCost Predict(const GemmProblem& problem, const GemmConfig& config,
                      const DeviceFacts& device);
PredictedCost Predict(const GemmProblem& problem, const GemmConfig& config,
                      const DeviceFacts& device,
                      const CostParameters& parameters);

// At most what Predict says of the config with any order: as if A and B were
// fetched once. In a time that does not grow with the problem, by which most
// configs of a large one are left out before their orders are looked at. 0 for
// the reference kernel and for a problem without work.
double LeastSeconds(const GemmProblem& problem, const GemmConfig& config,
                    const DeviceFacts& device);

// The half of Predict that depends on the parameters.
PredictedCost Price(const CostCounts& counts, const DeviceFacts& device,
                    const CostParameters& parameters);

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_COST_MODEL_COST_MODEL_H_
