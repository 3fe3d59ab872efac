// Conversions between fp32 registers and packed elements in memory.
//
// Use it where the epilogue reads C and bias, or writes D. Sixteen elements at
// a time, packed little-endian into 32-bit words, as they lie in memory.
// Rounds to nearest even; 8-bit results saturate. Device code.
//
//   uint32_t words[16];                 // 16 fp32, 8 bf16/fp16 or 4 fp8 words
//   PackSixteen(ElementType::kBf16, values, words);
//   UnpackSixteen(ElementType::kBf16, words, values);
//   float one = UnpackOne(ElementType::kE4m3, bits);
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

// Two fp8 elements in the low half of `bits`, as two fp16 in one word.
__device__ __forceinline__ uint32_t Fp16FromE4m3(uint32_t bits) {
  uint32_t word;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;"
      : "=r"(word)
      : "h"(static_cast<uint16_t>(bits)));
  return word;
}

__device__ __forceinline__ uint32_t Fp16FromE5m2(uint32_t bits) {
  uint32_t word;
  asm("cvt.rn.f16x2.e5m2x2 %0, %1;"
      : "=r"(word)
      : "h"(static_cast<uint16_t>(bits)));
  return word;
}

__device__ __forceinline__ float UnpackOne(ElementType type, uint32_t bits) {
  switch (type) {
    case ElementType::kBf16:
      return __uint_as_float(bits << 16);
    case ElementType::kFp16:
      return UnpackFp16(bits);
    case ElementType::kFp32:
      return __uint_as_float(bits);
    case ElementType::kE4m3:
      return UnpackFp16(Fp16FromE4m3(bits));
    case ElementType::kE5m2:
      return UnpackFp16(Fp16FromE5m2(bits));
  }
  return 0;
}

// Sixteen elements of `bytes` each, from packed words to one a word.
__device__ __forceinline__ void SplitWords(uint32_t bytes,
                                           const uint32_t (&words)[16],
                                           uint32_t (&bits)[16]) {
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    bits[i] = bytes == 4   ? words[i]
              : bytes == 2 ? words[i / 2] >> i % 2 * 16 & 0xffff
                           : words[i / 4] >> i % 4 * 8 & 0xff;
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
