// The scales of one tile of a block-scaled GEMM, walked along K: A has one for
// each row and 128 of K, B one for each 128 columns of D and 128 of K.
//
//   BlockScales<Shape> scales(params, row, column, batch, first_k_block);
//   typename BlockScales<Shape>::Unit unit;
//   scales.Load<0>(unit);      // those of 64 rows and 128 of K
//   scales.Advance();          // the next 128 of K
//   scales.Add(unit, product, sum);
//
// They come straight from global memory. Lanes that need the same ones share
// the loads: each holds those of another 128 of K, which the others get by a
// shuffle, so that few loads are made long before they are needed.
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
  static constexpr int kRowBlocks = Shape::kRowBlocks;
  // Tiles start at multiples of this within a block of 128.
  static constexpr int kStep = kColumns & -kColumns;
  // For all of a thread's elements: it has two of every 64 rows, and two of
  // every 8 columns, which lie in one block of 128 or in two.
  static constexpr int kOfA = kSwapped ? kColumns / 4 : 2 * kRowBlocks;
  static constexpr int kOfB =
      kSwapped ? kRowBlocks : (128 % kColumns == 0 ? 1 : 2);
  // Scales of 64 rows: one of A times one of B.
  static constexpr int kScales = kSwapped ? kOfA : 2 * kOfB;
  // A quad's lanes have the same rows, lanes 4 apart the same columns.
  static constexpr uint32_t kSharers = kSwapped ? 8 : 4;

  static_assert(kSwapped || kColumns <= 128 + kStep || kColumns == 256);

 public:
  // What a thread needs for its part of 64 rows, all columns and 128 of K.
  struct Unit {
    float scales[kScales];
  };

  // (row, column): this warpgroup's first element in the product.
  __device__ __forceinline__ BlockScales(const GemmParams& params, int32_t row,
                                         int32_t column, int32_t batch,
                                         uint32_t k_block)
      : params_(params),
        row_(row),
        column_(column),
        batch_(batch),
        next_block_(k_block) {
    LoadNext();
  }

  // Those of row block kRows and this 128 of K. All lanes of a warp.
  template <int kRows>
  __device__ __forceinline__ void Load(Unit& unit) {
    if (kRows == 0 && holder_ == 0) TakeLoaded();
    const int lane = kSwapped ? holder_ * 4 + threadIdx.x % 4
                              : threadIdx.x % 32 / 4 * 4 + holder_;
#pragma unroll
    for (int i = 0; i < kScales; ++i) {
      unit.scales[i] = __shfl_sync(0xffffffffu, held_[kRows][i], lane);
    }
  }

  // On to the next 128 of K.
  __device__ __forceinline__ void Advance() {
    if (++holder_ == kSharers) holder_ = 0;
  }

  // sum += scale of A * scale of B * product.
  __device__ __forceinline__ void Add(
      const Unit& unit, const float (&product)[Shape::kBlockRegisters],
      float (&sum)[Shape::kBlockRegisters]) const {
#pragma unroll
    for (int i = 0; i < Shape::kBlockRegisters; ++i) {
      // This thread's row i % 4 / 2 and column i / 4 * 8 + i % 2, see wgmma.h.
      if constexpr (kSwapped) {
        sum[i] += unit.scales[i / 4 * 2 + i % 2] * product[i];
      } else {
        const int row = i % 4 / 2 * kOfB;
        sum[i] += (IsInSecondBlock(i / 4 * 8) ? unit.scales[row + kOfB - 1]
                                              : unit.scales[row]) *
                  product[i];
      }
    }
  }

 private:
  // Whether `column` of these lies in another block than the first one.
  __device__ __forceinline__ bool IsInSecondBlock(int column) const {
    if (kColumns % 128 == 0 || column >= 128) return column >= 128;
    return kOfB == 2 && column >= kStep && column_ % 128 + column >= 128;
  }

  __device__ __forceinline__ void TakeLoaded() {
#pragma unroll
    for (int rows = 0; rows < kRowBlocks; ++rows) {
#pragma unroll
      for (int i = 0; i < kScales; ++i) {
        held_[rows][i] =
            kSwapped ? loaded_a_[i] * loaded_b_[rows]
                     : loaded_a_[2 * rows + i / kOfB] * loaded_b_[i % kOfB];
      }
    }
    LoadNext();
  }

  // Those of the next kSharers times 128 of K, one for each sharer. Past the
  // last there are zeros, if any; they take the last one's scales. A tile may
  // reach past M or N, too: what is computed there is never stored. All that is
  // computed here is for once in a while, and would take registers otherwise.
  __device__ __forceinline__ void LoadNext() {
    const BlockScaleParams& scales = params_.block_scales;
    const int thread = ThreadInWarpgroup();
    const uint32_t last_block = scales.k_blocks - 1;
    const uint32_t own_block =
        next_block_ + (kSwapped ? thread % 32 / 4 : thread % 4);
    const uint32_t k = own_block < last_block ? own_block : last_block;
    next_block_ += kSharers;
    const float* const a =
        scales.a + batch_ * scales.a_batch + k * scales.a_stride;
    if constexpr (kSwapped) {
      // Two at once; there are M of them, rounded up to a multiple of 4.
      const int32_t last = static_cast<int32_t>(scales.a_stride) - 2;
#pragma unroll
      for (int i = 0; i < kOfA / 2; ++i) {
        const int32_t m = column_ + thread % 4 * 2 + 8 * i;
        const float2 two =
            *reinterpret_cast<const float2*>(a + (m < last ? m : last));
        loaded_a_[2 * i] = two.x;
        loaded_a_[2 * i + 1] = two.y;
      }
    } else {
      const int32_t last = params_.epilogue.m - 1;
#pragma unroll
      for (int i = 0; i < kOfA; ++i) {
        const int32_t m =
            row_ + thread / 32 * 16 + thread % 32 / 4 + i / 2 * 64 + i % 2 * 8;
        loaded_a_[i] = a[m < last ? m : last];
      }
    }
    const float* const b = scales.b + batch_ * scales.b_batch + k;
    const int32_t last = params_.epilogue.n - 1;
#pragma unroll
    for (int i = 0; i < kOfB; ++i) {
      const int32_t n = kSwapped ? row_ + i * 64 : column_ + i * (kColumns - 8);
      loaded_b_[i] = b[(n < last ? n : last) / 128 * scales.b_stride];
    }
  }

  const GemmParams& params_;
  int32_t row_;
  int32_t column_;
  int32_t batch_;
  uint32_t next_block_;  // of K, not loaded yet
  uint32_t holder_ = 0;  // the sharer that holds this 128 of K's
  float loaded_a_[kOfA];
  float loaded_b_[kOfB];
  float held_[kRowBlocks][kScales];
};

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_BLOCK_SCALES_CUH_
