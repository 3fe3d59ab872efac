// Elements of every DataType, read and written one at a time; types are chosen
// at run time. Slow and plain: for the reference kernels only.
//
//   float x = LoadElement(data, DataTypeCode::kBf16, index);
//   StoreElement(data, type, index, RoundElement(value, type));
#ifndef TILETUNE_KERNELS_REFERENCE_ELEMENT_CUH_
#define TILETUNE_KERNELS_REFERENCE_ELEMENT_CUH_

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>

namespace tiletune {

// The enumerators of DataType in problem.h, which device code does not include
// (it leans on Abseil). reference/launcher.cc asserts that they agree.
namespace data_type_code {
inline constexpr int32_t kBf16 = 0;
inline constexpr int32_t kFp16 = 1;
inline constexpr int32_t kFp32 = 2;
inline constexpr int32_t kFp8E4m3 = 3;
inline constexpr int32_t kFp8E5m2 = 4;
}  // namespace data_type_code

__device__ inline float LoadElement(const void* data, int32_t type,
                                    int64_t index) {
  switch (type) {
    case data_type_code::kBf16:
      return __bfloat162float(static_cast<const __nv_bfloat16*>(data)[index]);
    case data_type_code::kFp16:
      return __half2float(static_cast<const __half*>(data)[index]);
    case data_type_code::kFp32:
      return static_cast<const float*>(data)[index];
    case data_type_code::kFp8E4m3:
      return static_cast<float>(static_cast<const __nv_fp8_e4m3*>(data)[index]);
    default:
      return static_cast<float>(static_cast<const __nv_fp8_e5m2*>(data)[index]);
  }
}

// `value` as a float that any narrower type rounds to as it would round
// `value` itself: round to odd, so that no tie appears or vanishes.
__device__ inline float RoundToOdd(double value) {
  const float truncated = __double2float_rz(value);
  if (static_cast<double>(truncated) == value || isnan(truncated) ||
      isinf(truncated)) {
    return truncated;
  }
  return __uint_as_float(__float_as_uint(truncated) | 1u);
}

// Rounds to nearest even; 8-bit types saturate, the others overflow to
// infinity.
__device__ inline void StoreElement(void* data, int32_t type, int64_t index,
                                    double value) {
  const float odd = RoundToOdd(value);
  switch (type) {
    case data_type_code::kBf16:
      static_cast<__nv_bfloat16*>(data)[index] = __float2bfloat16_rn(odd);
      break;
    case data_type_code::kFp16:
      static_cast<__half*>(data)[index] = __float2half_rn(odd);
      break;
    case data_type_code::kFp32:
      static_cast<float*>(data)[index] = __double2float_rn(value);
      break;
    case data_type_code::kFp8E4m3:
      static_cast<__nv_fp8_storage_t*>(data)[index] =
          __nv_cvt_float_to_fp8(odd, __NV_SATFINITE, __NV_E4M3);
      break;
    default:
      static_cast<__nv_fp8_storage_t*>(data)[index] =
          __nv_cvt_float_to_fp8(odd, __NV_SATFINITE, __NV_E5M2);
      break;
  }
}

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_REFERENCE_ELEMENT_CUH_
