// What TMA asks of where an operand lies: addresses and strides that are
// multiples of 16 bytes (CUDA driver API, cuTensorMapEncodeTiled). One place,
// so that plans, candidates and cost model agree on who needs a repack.
//
//   const bool can_read = StartsAreTmaAligned(problem, /*a=*/true) &&
//                         RowsAreTmaAligned(problem, /*a=*/true);
//   const bool is_copied = NeedsRepack(problem, variant, /*a=*/true);
#ifndef TILETUNE_KERNELS_TMA_ALIGNMENT_H_
#define TILETUNE_KERNELS_TMA_ALIGNMENT_H_

#include <cstdint>

#include "kernels/problem.h"
#include "kernels/variant.h"

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

// Whether the kernel can read A (else B) other than along K.
inline bool TakesMnMajor(const KernelVariant& v, bool a) {
  for (Layout layout : {Layout::kTN, Layout::kNN, Layout::kNT, Layout::kTT}) {
    const bool is_k_major = a ? AIsKMajor(layout) : BIsKMajor(layout);
    const uint32_t bit = 1u << static_cast<uint32_t>(layout);
    if (!is_k_major && (v.layout_mask & bit) != 0) return true;
  }
  return false;
}

// Whether A (else B) is copied first, as the kernel cannot read it where it
// lies, if it reads any of it. The problem is Normalized().
inline bool NeedsRepack(const GemmProblem& p, const KernelVariant& v, bool a) {
  const bool is_k_major = a ? AIsKMajor(p.layout) : BIsKMajor(p.layout);
  const bool may_be_shifted = v.shifted_rows && a != v.swaps_operands;
  return (!is_k_major && !TakesMnMajor(v, a)) || !StartsAreTmaAligned(p, a) ||
         (!RowsAreTmaAligned(p, a) && !may_be_shifted);
}

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_TMA_ALIGNMENT_H_
