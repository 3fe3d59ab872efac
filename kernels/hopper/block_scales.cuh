// The scales of one tile of a block-scaled GEMM, walked along K: A has one for
// each row and 128 of K, B one for each 128 columns of D and 128 of K.
//
//   BlockScales<Shape> scales(params, row, column, batch, first_k_block);
//   typename BlockScales<Shape>::Unit unit;
//   scales.Load<0>(unit);      // those of 64 rows and 128 of K
//   scales.Advance();          // the next 128 of K
//   BlockScales<Shape>::Add(unit, product, sum);
//
// In a kernel that swaps operands, the rows of the product are columns of D.
#ifndef TILETUNE_KERNELS_HOPPER_BLOCK_SCALES_CUH_
#define TILETUNE_KERNELS_HOPPER_BLOCK_SCALES_CUH_

#include <cstdint>

#include "kernels/hopper/gemm_params.h"
#include "kernels/hopper/gemm_shape.cuh"
#include "kernels/hopper/thread_index.cuh"

namespace tiletune::hopper {

template <class Shape>
class BlockScales {
  static constexpr bool kSwapped = Shape::kSwapped;
  static constexpr int kColumns = Shape::kColumnsPerConsumer;
  // Columns of the product that are sure to lie in one block of 128.
  static constexpr int kGroupColumns =
      kColumns % 128 == 0 ? 128 : (128 % kColumns == 0 ? kColumns : 64);
  // A thread has two of 64 rows, and two of every 8 columns.
  static constexpr int kOfA = kSwapped ? kColumns / 4 : 2;
  static constexpr int kOfB = kSwapped ? 1 : kColumns / kGroupColumns;
  static constexpr int kRowBlocks = Shape::kRowBlocks;

  static_assert(kSwapped || kColumns % kGroupColumns == 0);

 public:
  // What a thread needs for its part of 64 rows, all columns and 128 of K.
  struct Unit {
    float a[kOfA];
    float b[kOfB];
  };

  // (row, column): this warpgroup's first element in the product.
  __device__ __forceinline__ BlockScales(const GemmParams& params, int32_t row,
                                         int32_t column, int32_t batch,
                                         uint32_t k_block)
      : params_(params.block_scales), k_block_(k_block) {
    a_ = params_.a + batch * params_.a_batch + k_block * params_.a_stride;
    b_ = params_.b + batch * params_.b_batch + k_block;
    const int thread = ThreadInWarpgroup();
    if constexpr (kSwapped) {
      a_at_[0] = column + thread % 4 * 2;
#pragma unroll
      for (int i = 0; i < kRowBlocks; ++i) {
        b_at_[i] = RowOfB(params, row + i * 64);
      }
    } else {
#pragma unroll
      for (int i = 0; i < 2 * kRowBlocks; ++i) {
        const int32_t m =
            row + i * 32 - i % 2 * 24 + thread / 32 * 16 + thread % 32 / 4;
        a_at_[i] = m < params.epilogue.m ? m : params.epilogue.m - 1;
      }
#pragma unroll
      for (int i = 0; i < kOfB; ++i) {
        b_at_[i] = RowOfB(params, column + i * kGroupColumns);
      }
    }
  }

  // Those of row block kRows.
  template <int kRows>
  __device__ __forceinline__ void Load(Unit& unit) const {
    if constexpr (kSwapped) {
      // Two at once; there are M of them, rounded up to a multiple of 4.
      const int32_t last = static_cast<int32_t>(params_.a_stride) - 2;
#pragma unroll
      for (int i = 0; i < kOfA / 2; ++i) {
        const int32_t m = a_at_[0] + 8 * i;
        const float2 two =
            *reinterpret_cast<const float2*>(a_ + (m < last ? m : last));
        unit.a[2 * i] = two.x;
        unit.a[2 * i + 1] = two.y;
      }
      unit.b[0] = b_[b_at_[kRows]];
    } else {
#pragma unroll
      for (int i = 0; i < 2; ++i) unit.a[i] = a_[a_at_[2 * kRows + i]];
#pragma unroll
      for (int i = 0; i < kOfB; ++i) unit.b[i] = b_[b_at_[i]];
    }
  }

  // On to the next 128 of K. Those past the last, of which a wide stage may
  // hold some, are zeros that take the last one's scales.
  __device__ __forceinline__ void Advance() {
    if (Shape::kBlocks > 1 && ++k_block_ >= params_.k_blocks) return;
    a_ += params_.a_stride;
    ++b_;
  }

  // sum += scale of A * scale of B * product.
  __device__ __forceinline__ static void Add(
      const Unit& unit, const float (&product)[Shape::kBlockRegisters],
      float (&sum)[Shape::kBlockRegisters]) {
#pragma unroll
    for (int i = 0; i < Shape::kBlockRegisters; ++i) {
      // This thread's row i % 4 / 2 and column i / 4 * 8 + i % 2, see wgmma.h.
      const float a = unit.a[kSwapped ? i / 4 * 2 + i % 2 : i % 4 / 2];
      const float b = unit.b[kSwapped ? 0 : i / 4 * 8 / kGroupColumns];
      sum[i] += a * b * product[i];
    }
  }

 private:
  // Where the scales of B for column n of D begin. A tile may reach past N, or
  // M; what is computed there is never stored, and takes the last ones.
  __device__ __forceinline__ int64_t RowOfB(const GemmParams& params,
                                            int32_t n) const {
    const int32_t last = params.epilogue.n - 1;
    return (n < last ? n : last) / 128 * params_.b_stride;
  }

  const BlockScaleParams& params_;
  const float* a_;  // of this 128 of K
  const float* b_;
  uint32_t k_block_;
  // From a_ and b_ on.
  int32_t a_at_[kSwapped ? 1 : 2 * kRowBlocks];
  int64_t b_at_[kSwapped ? kRowBlocks : kOfB];
};

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_BLOCK_SCALES_CUH_
