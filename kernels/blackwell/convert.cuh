// Conversions between fp32 registers and packed elements in memory.
//
// Use it where the epilogue reads C and bias, or writes D. Sixteen elements at
// a time, packed little-endian into 32-bit words, as they lie in memory.
// Rounds to nearest even; 8-bit results saturate. Device code.
//
//   uint32_t words[16];                 // 16 fp32, 8 bf16/fp16 or 4 fp8 words
//   PackSixteen(ElementType::kBf16, values, words);
//   SplitWords(BytesOf(ElementType::kBf16), words, bits);  // one an element
//   UnpackSixteen(ElementType::kBf16, bits, values);
#ifndef TILETUNE_KERNELS_BLACKWELL_CONVERT_CUH_
#define TILETUNE_KERNELS_BLACKWELL_CONVERT_CUH_

#include <cstdint>

#include "kernels/blackwell/parameters.h"

namespace tiletune::blackwell {

__device__ __forceinline__ uint32_t BytesOf(ElementType type) {
  return type == ElementType::kFp32                                 ? 4
         : type == ElementType::kBf16 || type == ElementType::kFp16 ? 2
                                                                    : 1;
}

// All conversions: PTX ISA 9.7.9.21 (cvt). `low` is the element at the lower
// address.
__device__ __forceinline__ uint32_t PackBf16(float low, float high) {
  uint32_t word;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
}

__device__ __forceinline__ uint32_t PackFp16(float low, float high) {
  uint32_t word;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
}

__device__ __forceinline__ uint32_t PackE4m3(float low, float high) {
  uint16_t half;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;"
      : "=h"(half)
      : "f"(high), "f"(low));
  return half;
}

__device__ __forceinline__ uint32_t PackE5m2(float low, float high) {
  uint16_t half;
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;"
      : "=h"(half)
      : "f"(high), "f"(low));
  return half;
}

__device__ __forceinline__ float UnpackFp16(uint32_t bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(static_cast<uint16_t>(bits)));
  return value;
}

// Sixteen elements of `bytes` each, from packed words to one a word.
__device__ __forceinline__ void SplitWords(uint32_t bytes,
                                           const uint32_t (&words)[16],
                                           uint32_t (&bits)[16]) {
  if (bytes == 4) {
#pragma unroll
    for (int i = 0; i < 16; ++i) bits[i] = words[i];
  } else if (bytes == 2) {
#pragma unroll
    for (int i = 0; i < 16; ++i) bits[i] = words[i / 2] >> i % 2 * 16 & 0xffff;
  } else {
#pragma unroll
    for (int i = 0; i < 16; ++i) bits[i] = words[i / 4] >> i % 4 * 8 & 0xff;
  }
}

// Sixteen elements of a type that C or a bias may have, one a word, to fp32.
__device__ __forceinline__ void UnpackSixteen(ElementType type,
                                              const uint32_t (&bits)[16],
                                              float (&values)[16]) {
  if (type == ElementType::kFp32) {
#pragma unroll
    for (int i = 0; i < 16; ++i) values[i] = __uint_as_float(bits[i]);
  } else if (type == ElementType::kBf16) {
#pragma unroll
    for (int i = 0; i < 16; ++i) values[i] = __uint_as_float(bits[i] << 16);
  } else {
#pragma unroll
    for (int i = 0; i < 16; ++i) values[i] = UnpackFp16(bits[i]);
  }
}

// Packs 16 values into 16 (fp32), 8 (16-bit) or 4 (8-bit) words.
__device__ __forceinline__ void PackSixteen(ElementType type,
                                            const float (&values)[16],
                                            uint32_t (&words)[16]) {
  switch (type) {
    case ElementType::kFp32:
#pragma unroll
      for (int i = 0; i < 16; ++i) words[i] = __float_as_uint(values[i]);
      return;
    case ElementType::kBf16:
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        words[i] = PackBf16(values[2 * i], values[2 * i + 1]);
      }
      return;
    case ElementType::kFp16:
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        words[i] = PackFp16(values[2 * i], values[2 * i + 1]);
      }
      return;
    case ElementType::kE4m3:
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        words[i] = PackE4m3(values[4 * i], values[4 * i + 1]) |
                   PackE4m3(values[4 * i + 2], values[4 * i + 3]) << 16;
      }
      return;
    case ElementType::kE5m2:
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        words[i] = PackE5m2(values[4 * i], values[4 * i + 1]) |
                   PackE5m2(values[4 * i + 2], values[4 * i + 3]) << 16;
      }
      return;
  }
}

}  // namespace tiletune::blackwell

#endif  // TILETUNE_KERNELS_BLACKWELL_CONVERT_CUH_
