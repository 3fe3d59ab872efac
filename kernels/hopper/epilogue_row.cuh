// The arithmetic of the epilogue on four neighbours of one row of D.
//
//   EpilogueRow row(params.epilogue);
//   row.Write(m, n, batch, sums);   // writes those inside M x N
#ifndef TILETUNE_KERNELS_HOPPER_EPILOGUE_ROW_CUH_
#define TILETUNE_KERNELS_HOPPER_EPILOGUE_ROW_CUH_

#include <cstdint>

#include "kernels/hopper/element.cuh"
#include "kernels/hopper/gemm_params.h"

namespace tiletune::hopper {

class EpilogueRow {
 public:
  __device__ __forceinline__ explicit EpilogueRow(const EpilogueParams& params)
      : params_(params) {}

  // alpha, times the scales if they are one for the whole tensor.
  __device__ __forceinline__ float Alpha() const {
    float alpha =
        params_.alpha_device != nullptr ? *params_.alpha_device : params_.alpha;
    if (!params_.scale_per_row_column) {
      if (params_.scale_a != nullptr) alpha *= *params_.scale_a;
      if (params_.scale_b != nullptr) alpha *= *params_.scale_b;
    }
    return alpha;
  }

  // Whether D is Alpha() times the sum, in 16 bits, and nothing else.
  __device__ __forceinline__ bool IsPlain() const {
    return params_.c == nullptr && params_.bias_kind == BiasKind::kNone &&
           params_.activation == ActivationKind::kNone &&
           !params_.scale_per_row_column &&
           params_.d_type != ElementType::kFp32;
  }

  // The same, and two elements at a time.
  __device__ __forceinline__ bool IsPlainInPairs() const {
    return params_.vector_d && IsPlain();
  }

  // D[batch][m][n .. n + 3]; what lies outside M x N is not touched.
  __device__ __forceinline__ void Write(int32_t m, int32_t n, int32_t batch,
                                        float4 sum) const {
    const int32_t count = params_.n - n < 4 ? params_.n - n : 4;
    if (m >= params_.m || count <= 0) return;
    float v[4] = {sum.x, sum.y, sum.z, sum.w};
    Scale(m, n, count, v);
    AddC(m, n, count, batch, v);
    AddBias(m, n, count, v);
#pragma unroll
    for (int i = 0; i < 4; ++i) v[i] = Activate(params_.activation, v[i]);
    const int64_t at = batch * params_.batch_stride_d + m * params_.ldd + n;
    if (count == 4 && params_.vector_d) {
      StoreFour(params_.d, params_.d_type, at,
                make_float4(v[0], v[1], v[2], v[3]));
    } else {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (i < count) StoreElement(params_.d, params_.d_type, at + i, v[i]);
      }
    }
  }

 private:
  __device__ __forceinline__ void Scale(int32_t m, int32_t n, int32_t count,
                                        float (&v)[4]) const {
    float alpha = Alpha();
    if (params_.scale_per_row_column) {
      alpha *= params_.scale_a[m];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (i < count) v[i] *= params_.scale_b[n + i];
      }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) v[i] *= alpha;
  }

  // beta == 0 means that C is not read: its NaN must not reach D.
  __device__ __forceinline__ void AddC(int32_t m, int32_t n, int32_t count,
                                       int32_t batch, float (&v)[4]) const {
    if (params_.c == nullptr) return;
    const float beta =
        params_.beta_device != nullptr ? *params_.beta_device : params_.beta;
    if (beta == 0.0f) return;
    const int64_t at = batch * params_.batch_stride_c + m * params_.ldc + n;
    if (count == 4 && params_.vector_c) {
      const float4 c = LoadFour(params_.c, params_.c_type, at);
      v[0] += beta * c.x;
      v[1] += beta * c.y;
      v[2] += beta * c.z;
      v[3] += beta * c.w;
      return;
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (i < count) {
        v[i] += beta * LoadElement(params_.c, params_.c_type, at + i);
      }
    }
  }

  __device__ __forceinline__ void AddBias(int32_t m, int32_t n, int32_t count,
                                          float (&v)[4]) const {
    if (params_.bias_kind == BiasKind::kNone) return;
    const bool per_row = params_.bias_kind == BiasKind::kPerRow;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (i < count) {
        v[i] += LoadElement(params_.bias, params_.d_type, per_row ? m : n + i);
      }
    }
  }

  const EpilogueParams& params_;
};

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_EPILOGUE_ROW_CUH_
