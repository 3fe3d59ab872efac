// Sums as 16-bit elements in a box in shared memory, 128 bytes a row in TMA's
// 128-byte swizzle, in the orientation of D: on their way to a TMA store, or to
// box_rows.cuh.
//
//   const BoxStaging<Shape> stager(d_type, alpha, warp, lane);
//   stager.StoreColumns(box, /*pair=*/0, sum);    // columns 0 .. 15
//   stager.StoreTransposed(box, sum);             // a kernel with kSwapped
#ifndef TILETUNE_KERNELS_HOPPER_BOX_STAGING_CUH_
#define TILETUNE_KERNELS_HOPPER_BOX_STAGING_CUH_

#include <cstdint>

#include "kernels/hopper/element.cuh"
#include "kernels/hopper/gemm_params.h"
#include "kernels/hopper/shifted_rows.cuh"
#include "kernels/ptx/matrix_store.h"

namespace tiletune::hopper {

// `v` is a thread's accumulators of a wgmma (PTX ISA 9.7.15.5.1, matrix D), the
// first of those to be stored; all are multiplied by alpha.
template <class Shape>
class BoxStaging {
 public:
  __device__ __forceinline__ BoxStaging(ElementType type, float alpha, int warp,
                                        int lane)
      : type_(type), alpha_(alpha), warp_(warp), lane_(lane) {}

  // Columns 16 * pair .. + 15 of this warp's 16 rows, which are the box.
  __device__ __forceinline__ void StoreColumns(uint8_t* box, int pair,
                                               const float* v) const {
    uint32_t packed[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) packed[i] = Pack(v[2 * i], v[2 * i + 1]);
    const uint32_t row = lane_ % 16;
    const uint32_t vector = (2 * pair + lane_ / 16) ^ (row % 8);
    ptx::stmatrix_x4(box + row * 128 + vector * 16, packed[0], packed[1],
                     packed[2], packed[3]);
  }

  // This warp's 16 columns of a box of kStoreRows rows, all four warps'.
  __device__ __forceinline__ void StoreTransposed(uint8_t* box,
                                                  const float* v) const {
    constexpr int kRows = Shape::kStoreRows;
#pragma unroll
    for (int r = 0; r < kRows; r += 16) {
      if constexpr (Shape::kShiftedRows) {
        StorePairs<(kRows < 16 ? 1 : 2)>(box, r, v + r / 2);
      } else {
        StoreSixteenRows<(kRows < 16)>(box, r, v + r / 2);
      }
    }
  }

 private:
  // Rows `first` .. + 15 (or + 7).
  template <bool kOnlyEight>
  __device__ __forceinline__ void StoreSixteenRows(uint8_t* box, int first,
                                                   const float* v) const {
    uint32_t packed[kOnlyEight ? 2 : 4];
#pragma unroll
    for (int i = 0; i < (kOnlyEight ? 2 : 4); ++i) {
      packed[i] = Pack(v[2 * i], v[2 * i + 1]);
    }
    const uint32_t row =
        first + lane_ / 16 % (kOnlyEight ? 1 : 2) * 8 + lane_ % 8;
    const uint32_t vector = (2 * warp_ + lane_ / 8 % 2) ^ (row % 8);
    uint8_t* const to = box + row * 128 + vector * 16;
    if constexpr (kOnlyEight) {
      ptx::stmatrix_x2_trans(to, packed[0], packed[1]);
    } else {
      ptx::stmatrix_x4_trans(to, packed[0], packed[1], packed[2], packed[3]);
    }
  }

  // The same, 8 * kEights rows, where the columns of D are those of shifted
  // rows: the two of a thread are neighbours, and no matrix of 8 x 8 is.
  template <int kEights>
  __device__ __forceinline__ void StorePairs(uint8_t* box, int first,
                                             const float* v) const {
    const uint32_t n = RowOfProduct<Shape>(warp_, /*half=*/0, lane_ / 4);
#pragma unroll
    for (int j = 0; j < kEights; ++j) {
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        const uint32_t row = first + 8 * j + lane_ % 4 * 2 + c;
        const uint32_t vector = n / 8 ^ (row % 8);
        *reinterpret_cast<uint32_t*>(box + row * 128 + vector * 16 +
                                     n % 8 * 2) =
            Pack(v[4 * j + c], v[4 * j + 2 + c]);
      }
    }
  }

  __device__ __forceinline__ uint32_t Pack(float low, float high) const {
    return PackTwo(type_, alpha_ * low, alpha_ * high);
  }

  ElementType type_;
  float alpha_;
  int warp_;
  int lane_;
};

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_BOX_STAGING_CUH_
