// OperandPlan: how a kernel's A or B is read: where it lies, whether it must be
// repacked first, and the tensor map that loads it.
//
// Use it from plan.cc. "Rows" are M of the kernel's A and N of its B.
//
//   OperandPlan a = PlanOperandA(problem, variant);
//   if (a.needs_repack) r = RepackOf(a, source, destination);
//   TensorMapSpec map = MapOf(a, address, variant);
#ifndef TILETUNE_KERNELS_BLACKWELL_OPERAND_PLAN_H_
#define TILETUNE_KERNELS_BLACKWELL_OPERAND_PLAN_H_

#include <cstddef>
#include <cstdint>

#include "kernels/problem.h"
#include "kernels/ptx/tensor_map.h"
#include "kernels/repack/repack_arguments.h"
#include "kernels/variant.h"

namespace tiletune::blackwell {

struct OperandPlan {
  DataType type = DataType::kBf16;
  bool is_problem_a = true;  // the problem's A, else its B
  int64_t rows = 0;
  int64_t k = 0;
  int64_t batches = 1;  // 1 when one matrix serves all
  // As the caller holds it.
  bool source_is_k_major = true;
  int64_t source_stride = 0;  // elements between the contiguous runs
  int64_t source_batch_stride = 0;
  // As the kernel reads it: the same, unless repacked to K-major.
  bool needs_repack = false;
  bool is_k_major = true;
  int64_t stride = 0;
  int64_t batch_stride = 0;
  // The part of a tile that one CTA holds, and how many CTAs load it together.
  int32_t tile_rows = 0;
  int32_t slices = 1;
};

// The kernel's operands; a variant that swaps them has the problem's B as A.
OperandPlan PlanOperandA(const GemmProblem& problem,
                         const KernelVariant& variant);
OperandPlan PlanOperandB(const GemmProblem& problem,
                         const KernelVariant& variant);

// Bytes of the repacked copy; 0 if there is none.
size_t RepackedBytes(const OperandPlan& operand);

RepackArguments RepackOf(const OperandPlan& operand, const void* source,
                         void* destination);

// The map whose boxes producer.cuh loads, of an operand at `address`.
TensorMapSpec MapOf(const OperandPlan& operand, const void* address);

}  // namespace tiletune::blackwell

#endif  // TILETUNE_KERNELS_BLACKWELL_OPERAND_PLAN_H_
