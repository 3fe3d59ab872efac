// What TMA asks of where an operand lies: addresses and strides that are
// multiples of 16 bytes (CUDA driver API, cuTensorMapEncodeTiled). One place,
// so that plans, candidates and cost model agree on who needs a repack.
//
//   const bool can_read = StartsAreTmaAligned(problem, /*a=*/true) &&
//                         RowsAreTmaAligned(problem, /*a=*/true);
#ifndef TILETUNE_KERNELS_TMA_ALIGNMENT_H_
#define TILETUNE_KERNELS_TMA_ALIGNMENT_H_

#include <cstdint>

#include "kernels/problem.h"

namespace tiletune {

constexpr int64_t kTmaAlignment = 16;  // bytes

// Whether the rows of A (else B) are apart by such a multiple. The problem is
// Normalized().
inline bool RowsAreTmaAligned(const GemmProblem& p, bool a) {
  return (a ? p.lda * BytesOf(p.a_type) : p.ldb * BytesOf(p.b_type)) %
             kTmaAlignment ==
         0;
}

// Whether the matrices of every batch start at one. The problem is
// Normalized().
inline bool StartsAreTmaAligned(const GemmProblem& p, bool a) {
  const int64_t batch_stride = a ? p.batch_stride_a * BytesOf(p.a_type)
                                 : p.batch_stride_b * BytesOf(p.b_type);
  return p.pointer_alignment >= kTmaAlignment &&
         (p.batch == 1 || batch_stride % kTmaAlignment == 0);
}

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_TMA_ALIGNMENT_H_
