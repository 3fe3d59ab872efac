// RowAccess: sixteen neighbouring columns of one row of a matrix in global
// memory, read or written by one thread.
//
// Use it for C, D and vectors that run along the columns. Takes vectors of 16
// bytes where the matrix allows it and all sixteen columns exist, else one
// element at a time, never one that does not exist. Device code.
//
//   float c[16];
//   LoadSixteen(p.c.type, address, p.c.column_stride, valid,
//               p.c.is_vectorizable, c);
//   StoreSixteen(p.d.type, address, p.d.column_stride, valid,
//                p.d.is_vectorizable, words);
#ifndef TILETUNE_KERNELS_BLACKWELL_ROW_ACCESS_CUH_
#define TILETUNE_KERNELS_BLACKWELL_ROW_ACCESS_CUH_

#include <cstdint>

#include "kernels/blackwell/convert.cuh"
#include "kernels/blackwell/parameters.h"

namespace tiletune::blackwell {

// Reads the first `valid` (0 to 16) of sixteen elements, `stride` elements
// apart; the rest of `values` is 0.
__device__ __forceinline__ void LoadSixteen(ElementType type,
                                            const void* address, int64_t stride,
                                            uint32_t valid, bool vectorizable,
                                            float (&values)[16]) {
  const uint32_t bytes = BytesOf(type);
  uint32_t bits[16];
  if (vectorizable && valid == 16) {
    uint32_t words[16];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (i < bytes) {
        const uint4 v = static_cast<const uint4*>(address)[i];
        words[4 * i] = v.x;
        words[4 * i + 1] = v.y;
        words[4 * i + 2] = v.z;
        words[4 * i + 3] = v.w;
      }
    }
    SplitWords(bytes, words, bits);
  } else {
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      bits[i] = 0;
      if (i >= valid) continue;
      if (bytes == 4) {
        bits[i] = static_cast<const uint32_t*>(address)[i * stride];
      } else if (bytes == 2) {
        bits[i] = static_cast<const uint16_t*>(address)[i * stride];
      } else {
        bits[i] = static_cast<const uint8_t*>(address)[i * stride];
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 16; ++i) values[i] = UnpackOne(type, bits[i]);
}

// Writes the first `valid` (0 to 16) of sixteen packed elements, `stride`
// elements apart.
__device__ __forceinline__ void StoreSixteen(ElementType type, void* address,
                                             int64_t stride, uint32_t valid,
                                             bool vectorizable,
                                             const uint32_t (&words)[16]) {
  const uint32_t bytes = BytesOf(type);
  if (vectorizable && valid == 16) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (i < bytes) {
        static_cast<uint4*>(address)[i] = make_uint4(
            words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]);
      }
    }
    return;
  }
  uint32_t bits[16];
  SplitWords(bytes, words, bits);
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    if (i >= valid) continue;
    if (bytes == 4) {
      static_cast<uint32_t*>(address)[i * stride] = bits[i];
    } else if (bytes == 2) {
      static_cast<uint16_t*>(address)[i * stride] =
          static_cast<uint16_t>(bits[i]);
    } else {
      static_cast<uint8_t*>(address)[i * stride] =
          static_cast<uint8_t>(bits[i]);
    }
  }
}

}  // namespace tiletune::blackwell

#endif  // TILETUNE_KERNELS_BLACKWELL_ROW_ACCESS_CUH_
