// A plain GEMM, one thread an element, with a defect if asked for one.
//
//   PlantedParameters p = {...};
//   void* arguments[] = {&p};
//   cudaLaunchKernel(PlantedKernel(), dim3(132), dim3(256), arguments, 0,
//                    stream);
#ifndef TILETUNE_AUTOTUNE_PLANTED_PLANTED_KERNEL_H_
#define TILETUNE_AUTOTUNE_PLANTED_PLANTED_KERNEL_H_

#include <cstdint>

#include "autotune/planted/defect.h"

namespace tiletune {

// D = activation(scales * A B + beta C + bias), all layouts TN: A is M x K and
// B is N x K, both with K contiguous; C and D are M x N, row-major. Leading
// dimensions and batch strides in elements.
struct PlantedParameters {
  int64_t m, n, k, batch;
  const void* a;  // bf16, or e4m3
  const void* b;
  const void* c;  // bf16; null: none
  void* d;        // bf16
  int64_t lda, ldb, ldc, ldd;
  int64_t stride_a, stride_b, stride_c, stride_d;  // of a batch
  const void* bias;      // bf16, one a column; null: none
  const float* scale_a;  // one a row; null: none
  const float* scale_b;  // one a column
  float* amax_d;         // null: none
  float beta;
  bool is_e4m3;
  bool relu;
  Defect defect;
};

const void* PlantedKernel();

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_PLANTED_PLANTED_KERNEL_H_
