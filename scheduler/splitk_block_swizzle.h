// The split-K block swizzle of CATLASS; include block_swizzle.h to get it.
//
// Use it to port a split-K kernel that was written against CATLASS.
//
//   SplitkGemmIdentityBlockSwizzle<3, 0> swizzle(problem, tile, /*factor=*/4);
//   for (uint32_t t = block; t < swizzle.GetCoreLoops(); t += blocks) {
//     GemmCoord tile = swizzle.GetBlockCoord(t);  // k: first k tile of slice
//     uint32_t slice = swizzle.GetSplitkSliceIdx(t);
//     GemmCoord shape = swizzle.GetActualBlockShape(tile, slice);
//   }
#ifndef TILETUNE_SCHEDULER_SPLITK_BLOCK_SWIZZLE_H_
#define TILETUNE_SCHEDULER_SPLITK_BLOCK_SWIZZLE_H_

#include <cstdint>

#include "scheduler/block_swizzle_internal.h"
#include "scheduler/gemm_coord.h"
#include "scheduler/order.h"

namespace tiletune {

// Every tile once per k slice: all tiles of slice 0, then those of slice 1 ...
template <uint32_t SwizzleOffset = 1, uint32_t SwizzleDirection = 0>
struct SplitkGemmIdentityBlockSwizzle {
  static_assert(SwizzleDirection <= 1, "The direction is 0 (Zn) or 1 (Nz).");

  GemmCoord problemShape;     // Elements.
  GemmCoord tileShape;        // Elements.
  GemmCoord loopsMNK;         // Tiles.
  uint32_t splitkFactor = 1;  // As clamped: 1 to max(1, loopsMNK.k()).

  // No tiles.
  constexpr SplitkGemmIdentityBlockSwizzle() = default;

  TILETUNE_HD constexpr SplitkGemmIdentityBlockSwizzle(
      const GemmCoord& problem_shape, const GemmCoord& tile_shape,
      uint32_t splitk_factor = 1) {
    Update(problem_shape, tile_shape, splitk_factor);
  }

  TILETUNE_HD constexpr SplitkGemmIdentityBlockSwizzle(
      const GemmCoord& problem_shape, const GemmCoord& tile_shape,
      const GemmCoord& loops_mnk, uint32_t splitk_factor = 1) {
    Update(problem_shape, tile_shape, loops_mnk, splitk_factor);
  }

  TILETUNE_HD constexpr void Update(const GemmCoord& problem_shape,
                                    const GemmCoord& tile_shape,
                                    uint32_t splitk_factor = 1) {
    Update(problem_shape, tile_shape, CeilDiv(problem_shape, tile_shape),
           splitk_factor);
  }

  TILETUNE_HD constexpr void Update(const GemmCoord& problem_shape,
                                    const GemmCoord& tile_shape,
                                    const GemmCoord& loops_mnk,
                                    uint32_t splitk_factor = 1) {
    problemShape = problem_shape;
    tileShape = tile_shape;
    loopsMNK = loops_mnk;
    splitkFactor = ClampKSlices(splitk_factor, loops_mnk.k());
  }

  // The number of tasks of one batch, slices included.
  TILETUNE_HD constexpr uint32_t GetCoreLoops() const {
    const uint64_t tiles = OneBatch().tiles_per_slice();
    return block_swizzle_internal::Saturate(
        tiles >> 32 != 0 ? tiles : tiles * splitkFactor);
  }

  TILETUNE_HD constexpr uint32_t GetBatchIdx(uint32_t taskIdx) const {
    const uint32_t loops = GetCoreLoops();
    return loops == 0 ? 0 : taskIdx / loops;
  }

  // The slice of a task.
  TILETUNE_HD constexpr uint32_t GetSplitkSliceIdx(uint32_t taskIdx) const {
    return Locate(taskIdx).k_slice;
  }

  // The first k tile of a slice.
  TILETUNE_HD constexpr uint32_t GetKIdxBySplitkSliceIdx(
      uint32_t splitkSliceIdx) const {
    return KTilesOfSlice(loopsMNK.k(), splitkFactor, splitkSliceIdx).begin;
  }

  // The tile of a task, in tiles; k is the first k tile of its slice.
  TILETUNE_HD constexpr GemmCoord GetBlockCoord(uint32_t taskIdx) const {
    const TileCoord tile = Locate(taskIdx);
    return GemmCoord(tile.m, tile.n, GetKIdxBySplitkSliceIdx(tile.k_slice));
  }

  // The extents of a tile in elements, trimmed at the edges; k is that of the
  // slice.
  TILETUNE_HD constexpr GemmCoord GetActualBlockShape(
      const GemmCoord& blockCoord, uint32_t splitkSliceIdx) const {
    using block_swizzle_internal::ActualExtent;
    const KTileRange range =
        KTilesOfSlice(loopsMNK.k(), splitkFactor, splitkSliceIdx);
    const uint64_t begin = static_cast<uint64_t>(range.begin) * tileShape.k();
    const uint64_t end =
        begin + static_cast<uint64_t>(range.count) * tileShape.k();
    const uint64_t k = problemShape.k();
    return GemmCoord(
        ActualExtent(problemShape.m(), tileShape.m(), blockCoord.m()),
        ActualExtent(problemShape.n(), tileShape.n(), blockCoord.n()),
        static_cast<uint32_t>((end < k ? end : k) - (begin < k ? begin : k)));
  }

  // Whether `batches` copies, visited by core_num cores in grid stride, can be
  // counted in 32 bits.
  TILETUNE_HD constexpr bool IsValid(uint32_t batches = 1,
                                     uint32_t core_num = 1) const {
    // Two 32-bit counts and a third: look at them in pairs.
    const uint64_t tiles = OneBatch().tiles_per_slice();
    return tiles >> 32 == 0 && block_swizzle_internal::TasksFit(
                                   tiles * splitkFactor, batches, core_num);
  }

 private:
  TILETUNE_HD constexpr Order OneBatch() const {
    return block_swizzle_internal::OneBatch(loopsMNK.GetCoordMN(), splitkFactor,
                                            SwizzleOffset, SwizzleDirection);
  }

  TILETUNE_HD constexpr TileCoord Locate(uint32_t task) const {
    const Order order = OneBatch();
    const uint64_t count = order.size();
    if (count == 0) return TileCoord();
    return order.At(task < count ? task : task % count);
  }
};

}  // namespace tiletune

#endif  // TILETUNE_SCHEDULER_SPLITK_BLOCK_SWIZZLE_H_
