// Rows of A that start at any element, of which TMA knows nothing.
//
// TMA reads from multiples of 16 bytes, coordinates included, and its strides
// are multiples of 16 bytes. Every eighth row starts at the same place between
// two such multiples, so a map each describes rows j, j + 8, j + 16, ... of a
// 16-bit operand, from the multiple before row j on:
//
//   memory        | 16 bytes | 16 bytes | ...
//   row j, j + 8       ^ s_j elements after the multiple: 0 to 7
//   box j         |<-- 64 + 8 elements -->|   holds 64 of the row from s_j on
//
// A stage of T rows is eight boxes of T / 8 rows of 144 bytes. No swizzle:
// wgmma could not read what is shifted, so consumers load their fragments of A
// into registers, which at 144 bytes a row meet in no bank. Warp w takes boxes
// 2w and 2w + 1, all of whose rows are shifted alike; so the product's rows are
// not in the order of A's:
//
//   row 16 w + 8 i + g of a product of 64 rows   is row 8 g + 2 w + i of A
//
//   ShiftedRows<Shape> rows(params.a_row_shift);
//   rows.LoadFragments(stage, first_row, first_step, fragments);
#ifndef TILETUNE_KERNELS_HOPPER_SHIFTED_ROWS_CUH_
#define TILETUNE_KERNELS_HOPPER_SHIFTED_ROWS_CUH_

#include <cstdint>

#include "kernels/hopper/thread_index.cuh"

namespace tiletune::hopper {

// The row of A that is row 16 * warp + 8 * half + group of a product of 64
// rows.
template <class Shape>
__device__ __forceinline__ int RowOfProduct(int warp, int half, int group) {
  return Shape::kShiftedRows ? 8 * group + 2 * warp + half
                             : 16 * warp + 8 * half + group;
}

template <class Shape>
class ShiftedRows {
 public:
  static constexpr int kBoxes = 8;
  static constexpr int kBoxRows = Shape::kTileM / kBoxes;
  // Consumers load half a stage at a time: so many wgmma along K.
  static constexpr int kSteps = Shape::kTileK / 16 / 2;
  using Fragments = uint32_t[Shape::kRowBlocks][kSteps][4];

  // Elements by which the rows of box `box` are shifted.
  __device__ __forceinline__ static uint32_t Shift(uint32_t row_shift,
                                                   uint32_t box) {
    return row_shift * box % 8;
  }

  __device__ __forceinline__ explicit ShiftedRows(uint32_t row_shift) {
    const int thread = ThreadInWarpgroup();
    const int lane = thread % 32;
    const int warp = thread / 32;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const uint32_t box = 2 * warp + half;
      const uint32_t shift = Shift(row_shift, box);
      odd_[half] = shift % 2 != 0;
      offset_[half] = (box * kBoxRows + lane / 4) * Shape::kShiftedRowBytes +
                      shift / 2 * 4 + lane % 4 * 4;
    }
  }

  // A's fragments of this warpgroup's rows, which begin at `first_row` of the
  // tile, and kSteps from `first_step` on, for MmaAsyncA.
  __device__ __forceinline__ void LoadFragments(const uint8_t* stage,
                                                int first_row, int first_step,
                                                Fragments& a) const {
    const uint8_t* const rows =
        stage + first_row / kBoxes * Shape::kShiftedRowBytes + first_step * 32;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if (odd_[half]) {
        LoadHalf<true>(rows + offset_[half], half, a);
      } else {
        LoadHalf<false>(rows + offset_[half], half, a);
      }
    }
  }

 private:
  // Pairs of elements that start between two words come from both.
  template <bool kOdd>
  __device__ __forceinline__ static void LoadHalf(const uint8_t* from, int half,
                                                  Fragments& a) {
#pragma unroll
    for (int block = 0; block < Shape::kRowBlocks; ++block) {
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          const uint32_t* const at = reinterpret_cast<const uint32_t*>(
              from + block * 64 / kBoxes * Shape::kShiftedRowBytes + step * 32 +
              h * 16);
          a[block][step][2 * h + half] =
              kOdd ? __funnelshift_r(at[0], at[1], 16) : at[0];
        }
      }
    }
  }

  bool odd_[2];
  uint32_t offset_[2];  // bytes, of this thread's words in a stage
};

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_SHIFTED_ROWS_CUH_
