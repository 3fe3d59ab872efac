// What the reference kernels are launched with: a normalized problem and its
// arguments, flattened to what device code may read.
//
//   ReferenceParameters p = MakeReferenceParameters(problem, args, order);
#ifndef TILETUNE_KERNELS_REFERENCE_PARAMETERS_H_
#define TILETUNE_KERNELS_REFERENCE_PARAMETERS_H_

#include <cstdint>

#include "scheduler/order.h"

namespace tiletune {

// The tile of D that one CTA computes, and the K it does so by.
inline constexpr int kReferenceTileM = 64;
inline constexpr int kReferenceTileN = 64;
inline constexpr int kReferenceTileK = 32;
inline constexpr int kReferenceScaleBlock = 128;  // kScaleBlock
inline constexpr int kReferenceThreads = 256;

// A matrix in device memory; strides in elements. Element (i, j) of batch b is
// data[b * batch_stride + i * row_stride + j * column_stride].
struct ReferenceMatrix {
  const void* data;
  int64_t row_stride, column_stride, batch_stride;
  int32_t type;  // a DataType
};

// Scales along K, of kBlock128: that of row r and k of batch b at
// data[b * batch_stride + (r >> row_shift) * row_stride + k / 128 * k_stride].
struct ReferenceScales {
  const float* data;  // null: there are none
  int64_t row_stride, k_stride, batch_stride;
  int32_t row_shift;
};

struct ReferenceParameters {
  int64_t m, n, k;
  ReferenceMatrix a, b, c, d;
  ReferenceScales a_scales, b_scales;  // of rows of A, of columns of B
  Order order;

  const void* bias;
  int32_t bias_type;   // a DataType
  int32_t bias_side;   // a Bias
  int32_t activation;  // an Activation
  int32_t scaling;     // a Scaling
  bool reads_c;

  float alpha, beta;
  const float* alpha_device;  // where not null, instead of the above
  const float* beta_device;
  const float* scale_a;
  const float* scale_b;
  const float* scale_d;
  float* amax_d;
};

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_REFERENCE_PARAMETERS_H_
