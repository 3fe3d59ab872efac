// How many scales of A and B a problem has, and where each of them is.
//
//   const ScaleLayout s = ScaleLayoutOf(Normalized(problem));
//   std::vector<float> scale_a(s.a_count), scale_b(s.b_count);
//   scale_a[batch * s.a_batch_stride + (k / 128) * s.a_stride + m] = ...;
//   scale_b[batch * s.b_batch_stride + (n / 128) * s.b_stride + k / 128] = ...;
//   // the last two with Scaling::kBlock128 alone
#ifndef TILETUNE_KERNELS_SCALE_LAYOUT_H_
#define TILETUNE_KERNELS_SCALE_LAYOUT_H_

#include <cstdint>

#include "kernels/problem.h"

namespace tiletune {

// Elements of K, and of N, that share a scale of kBlock128.
inline constexpr int64_t kScaleBlock = 128;

// All in fp32 elements. Of kBlock128, B has ceil(N / 128) lines of ceil(K /
// 128) scales and A ceil(K / 128) lines of M; lines are a multiple of 4 apart,
// so that each starts at 16 bytes. That is what cuBLASLt expects with
// CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F (A) and BLK128x128_32F (B), see
// cuBLAS 3.1.4.5.1. What fills up a line may hold anything, and is part of the
// counts.
struct ScaleLayout {
  int64_t a_count = 0;  // over all batches; a broadcast operand has one
  int64_t b_count = 0;
  // kBlock128 only.
  int64_t k_blocks = 0;
  int64_t a_stride = 0;        // from one block of K to the next
  int64_t b_stride = 0;        // from one block of N to the next
  int64_t a_batch_stride = 0;  // 0 for a broadcast operand, or one batch
  int64_t b_batch_stride = 0;
};

// The problem is Normalized() and valid. Without scales the counts are 0.
ScaleLayout ScaleLayoutOf(const GemmProblem& problem);

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_SCALE_LAYOUT_H_
