// The epilogue of the reference GEMM, in fp64: what problem.h calls v.
#ifndef TILETUNE_KERNELS_REFERENCE_EPILOGUE_CUH_
#define TILETUNE_KERNELS_REFERENCE_EPILOGUE_CUH_

#include <cstdint>

#include "kernels/reference/element.cuh"
#include "kernels/reference/parameters.h"

namespace tiletune {

// The enumerators of Activation, Bias and Scaling, as in element.cuh.
namespace epilogue_code {
inline constexpr int32_t kRelu = 1;
inline constexpr int32_t kGelu = 2;
inline constexpr int32_t kSilu = 3;
inline constexpr int32_t kBiasPerRow = 1;
inline constexpr int32_t kBiasPerColumn = 2;
inline constexpr int32_t kScalePerTensor = 1;
inline constexpr int32_t kScalePerRowColumn = 2;
}  // namespace epilogue_code

__device__ inline double Activate(double x, int32_t activation) {
  switch (activation) {
    case epilogue_code::kRelu:
      return x < 0 ? 0 : x;  // a NaN stays
    case epilogue_code::kGelu:
      return x == -INFINITY ? 0 : 0.5 * x * (1 + erf(x * 0.70710678118654752));
    case epilogue_code::kSilu:
      return x == -INFINITY ? 0 : x / (1 + exp(-x));
    default:
      return x;
  }
}

// The value of one element of D before its conversion, and the sum of the
// magnitudes that were added to get there.
struct EpilogueValue {
  double value;
  double magnitude;   // before the activation
  double multiplier;  // what the inner product was multiplied by
};

// `row` and `column` are those of D.
__device__ inline EpilogueValue ApplyEpilogue(const ReferenceParameters& p,
                                              int64_t batch, int64_t row,
                                              int64_t column, double product) {
  EpilogueValue out;
  out.multiplier = p.alpha_device != nullptr ? *p.alpha_device : p.alpha;
  if (p.scaling == epilogue_code::kScalePerTensor) {
    out.multiplier *= static_cast<double>(*p.scale_a) * *p.scale_b;
  } else if (p.scaling == epilogue_code::kScalePerRowColumn) {
    out.multiplier *= static_cast<double>(p.scale_a[row]) * p.scale_b[column];
  }
  double sum = out.multiplier * product;
  out.magnitude = fabs(sum);
  if (p.reads_c) {
    const double beta = p.beta_device != nullptr ? *p.beta_device : p.beta;
    if (beta != 0) {
      const double c =
          beta * LoadElement(p.c.data, p.c.type,
                             batch * p.c.batch_stride + row * p.c.row_stride +
                                 column * p.c.column_stride);
      sum += c;
      out.magnitude += fabs(c);
    }
  }
  if (p.bias_side != 0) {
    const double bias =
        LoadElement(p.bias, p.bias_type,
                    p.bias_side == epilogue_code::kBiasPerRow ? row : column);
    sum += bias;
    out.magnitude += fabs(bias);
  }
  out.value = Activate(sum, p.activation);
  return out;
}

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_REFERENCE_EPILOGUE_CUH_
