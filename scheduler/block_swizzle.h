// Block swizzles with the interface of CATLASS, on top of order.h.
//
// Use them to port a kernel that was written against CATLASS; new code uses
// Order, which counts in 64 bits and has an inverse.
//
//   GemmIdentityBlockSwizzle<3, 0> swizzle(problem, MatrixCoord(128, 256));
//   for (uint32_t t = block; t < swizzle.GetCoreLoops(); t += blocks) {
//     GemmCoord tile = swizzle.GetBlockCoord(t);             // in tiles
//     GemmCoord shape = swizzle.GetActualBlockShape(tile);   // in elements
//   }
//
// What the original leaves undefined is defined here:
//   An offset of 0 counts as 1, one beyond the axis as the whole axis.
//   A template direction other than 0 (Zn) and 1 (Nz) does not compile; one
//   given at run time counts as 1, and IsValid() is false.
//   No tiles (a zero extent of problem or tile): GetCoreLoops() is 0, every
//   coordinate and shape is zero. K = 0: every tile is visited, with k = 0.
//   A loopsMN that does not fit the problem: shapes are trimmed to the problem
//   and never wrap.
//   A split factor is clamped to [1, number of k tiles].
//   Task indices have 32 bits: GetCoreLoops() saturates at 2^32 - 1, and
//   IsValid() says whether all indices of a launch fit.
#ifndef TILETUNE_SCHEDULER_BLOCK_SWIZZLE_H_
#define TILETUNE_SCHEDULER_BLOCK_SWIZZLE_H_

#include <cstdint>

#include "scheduler/block_swizzle_internal.h"
#include "scheduler/gemm_coord.h"
#include "scheduler/order.h"
#include "scheduler/splitk_block_swizzle.h"  // IWYU pragma: export

namespace tiletune {

// Tiles of one problem, batch after batch.
template <uint32_t SwizzleOffset = 1, uint32_t SwizzleDirection = 0>
struct GemmIdentityBlockSwizzle {
  static_assert(SwizzleDirection <= 1, "The direction is 0 (Zn) or 1 (Nz).");

  GemmCoord problemShape;  // Elements.
  MatrixCoord tileMN;      // Elements.
  MatrixCoord loopsMN;     // Tiles.

  // Everything zero: no tiles.
  constexpr GemmIdentityBlockSwizzle() = default;

  TILETUNE_HD constexpr GemmIdentityBlockSwizzle(const GemmCoord& problem_shape,
                                                 const MatrixCoord& tile_mn) {
    Update(problem_shape, tile_mn);
  }

  TILETUNE_HD constexpr GemmIdentityBlockSwizzle(const GemmCoord& problem_shape,
                                                 const MatrixCoord& tile_mn,
                                                 const MatrixCoord& loops_mn) {
    Update(problem_shape, tile_mn, loops_mn);
  }

  TILETUNE_HD constexpr void Update(const GemmCoord& problem_shape,
                                    const MatrixCoord& tile_mn) {
    Update(problem_shape, tile_mn,
           CeilDiv(problem_shape.GetCoordMN(), tile_mn));
  }

  TILETUNE_HD constexpr void Update(const GemmCoord& problem_shape,
                                    const MatrixCoord& tile_mn,
                                    const MatrixCoord& loops_mn) {
    problemShape = problem_shape;
    tileMN = tile_mn;
    loopsMN = loops_mn;
  }

  // The number of tasks of one batch.
  TILETUNE_HD constexpr uint32_t GetCoreLoops() const {
    return block_swizzle_internal::Saturate(
        static_cast<uint64_t>(loopsMN.row()) * loopsMN.column());
  }

  // The batch of a task of a batched problem.
  TILETUNE_HD constexpr uint32_t GetBatchIdx(uint32_t taskIdx) const {
    const uint32_t loops = GetCoreLoops();
    return loops == 0 ? 0 : taskIdx / loops;
  }

  // The tile of a task, in tiles; k is 0. The same for every batch.
  TILETUNE_HD constexpr GemmCoord GetBlockCoord(uint32_t taskIdx) const {
    return BlockCoord(taskIdx, SwizzleOffset, SwizzleDirection);
  }

  // The extents of a tile in elements, trimmed at the edges; k is all of K.
  TILETUNE_HD constexpr GemmCoord GetActualBlockShape(
      const GemmCoord& blockCoord) const {
    using block_swizzle_internal::ActualExtent;
    return GemmCoord(
        ActualExtent(problemShape.m(), tileMN.row(), blockCoord.m()),
        ActualExtent(problemShape.n(), tileMN.column(), blockCoord.n()),
        problemShape.k());
  }

  // Whether `batches` copies, visited by core_num cores in grid stride, can be
  // counted in 32 bits.
  TILETUNE_HD constexpr bool IsValid(uint32_t batches = 1,
                                     uint32_t core_num = 1) const {
    return block_swizzle_internal::TasksFit(
        static_cast<uint64_t>(loopsMN.row()) * loopsMN.column(), batches,
        core_num);
  }

 protected:
  TILETUNE_HD constexpr GemmCoord BlockCoord(uint32_t task, uint32_t offset,
                                             uint32_t direction) const {
    const Order order =
        block_swizzle_internal::OneBatch(loopsMN, 1, offset, direction);
    const uint64_t count = order.size();
    if (count == 0) return GemmCoord();
    const TileCoord tile = order.At(task < count ? task : task % count);
    return GemmCoord(tile.m, tile.n, 0);
  }
};

// The same with offset and direction chosen at run time. It hides the base's
// GetBlockCoord and IsValid, it does not override them: called through a
// reference to the base, they use offset 1 and direction 0.
struct DynamicGemmIdentityBlockSwizzle : public GemmIdentityBlockSwizzle<> {
  using Base = GemmIdentityBlockSwizzle<>;

  uint32_t swizzleOffset = 1;
  uint32_t swizzleDirection = 0;

  constexpr DynamicGemmIdentityBlockSwizzle() = default;

  TILETUNE_HD constexpr DynamicGemmIdentityBlockSwizzle(
      const GemmCoord& problem_shape, const MatrixCoord& tile_mn)
      : Base(problem_shape, tile_mn) {}

  TILETUNE_HD constexpr DynamicGemmIdentityBlockSwizzle(
      const GemmCoord& problem_shape, const MatrixCoord& tile_mn,
      const MatrixCoord& loops_mn)
      : Base(problem_shape, tile_mn, loops_mn) {}

  TILETUNE_HD constexpr DynamicGemmIdentityBlockSwizzle(
      const GemmCoord& problem_shape, const MatrixCoord& tile_mn,
      uint32_t offset, uint32_t direction)
      : Base(problem_shape, tile_mn) {
    SetSwizzleParams(offset, direction);
  }

  TILETUNE_HD constexpr void SetSwizzleParams(uint32_t offset,
                                              uint32_t direction) {
    swizzleOffset = offset;
    swizzleDirection = direction;
  }

  TILETUNE_HD constexpr GemmCoord GetBlockCoord(uint32_t taskIdx) const {
    return BlockCoord(taskIdx, swizzleOffset, swizzleDirection);
  }

  TILETUNE_HD constexpr bool IsValid(uint32_t batches = 1,
                                     uint32_t core_num = 1) const {
    return swizzleDirection <= 1 && Base::IsValid(batches, core_num);
  }
};

}  // namespace tiletune

#endif  // TILETUNE_SCHEDULER_BLOCK_SWIZZLE_H_
