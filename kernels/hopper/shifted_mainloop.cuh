// The mainloop of kernels whose rows of A may start at any element: as
// mainloop.cuh, but A goes to wgmma through registers (shifted_rows.cuh).
//
//   ShiftedMainloop<Shape, Supply> mainloop(params, shared, /*consumer=*/1,
//                                           /*first_row=*/64,
//                                           /*first_column=*/0);
//   mainloop.Run(k_tiles, accumulators);   // all 128 threads
#ifndef TILETUNE_KERNELS_HOPPER_SHIFTED_MAINLOOP_CUH_
#define TILETUNE_KERNELS_HOPPER_SHIFTED_MAINLOOP_CUH_

#include <cstdint>

#include "kernels/hopper/gemm_params.h"
#include "kernels/hopper/gemm_shape.cuh"
#include "kernels/hopper/shifted_rows.cuh"
#include "kernels/ptx/mbarrier.h"
#include "kernels/ptx/wgmma.h"

namespace tiletune::hopper {

template <class Shape, class Supply>
class ShiftedMainloop {
 public:
  using Storage = SharedStorage<Shape, Supply>;
  using Accumulators = float[Shape::kRowBlocks][Shape::kBlockRegisters];

  __device__ __forceinline__ ShiftedMainloop(const ShiftedRowsParams& params,
                                             Storage& shared, int /*consumer*/,
                                             int first_row, int first_column)
      : params_(params),
        shared_(shared),
        rows_(params.a_row_shift),
        first_row_(first_row),
        first_column_(first_column) {}

  // Overwrites `sum` with the product of the next `k_tiles` stages.
  __device__ __forceinline__ void Run(uint32_t k_tiles, Accumulators& sum) {
#pragma unroll
    for (int i = 0; i < Shape::kRowBlocks; ++i) {
#pragma unroll
      for (int j = 0; j < Shape::kBlockRegisters; ++j) sum[i][j] = 0.0f;
    }
    if (k_tiles == 0) return;
    if (params_.a_type == ElementType::kBf16) {
      Loop<ptx::WgmmaType::kBf16>(k_tiles, sum);
    } else {
      Loop<ptx::WgmmaType::kFp16>(k_tiles, sum);
    }
  }

 private:
  using Fragments = typename ShiftedRows<Shape>::Fragments;

  // Half a stage is multiplied while the next half's A is loaded. No stage is
  // peeled off: that would double the registers for A.
  template <ptx::WgmmaType kType>
  __device__ __forceinline__ void Loop(uint32_t k_tiles, Accumulators& sum) {
    Fragments first, second;
    uint32_t previous = kNone;
#pragma unroll 1
    for (uint32_t i = 0; i < k_tiles; ++i) {
      ptx::mbarrier_wait_parity(&shared_.full[at_.stage], at_.parity);
      ptx::wgmma_wait_group<1>();
      Multiply<kType, 0>(first, sum);
      ptx::wgmma_wait_group<1>();
      if (previous != kNone) Release(previous);
      Multiply<kType, 1>(second, sum);
      previous = at_.stage;
      at_.Advance();
    }
    ptx::wgmma_wait_group<0>();
    // Nothing that reads the sums may move up over the wait, which does not
    // name them: not even a copy of a register.
#pragma unroll
    for (int i = 0; i < Shape::kRowBlocks; ++i) {
#pragma unroll
      for (int j = 0; j < Shape::kBlockRegisters; ++j) {
        asm volatile("" : "+f"(sum[i][j])::"memory");
      }
    }
    Release(previous);
  }

  // Each warp for itself, as each waited for its own wgmma; but for all its
  // lanes, each of which has read A.
  __device__ __forceinline__ void Release(uint32_t stage) {
    __syncwarp();
    if (threadIdx.x % 32 == 0) ptx::mbarrier_arrive(&shared_.empty[stage]);
  }

  // Loads A's fragments of half of stage at_ and issues the wgmma, as one
  // group.
  template <ptx::WgmmaType kType, int kHalf>
  __device__ __forceinline__ void Multiply(Fragments& a, Accumulators& sum) {
    constexpr int kSteps = ShiftedRows<Shape>::kSteps;
    rows_.LoadFragments(shared_.a[at_.stage], first_row_, kHalf * kSteps, a);
    ptx::wgmma_fence();
    const uint8_t* b_stage = shared_.b[at_.stage] + first_column_ * 128;
    const uint64_t b =
        ptx::WgmmaDescriptor128B(ptx::cvta_to_shared(b_stage), 0);
#pragma unroll
    for (int i = 0; i < kSteps; ++i) {
      const int step = kHalf * kSteps + i;
#pragma unroll
      for (int block = 0; block < Shape::kRowBlocks; ++block) {
        ptx::Wgmma<Shape::kColumnsPerConsumer>::template MmaAsyncA<kType, 0>(
            sum[block], a[block][i],
            ptx::WgmmaDescriptorAt(
                b, step / 4 * Shape::kBBlockBytes + step % 4 * 32),
            /*scale_d=*/true);
      }
    }
    ptx::wgmma_commit_group();
  }

  static constexpr uint32_t kNone = ~0u;

  const ShiftedRowsParams& params_;
  Storage& shared_;
  ShiftedRows<Shape> rows_;
  StageCursor<Shape::kStages> at_;
  int first_row_;
  int first_column_;
};

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_SHIFTED_MAINLOOP_CUH_
