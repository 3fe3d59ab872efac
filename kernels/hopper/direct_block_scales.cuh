// The scales of a block-scaled product of 64 x 128, as block_scales.cuh has
// them for other widths, but each loaded by every lane that needs it, just
// before its 128 of K are multiplied.
//
//   DirectBlockScales<Shape> scales(params, row, column, batch, first_k_block);
//   typename DirectBlockScales<Shape>::Unit unit;
//   scales.Load<0>(unit);      // those of 64 rows and 128 of K
//   scales.Advance();          // the next 128 of K
//   scales.Add(unit, product, sum);
//
// With two parts and two warpgroups (mainloop_block_scaled.cuh) nothing waits
// for these loads, and a shuffle for each 128 of K cost 128 x 128 tiles 5 to
// 12 % (docs/results/h200.md).
#ifndef TILETUNE_KERNELS_HOPPER_DIRECT_BLOCK_SCALES_CUH_
#define TILETUNE_KERNELS_HOPPER_DIRECT_BLOCK_SCALES_CUH_

#include <cstdint>

#include "kernels/hopper/gemm_params.h"
#include "kernels/hopper/gemm_shape.cuh"
#include "kernels/hopper/thread_index.cuh"

namespace tiletune::hopper {

template <class Shape>
class DirectBlockScales {
  static_assert(!Shape::kSwapped && Shape::kRowBlocks == 1 &&
                Shape::kColumnsPerConsumer == 128 && Shape::kBlocks == 1);

 public:
  // A thread has two of 64 rows.
  struct Unit {
    float a[2];
    float b;
  };

  // (row, column): this warpgroup's first element in the product.
  __device__ __forceinline__ DirectBlockScales(const GemmParams& params,
                                               int32_t row, int32_t column,
                                               int32_t batch, uint32_t k_block)
      : params_(params.block_scales) {
    a_ = params_.a + batch * params_.a_batch + k_block * params_.a_stride;
    b_ = params_.b + batch * params_.b_batch + k_block;
    const int thread = ThreadInWarpgroup();
    // A tile may reach past M or N; what is computed there is never stored, and
    // takes the last scales.
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int32_t m =
          row + i * 32 - i % 2 * 24 + thread / 32 * 16 + thread % 32 / 4;
      a_at_[i] = m < params.epilogue.m ? m : params.epilogue.m - 1;
    }
    const int32_t last = params.epilogue.n - 1;
    b_at_ = (column < last ? column : last) / 128 * params_.b_stride;
  }

  // Those of this 128 of K.
  template <int kRows>
  __device__ __forceinline__ void Load(Unit& unit) const {
    static_assert(kRows == 0);
#pragma unroll
    for (int i = 0; i < 2; ++i) unit.a[i] = a_[a_at_[i]];
    unit.b = b_[b_at_];
  }

  // On to the next 128 of K.
  __device__ __forceinline__ void Advance() {
    a_ += params_.a_stride;
    ++b_;
  }

  // sum += scale of A * scale of B * product.
  __device__ __forceinline__ void Add(
      const Unit& unit, const float (&product)[Shape::kBlockRegisters],
      float (&sum)[Shape::kBlockRegisters]) const {
#pragma unroll
    for (int i = 0; i < Shape::kBlockRegisters; ++i) {
      // This thread's row i % 4 / 2, see wgmma.h.
      sum[i] += unit.a[i % 4 / 2] * unit.b * product[i];
    }
  }

 private:
  const BlockScaleParams& params_;
  const float* a_;  // of this 128 of K
  const float* b_;
  int32_t a_at_[2];  // from a_ and b_ on
  int64_t b_at_;
};

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_DIRECT_BLOCK_SCALES_CUH_
