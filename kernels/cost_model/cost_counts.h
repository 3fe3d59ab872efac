// What a config does for a problem, counted: tiles, waves, bytes. Everything
// the cost model knows before it puts a price on anything.
//
//   std::optional<CostCounts> c = CountCosts(problem, config, device);
//   if (!c.has_value()) return;            // nothing to compute
//   double waves = c->items() / c->resident;
//   PredictedCost cost = Price(*c, device, parameters);   // cost_model.h
#ifndef TILETUNE_KERNELS_COST_MODEL_COST_COUNTS_H_
#define TILETUNE_KERNELS_COST_MODEL_COST_COUNTS_H_

#include <optional>

#include "kernels/config.h"
#include "kernels/device.h"
#include "kernels/problem.h"
#include "kernels/variant.h"

namespace tiletune {

struct CostCounts {
  const KernelVariant* variant;  // never null
  double rows, columns;  // of D, or of its transpose if operands change places
  double batches;
  double k;
  double bytes_per_k;  // operand bytes per element of K

  double resident;       // W: clusters at work at once
  double tiles;          // cluster tiles, batches included
  double whole;          // of these, computed in one piece
  double split;          // of these, cut into slices along K
  double slices;         // of a tile that is cut
  double k_tiles;        // stages of one CTA for a whole tile
  double slice_k_tiles;  // and for a slice

  double d_bytes_per_element;  // written, and read where C is
  // Rows of D are off 16-byte lines (swapped: 4), and leave by the element.
  bool scalar_store;
  bool misaligned_load;  // rows of A or B are off 128-byte lines
  double repack_bytes;   // read and written before the GEMM

  double requested_bytes;  // of A and B, from L2; a multicast counts once
  double received_bytes;   // of A and B, by all SMs
  double fetched_bytes;    // of A and B, that miss in L2

  // T: what the supply hands out.
  double items() const { return whole + split * slices; }
  double flops() const { return 2 * rows * columns * k * batches; }
  // Of the tiles' area, what lies inside D.
  double tile_efficiency() const;
};

// Nothing where there is no work, or the tiles cannot be counted. `problem` is
// Normalized(), the config legal for it and not of the reference kernel.
std::optional<CostCounts> CountCosts(const GemmProblem& problem,
                                     const GemmConfig& config,
                                     const DeviceFacts& device);

// The same but for fetched_bytes, which are the fewest that any order needs: A
// and B once. In a time that does not grow with the tiles, of which CountCosts
// looks at up to 4096 waves.
std::optional<CostCounts> CountLeastCosts(const GemmProblem& problem,
                                          const GemmConfig& config,
                                          const DeviceFacts& device);

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_COST_MODEL_COST_COUNTS_H_
