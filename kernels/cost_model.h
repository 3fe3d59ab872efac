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
//   seconds = launch + fill + overlapped(compute, l2, dram) + epilogue + supply
//             + split_k + repack
//
// compute is ceil(T / W) waves of the longest CTA's mainloop; l2 and dram are
// bytes over bandwidth, bytes as scheduler/l2_traffic.h predicts them for the
// order; the longest of the three hides most of the others. The rest is what
// those cannot hide.
#ifndef TILETUNE_KERNELS_COST_MODEL_H_
#define TILETUNE_KERNELS_COST_MODEL_H_

#include <cstdint>

#include "kernels/config.h"
#include "kernels/device.h"
#include "kernels/problem.h"
#include "kernels/variant.h"

namespace tiletune {

// What the model believes of an architecture. Times in seconds.
struct CostParameters {
  double launch;                 // from launch to the first load, and the exit
  double fill;                   // first load to first MMA: latency of memory
  double mainloop_efficiency;    // of the peak, in a long mainloop
  double cycles_per_k_tile;      // barrier and issue cost of one stage, exposed
  double smem_bytes_per_clock;   // shared memory to tensor cores, per SM
  double l2_bytes_per_sm_clock;  // L2 to one SM
  double l2_bytes_per_clock;     // L2 to all SMs
  double dram_efficiency;        // of the peak bandwidth
  double dram_bytes_per_sm_second;  // what one SM alone can draw
  double store_bytes_per_sm_clock;  // epilogue, D towards L2
  double epilogue_fixed;            // per tile: drain, convert, barriers
  double overlap;                   // of an epilogue that has a next mainloop
  double queue_latency, queue_per_tile;  // request to answer; exposed always
  double clc_latency, clc_per_tile;
  double split_k_fixed;  // last arriver: fence, counter, reread
  double repack_fixed;   // an extra kernel before the GEMM
  double power_share;    // of the peak that the power limit sustains
};

const CostParameters& ParametersOf(const DeviceFacts& device);

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

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_COST_MODEL_H_
