// Rows of D, 16 bits an element, from a box in shared memory to wherever they
// start in device memory: for matrices whose rows TMA cannot write.
//
//   BoxRows rows(params.epilogue, lane);
//   stmatrix ... into `box`, 128 bytes a row, in TMA's 128-byte swizzle
//   rows.Write(box, /*first=*/0, /*step=*/1, /*rows=*/16, m, n, batch,
//              /*width=*/64);   // all 32 lanes
#ifndef TILETUNE_KERNELS_HOPPER_BOX_ROWS_CUH_
#define TILETUNE_KERNELS_HOPPER_BOX_ROWS_CUH_

#include <cstdint>

#include "kernels/hopper/gemm_params.h"

namespace tiletune::hopper {

// A row at a time, a word of two elements a lane: 128 contiguous bytes. In a
// row that starts at an odd element a word takes its halves from two lanes, and
// the elements at the ends go by themselves.
class BoxRows {
 public:
  __device__ __forceinline__ BoxRows(const EpilogueParams& params, int lane)
      : params_(params), lane_(lane) {}

  // Rows first, first + step, ... of the box's first `rows`; row r goes to
  // D[batch][m + r], from column n on. What lies outside M x N or beyond the
  // box's `width` columns (at most 64) is not touched.
  __device__ __forceinline__ void Write(const uint8_t* box, int first, int step,
                                        int rows, int32_t m, int32_t n,
                                        int32_t batch, int width) const {
    const int end = min(rows, params_.m - m);
    const int columns = min(width, params_.n - n);
    uint16_t* const d = static_cast<uint16_t*>(params_.d) +
                        batch * params_.batch_stride_d + m * params_.ldd + n;
    // Nothing beyond the box is read, where nobody has written.
    const int own = min(lane_, width / 2 - 1);
    const int one_before = max(own - 1, 0);
#pragma unroll 1
    for (int r = first; r < rows; r += kRowsAtOnce * step) {
      uint32_t words[kRowsAtOnce];
      uint32_t before[kRowsAtOnce];
#pragma unroll
      for (int i = 0; i < kRowsAtOnce; ++i) {
        const int row = min(r + i * step, rows - 1);
        words[i] = WordOf(box, row, own);
        before[i] = WordOf(box, row, one_before);
      }
#pragma unroll
      for (int i = 0; i < kRowsAtOnce; ++i) {
        const int row = r + i * step;
        WriteRow(d + row * params_.ldd, words[i], before[i],
                 row < end ? columns : 0);
      }
    }
  }

 private:
  static constexpr int kRowsAtOnce = 4;

  // Word `word` of a row of the box.
  __device__ __forceinline__ static uint32_t WordOf(const uint8_t* box,
                                                    uint32_t r, uint32_t word) {
    const uint32_t vector = (word / 4 ^ r) % 8;
    return *reinterpret_cast<const uint32_t*>(box + r * 128 + vector * 16 +
                                              word % 4 * 4);
  }

  // Without a branch or a shuffle: the compiler would take the loop over tiles
  // for divergent, and the mainloop's uniform registers from it.
  __device__ __forceinline__ void WriteRow(uint16_t* d, uint32_t word,
                                           uint32_t before, int columns) const {
    const bool odd = (reinterpret_cast<uintptr_t>(d) & 2) != 0;
    const int c = 2 * lane_;
    const int pair = odd ? c - 1 : c;
    StoreIf(pair >= 0 && pair + 1 < columns, d + pair,
            odd ? __funnelshift_r(before, word, 16) : word);
    const bool is_low_alone = odd ? c == 0 && columns > 0 : c + 1 == columns;
    StoreIf(is_low_alone, d + c, static_cast<uint16_t>(word));
    StoreIf(odd && c + 2 == columns, d + c + 1,
            static_cast<uint16_t>(word >> 16));
  }

  __device__ __forceinline__ static void StoreIf(bool condition, uint16_t* to,
                                                 uint32_t two) {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "setp.ne.s32 p, %2, 0;\n"
        "@p st.global.u32 [%0], %1;\n"
        "}\n" ::"l"(to),
        "r"(two), "r"(static_cast<int>(condition))
        : "memory");
  }

  __device__ __forceinline__ static void StoreIf(bool condition, uint16_t* to,
                                                 uint16_t one) {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "setp.ne.s32 p, %2, 0;\n"
        "@p st.global.u16 [%0], %1;\n"
        "}\n" ::"l"(to),
        "h"(one), "r"(static_cast<int>(condition))
        : "memory");
  }

  const EpilogueParams& params_;
  int lane_;
};

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_BOX_ROWS_CUH_
