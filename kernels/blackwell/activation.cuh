// Activations in fp32 registers.
//
// Use it on the values of the epilogue. A NaN stays a NaN. Device code.
//
//   float values[16];
//   Activate(p.activation, values);
#ifndef TILETUNE_KERNELS_BLACKWELL_ACTIVATION_CUH_
#define TILETUNE_KERNELS_BLACKWELL_ACTIVATION_CUH_

#include <cstdint>

#include "kernels/blackwell/parameters.h"

namespace tiletune::blackwell {

// 2^x and 1 / x to about 1 ulp. PTX ISA 9.7.3.21 and 9.7.3.13.
__device__ __forceinline__ float ApproximateExp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

__device__ __forceinline__ float ApproximateReciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

inline constexpr float kLog2E = 1.44269504f;

// x * Phi(x), Phi the normal distribution, as x - x * Q or x * Q where Q is the
// tail beyond |x|: no cancellation for large x. Q = erfc(|x| / sqrt 2) / 2 by
// Abramowitz and Stegun 7.1.26, off by at most 0.75e-7.
__device__ __forceinline__ float Gelu(float x) {
  const float z = fabsf(x) * 0.70710678f;
  const float t = ApproximateReciprocal(fmaf(0.3275911f, z, 1.0f));
  float poly = fmaf(1.061405429f, t, -1.453152027f);
  poly = fmaf(poly, t, 1.421413741f);
  poly = fmaf(poly, t, -0.284496736f);
  poly = fmaf(poly, t, 0.254829592f);
  const float tail = 0.5f * poly * t * ApproximateExp2(-z * z * kLog2E);
  // Where the tail underflows, x * 0 would make a NaN of an infinity.
  if (tail == 0.0f) return x < 0.0f ? 0.0f : x;
  return x < 0.0f ? x * tail : x - x * tail;
}

// x / (1 + exp(-x)).
__device__ __forceinline__ float Silu(float x) {
  const float denominator = 1.0f + ApproximateExp2(-x * kLog2E);
  // exp overflows below -88: the quotient is then 0 to fp32, but 0 * x is not
  // when x is -infinity.
  if (x < -88.0f) return 0.0f;
  return x * ApproximateReciprocal(denominator);
}

__device__ __forceinline__ void Activate(ActivationKind kind,
                                         float (&values)[16]) {
  switch (kind) {
    case ActivationKind::kNone:
      return;
    case ActivationKind::kRelu:
#pragma unroll
      for (float& v : values) v = v < 0.0f ? 0.0f : v;
      return;
    case ActivationKind::kGelu:
#pragma unroll
      for (float& v : values) v = Gelu(v);
      return;
    case ActivationKind::kSilu:
#pragma unroll
      for (float& v : values) v = Silu(v);
      return;
  }
}

}  // namespace tiletune::blackwell

#endif  // TILETUNE_KERNELS_BLACKWELL_ACTIVATION_CUH_
