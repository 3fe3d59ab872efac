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
#include "scheduler/order.h"

namespace tiletune::hopper {

// Rank = (k * kClusterN + n) * kClusterM + m.
template <class Shape>
struct ClusterPosition {
  uint32_t m = 0;
  uint32_t n = 0;
  uint32_t k = 0;

  // This CTA and all that load something for it (and it for them).
  static constexpr int kSharers = Shape::kClusterM + Shape::kClusterN - 1;

  __device__ __forceinline__ ClusterPosition() {
    if constexpr (Shape::kClusterSize > 1) {
      const uint32_t rank = ptx::cluster_ctarank();
      m = rank % Shape::kClusterM;
      n = rank / Shape::kClusterM % Shape::kClusterN;
      k = rank / (Shape::kClusterM * Shape::kClusterN);
    }
  }

  // The part of a tile's K that is this CTA's.
  __device__ __forceinline__ KTileRange
  OwnKTiles(const KTileRange& range) const {
    KTileRange own = KTilesOfSlice(range.count, Shape::kClusterK, k);
    own.begin += range.begin;
    return own;
  }

  // The rank of the CTA that has part `other_k` of the same tile.
  __device__ __forceinline__ uint32_t RankAtK(uint32_t other_k) const {
    return Rank(m, n, other_k);
  }

  // The CTAs that need the same rows of A.
  __device__ __forceinline__ uint16_t SameRowsMask() const {
    uint32_t mask = 0;
    for (int i = 0; i < Shape::kClusterN; ++i) {
      mask |= 1u << Rank(m, i, k);
    }
    return static_cast<uint16_t>(mask);
  }

  // The CTAs that need the same rows of B.
  __device__ __forceinline__ uint16_t SameColumnsMask() const {
    const uint32_t all = (1u << Shape::kClusterM) - 1;
    return static_cast<uint16_t>(all << Rank(0, n, k));
  }

  // The rank of sharer i: first the kClusterM of this column, then the rest of
  // this row.
  __device__ __forceinline__ uint32_t Sharer(uint32_t i) const {
    if (i < Shape::kClusterM) return Rank(i, n, k);
    const uint32_t other = i - Shape::kClusterM;
    return Rank(m, other + (other >= n ? 1 : 0), k);
  }

 private:
  __device__ __forceinline__ static uint32_t Rank(uint32_t m, uint32_t n,
                                                  uint32_t k) {
    return (k * Shape::kClusterN + n) * Shape::kClusterM + m;
  }
};

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_CLUSTER_POSITION_CUH_
