// Elements of C, D and the bias: loads, stores and activations in fp32.
//
//   float c = LoadElement(params.c, params.c_type, index);
//   float4 four = LoadFour(params.c, params.c_type, index);  // aligned
//   StoreElement(params.d, params.d_type, index, Activate(kind, value));
#ifndef TILETUNE_KERNELS_HOPPER_ELEMENT_CUH_
#define TILETUNE_KERNELS_HOPPER_ELEMENT_CUH_

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/hopper/gemm_params.h"

namespace tiletune::hopper {

// Two values as adjacent 16-bit elements, `low` first, round to nearest even.
__device__ __forceinline__ uint32_t PackTwo(ElementType type, float low,
                                            float high) {
  uint32_t packed;
  if (type == ElementType::kFp16) {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  } else {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  }
  return packed;
}

__device__ __forceinline__ float UnpackOne(ElementType type, uint16_t bits) {
  if (type == ElementType::kFp16) {
    return __half2float(__ushort_as_half(bits));
  }
  return __uint_as_float(static_cast<uint32_t>(bits) << 16);
}

__device__ __forceinline__ float LoadElement(const void* base, ElementType type,
                                             int64_t index) {
  if (type == ElementType::kFp32) {
    return static_cast<const float*>(base)[index];
  }
  return UnpackOne(type, static_cast<const uint16_t*>(base)[index]);
}

// Elements index .. index + 3, which start at a multiple of their size.
__device__ __forceinline__ float4 LoadFour(const void* base, ElementType type,
                                           int64_t index) {
  if (type == ElementType::kFp32) {
    return *reinterpret_cast<const float4*>(static_cast<const float*>(base) +
                                            index);
  }
  const ushort4 v = *reinterpret_cast<const ushort4*>(
      static_cast<const uint16_t*>(base) + index);
  return make_float4(UnpackOne(type, v.x), UnpackOne(type, v.y),
                     UnpackOne(type, v.z), UnpackOne(type, v.w));
}

__device__ __forceinline__ void StoreElement(void* base, ElementType type,
                                             int64_t index, float value) {
  if (type == ElementType::kFp32) {
    static_cast<float*>(base)[index] = value;
  } else {
    static_cast<uint16_t*>(base)[index] =
        static_cast<uint16_t>(PackTwo(type, value, 0.0f));
  }
}

__device__ __forceinline__ void StoreFour(void* base, ElementType type,
                                          int64_t index, float4 v) {
  if (type == ElementType::kFp32) {
    *reinterpret_cast<float4*>(static_cast<float*>(base) + index) = v;
  } else {
    *reinterpret_cast<uint2*>(static_cast<uint16_t*>(base) + index) =
        make_uint2(PackTwo(type, v.x, v.y), PackTwo(type, v.z, v.w));
  }
}

// GELU is the exact one, x * Phi(x), not the tanh approximation.
__device__ __forceinline__ float Activate(ActivationKind kind, float x) {
  switch (kind) {
    case ActivationKind::kRelu:
      // Not fmaxf, which would turn NaN into 0.
      return x < 0.0f ? 0.0f : x;
    case ActivationKind::kGelu:
      return 0.5f * x * (1.0f + erff(x * 0.70710678f));
    case ActivationKind::kSilu:
      return x / (1.0f + __expf(-x));
    case ActivationKind::kNone:
      break;
  }
  return x;
}

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_ELEMENT_CUH_
