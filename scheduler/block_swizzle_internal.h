// The arithmetic that the block swizzles of block_swizzle.h share.
//
// Private to block_swizzle.h and splitk_block_swizzle.h.
//
//   Order order = block_swizzle_internal::OneBatch(loops, 1, offset,
//   direction); uint32_t rows = block_swizzle_internal::ActualExtent(m, tile_m,
//   tile.m);
#ifndef TILETUNE_SCHEDULER_BLOCK_SWIZZLE_INTERNAL_H_
#define TILETUNE_SCHEDULER_BLOCK_SWIZZLE_INTERNAL_H_

#include <cstdint>

#include "scheduler/gemm_coord.h"
#include "scheduler/order.h"

namespace tiletune {

namespace block_swizzle_internal {

// One batch of `loops` tiles, as `slices` k slices.
TILETUNE_HD constexpr Order OneBatch(const MatrixCoord& loops, uint32_t slices,
                                     uint32_t offset, uint32_t direction) {
  Order order;
  order.tiles_m = loops.row();
  order.tiles_n = loops.column();
  order.k_slices = slices;
  order.batches = 1;
  order.direction =
      direction == 0 ? SwizzleDirection::kZn : SwizzleDirection::kNz;
  order.offset =
      ClampOffset(offset, direction == 0 ? loops.row() : loops.column());
  return order;
}

TILETUNE_HD constexpr uint32_t Saturate(uint64_t count) {
  return count >> 32 != 0 ? 0xffffffffu : static_cast<uint32_t>(count);
}

// The extent of tile `index` along one axis.
TILETUNE_HD constexpr uint32_t ActualExtent(uint32_t problem, uint32_t tile,
                                            uint32_t index) {
  const uint64_t start = static_cast<uint64_t>(index) * tile;
  if (start >= problem) return 0;
  return problem - start < tile ? static_cast<uint32_t>(problem - start) : tile;
}

// Whether task indices, and the step by core_num past the last one, fit in 32
// bits.
TILETUNE_HD constexpr bool TasksFit(uint64_t loops, uint32_t batches,
                                    uint32_t core_num) {
  constexpr uint64_t kIndices = uint64_t{1} << 32;
  if (loops > kIndices - core_num) return false;
  return loops == 0 || batches <= (kIndices - core_num) / loops;
}

}  // namespace block_swizzle_internal

}  // namespace tiletune

#endif  // TILETUNE_SCHEDULER_BLOCK_SWIZZLE_INTERNAL_H_
