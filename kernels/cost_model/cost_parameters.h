// What the cost model believes of an architecture. One table, in
// cost_parameters.cc; `autotune calibrate` fits a column of it to measurements.
//
//   CostParameters q = ParametersOf(device);
//   for (const CostParameterField& field : CostParameterFields())
//     printf("%s = %g\n", field.name, q.*field.value);
//   q.launch = 1.5e-6;   // and Predict(problem, config, device, q)
#ifndef TILETUNE_KERNELS_COST_MODEL_COST_PARAMETERS_H_
#define TILETUNE_KERNELS_COST_MODEL_COST_PARAMETERS_H_

#include <limits>
#include <vector>

#include "kernels/device.h"

namespace tiletune {

// Times in seconds, clocks those of an SM.
struct CostParameters {
  double launch;          // from launch to the first load, and the exit
  double cluster_launch;  // besides, where CTAs form clusters
  double queue_launch;    // besides, before a kernel with a queue: its counter
  double clc_launch;      // besides, for a grid of all tiles
  double fill;            // first load to first MMA: latency of memory

  double mainloop_efficiency;  // of the peak, in a long mainloop
  // Sums of scaled blocks: what the CUDA cores of an SM add a clock while the
  // tensor cores wait; where registers hold two products, and where only one.
  double block_additions_per_clock;
  double lone_block_additions_per_clock;
  double load_latency;              // of a stage; all stages of a ring overlap
  double smem_bytes_per_clock;      // shared memory to tensor cores, per SM
  double l2_bytes_per_sm_clock;     // L2 to one SM
  double l2_bytes_per_clock;        // L2 to all SMs
  double misaligned_load;           // cost of a byte in rows off 128-byte lines
  double dram_efficiency;           // of the peak bandwidth
  double dram_bytes_per_sm_second;  // what one SM alone can draw

  double epilogue_fixed;            // per tile: drain, convert, barriers
  double store_bytes_per_sm_clock;  // epilogue, D towards L2
  double swapped_store_bytes_per_sm_clock;  // of a kernel that computes D^T
  double scalar_store_bytes_per_sm_clock;   // of rows off 16-byte lines
  double overlap;  // of an epilogue that has a next mainloop

  double cluster_sum_fixed;  // CTAs that share K add up through shared memory
  double cluster_sum_bytes_per_sm_clock;
  double split_k_fixed;  // until the sums of others are there
  double split_k_bytes_per_sm_clock;

  double queue_latency, queue_per_tile;  // request to answer; exposed always
  double clc_latency, clc_per_tile;

  double repack_fixed;       // an extra kernel before the GEMM
  double repack_efficiency;  // of the peak bandwidth

  // What the power limit sustains: this share of the peak if operands came for
  // nothing, this many bytes of them into SMs if MMAs did.
  double power_share;
  double power_bytes_per_second;
};

const CostParameters& ParametersOf(const DeviceFacts& device);

struct CostParameterField {
  const char* name;
  double CostParameters::*value;
  // What a fit must not go beyond: a share is at most 1, a load at least a
  // load, and an SM reads no more of its shared memory than it can.
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
};

// All of them, in the order of the struct.
const std::vector<CostParameterField>& CostParameterFields();

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_COST_MODEL_COST_PARAMETERS_H_
