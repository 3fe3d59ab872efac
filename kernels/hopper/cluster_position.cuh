// Where this CTA stands in its cluster, and who shares operands with it.
//
//   ClusterPosition<Shape> position;
//   int row = (tile.m * Shape::kClusterM + position.m) * Shape::kTileM;
//   uint16_t mask = position.SameRowsMask();   // who needs my slice of A
//   uint32_t rank = position.Sharer(i);        // i < kSharers
#ifndef TILETUNE_KERNELS_HOPPER_CLUSTER_POSITION_CUH_
#define TILETUNE_KERNELS_HOPPER_CLUSTER_POSITION_CUH_

#include <cstdint>

#include "kernels/ptx/cluster.h"

namespace tiletune::hopper {

// Rank = n * kClusterM + m.
template <class Shape>
struct ClusterPosition {
  uint32_t m = 0;
  uint32_t n = 0;

  // This CTA and all that load something for it (and it for them).
  static constexpr int kSharers = Shape::kClusterM + Shape::kClusterN - 1;

  __device__ __forceinline__ ClusterPosition() {
    if constexpr (Shape::kClusterSize > 1) {
      const uint32_t rank = ptx::cluster_ctarank();
      m = rank % Shape::kClusterM;
      n = rank / Shape::kClusterM;
    }
  }

  // The CTAs that need the same rows of A.
  __device__ __forceinline__ uint16_t SameRowsMask() const {
    uint32_t mask = 0;
    for (int i = 0; i < Shape::kClusterN; ++i) {
      mask |= 1u << (i * Shape::kClusterM + m);
    }
    return static_cast<uint16_t>(mask);
  }

  // The CTAs that need the same rows of B.
  __device__ __forceinline__ uint16_t SameColumnsMask() const {
    const uint32_t all = (1u << Shape::kClusterM) - 1;
    return static_cast<uint16_t>(all << (n * Shape::kClusterM));
  }

  // The rank of sharer i: first the kClusterM of this column, then the rest of
  // this row.
  __device__ __forceinline__ uint32_t Sharer(uint32_t i) const {
    if (i < Shape::kClusterM) return n * Shape::kClusterM + i;
    const uint32_t other = i - Shape::kClusterM;
    return (other + (other >= n ? 1 : 0)) * Shape::kClusterM + m;
  }
};

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_CLUSTER_POSITION_CUH_
