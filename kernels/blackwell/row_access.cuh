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

// Whether sixteen elements from a multiple of 16 on are aligned vectors.
__device__ __forceinline__ bool IsAlignedForVectors(const void* base) {
  return reinterpret_cast<uintptr_t>(base) % 16 == 0;
}

// Reads the first `valid` (0 to 16) of sixteen elements of 16 or 32 bits,
// `stride` elements apart; the rest of `values` is 0.
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
      bits[i] = bytes == 4 ? static_cast<const uint32_t*>(address)[i * stride]
                           : static_cast<const uint16_t*>(address)[i * stride];
    }
  }
  UnpackSixteen(type, bits, values);
}

// Reads one element of 16 or 32 bits.
__device__ __forceinline__ float LoadOne(ElementType type,
                                         const void* address) {
  if (type == ElementType::kFp32) return *static_cast<const float*>(address);
  const uint32_t bits = *static_cast<const uint16_t*>(address);
  return type == ElementType::kBf16 ? __uint_as_float(bits << 16)
                                    : UnpackFp16(bits);
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
