// SplitK: one epilogue warp's part in reducing the K slices of a tile.
//
// Use it when the order has more than one K slice. Every slice writes its fp32
// sums to the workspace and draws a ticket; whoever draws the last one adds up
// all slices, in the order of their index, whatever order they came in. Nobody
// waits. Device code.
//
//   SplitK<Shape> split(parameters, tile, cta, warp);
//   split.Write(column, values);  // for all columns
//   if (!split.IsLast()) return;
//   split.Sum(column, values);
#ifndef TILETUNE_KERNELS_BLACKWELL_SPLIT_K_CUH_
#define TILETUNE_KERNELS_BLACKWELL_SPLIT_K_CUH_

#include <cstdint>

#include "kernels/blackwell/kernel_shape.h"
#include "kernels/blackwell/parameters.h"
#include "kernels/ptx/fence.h"
#include "scheduler/order.h"

namespace tiletune::blackwell {

template <class Shape>
class SplitK {
 public:
  // `rank` of the CTA in its cluster, `warp` 0 to 3. All 32 lanes, in all
  // functions.
  __device__ __forceinline__ SplitK(const GemmParameters& p,
                                    const TileCoord& tile, uint32_t rank,
                                    uint32_t warp)
      : slices_(p.order.k_slices) {
    const uint64_t cluster_tile =
        (static_cast<uint64_t>(tile.batch) * p.order.tiles_m + tile.m) *
            p.order.tiles_n +
        tile.n;
    const uint64_t unit =
        (cluster_tile * Shape::kClusterSize + rank) * kEpilogueWarps + warp;
    ticket_ = p.epilogue.tickets + unit;
    // Lanes side by side, so that a warp reads and writes whole lines.
    partials_ =
        p.epilogue.partials + unit * slices_ * kFloats + threadIdx.x % 32;
    own_ = partials_ + static_cast<uint64_t>(tile.k_slice) * kFloats;
  }

  // Leaves sixteen columns of this slice for whoever comes last.
  __device__ __forceinline__ void Write(uint32_t column,
                                        const uint32_t (&values)[16]) const {
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      own_[(column + i) * 32] = __uint_as_float(values[i]);
    }
  }

  // Draws the ticket, after all columns have been written. True for the last
  // slice, which then sees what the others wrote.
  __device__ __forceinline__ bool IsLast() const {
    __syncwarp();
    uint32_t arrived = 0;
    if (threadIdx.x % 32 == 0) {
      ptx::fence_acq_rel_gpu();  // releases what the warp wrote
      arrived = atomicAdd(ticket_, 1u) + 1;
      ptx::fence_acq_rel_gpu();  // acquires what the others released
      // The workspace is as the next launch expects it.
      if (arrived == slices_) *ticket_ = 0;
    }
    __syncwarp();
    return __shfl_sync(0xffffffffu, arrived, 0) == slices_;
  }

  // Sixteen columns summed over the slices, slice 0 first.
  __device__ __forceinline__ void Sum(uint32_t column,
                                      uint32_t (&values)[16]) const {
    float sums[16] = {};
    for (uint32_t slice = 0; slice < slices_; ++slice) {
      const float* from =
          partials_ + static_cast<uint64_t>(slice) * kFloats + column * 32;
#pragma unroll
      for (int i = 0; i < 16; ++i) sums[i] += __ldcg(from + i * 32);
    }
#pragma unroll
    for (int i = 0; i < 16; ++i) values[i] = __float_as_uint(sums[i]);
  }

 private:
  // What one warp leaves of one slice.
  static constexpr uint64_t kFloats = 32 * Shape::kThreadColumns;

  const uint32_t slices_;
  uint32_t* ticket_;
  float* partials_;
  float* own_;
};

}  // namespace tiletune::blackwell

#endif  // TILETUNE_KERNELS_BLACKWELL_SPLIT_K_CUH_
