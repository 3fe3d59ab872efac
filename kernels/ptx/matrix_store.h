// stmatrix: a warp stores 8x8 matrices of 16-bit elements to shared memory.
//
// Use it to write wgmma accumulators, packed to 16 bits, row by row: the
// fragment that stmatrix takes is the one that wgmma leaves. Device code only,
// sm_90 or later.
//
//   // Lanes 0-7 give the rows of the first matrix, 8-15 of the second, ...
//   void* row = tile + (lane % 16) * kPitch + (lane / 16) * 16;
//   ptx::stmatrix_x4(row, packed[0], packed[1], packed[2], packed[3]);
#ifndef TILETUNE_KERNELS_PTX_MATRIX_STORE_H_
#define TILETUNE_KERNELS_PTX_MATRIX_STORE_H_

#include <cstdint>

#include "kernels/ptx/cluster.h"

namespace tiletune::ptx {

// Stores four matrices; `row` is the 16-byte row that this lane addresses.
// PTX ISA 9.7.14.5.16.
__device__ __forceinline__ void stmatrix_x4(void* row, uint32_t r0, uint32_t r1,
                                            uint32_t r2, uint32_t r3) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x4.shared::cta.b16 [%0], {%1, %2, %3, "
      "%4};" ::"r"(cvta_to_shared(row)),
      "r"(r0), "r"(r1), "r"(r2), "r"(r3)
      : "memory");
}

// Stores two matrices; lanes 0-15 address their rows. PTX ISA 9.7.14.5.16.
__device__ __forceinline__ void stmatrix_x2(void* row, uint32_t r0,
                                            uint32_t r1) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x2.shared::cta.b16 [%0], {%1, %2};" ::"r"(
          cvta_to_shared(row)),
      "r"(r0), "r"(r1)
      : "memory");
}

// The same, each matrix transposed: an address is of one of its columns.
__device__ __forceinline__ void stmatrix_x4_trans(void* column, uint32_t r0,
                                                  uint32_t r1, uint32_t r2,
                                                  uint32_t r3) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16 [%0], {%1, %2, %3, "
      "%4};" ::"r"(cvta_to_shared(column)),
      "r"(r0), "r"(r1), "r"(r2), "r"(r3)
      : "memory");
}

__device__ __forceinline__ void stmatrix_x2_trans(void* column, uint32_t r0,
                                                  uint32_t r1) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 [%0], {%1, %2};" ::
          "r"(cvta_to_shared(column)),
      "r"(r0), "r"(r1)
      : "memory");
}

}  // namespace tiletune::ptx

#endif  // TILETUNE_KERNELS_PTX_MATRIX_STORE_H_
