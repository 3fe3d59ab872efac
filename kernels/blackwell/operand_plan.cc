#include "kernels/blackwell/operand_plan.h"

#include "kernels/blackwell/kernel_shape.h"

namespace tiletune::blackwell {
namespace {

bool IsMultipleOf16Bytes(int64_t elements, DataType type) {
  return elements * BytesOf(type) % 16 == 0;
}

// TMA needs 16-byte aligned addresses and strides (cuTensorMapEncodeTiled), and
// an MN-major tile the swizzles of kernel_shape.h.
bool NeedsRepack(const GemmProblem& p, const OperandPlan& o) {
  if (p.pointer_alignment < 16) return true;
  const int64_t runs = o.source_is_k_major ? o.rows : o.k;
  if (runs > 1 && !IsMultipleOf16Bytes(o.source_stride, o.type)) return true;
  if (o.batches > 1 && !IsMultipleOf16Bytes(o.source_batch_stride, o.type)) {
    return true;
  }
  return !o.source_is_k_major && !CanBeMnMajor(o.tile_rows * BytesOf(o.type));
}

OperandPlan PlanOperand(const GemmProblem& p, bool is_problem_a,
                        int32_t tile_rows, int32_t slices) {
  OperandPlan o;
  o.is_problem_a = is_problem_a;
  o.type = is_problem_a ? p.a_type : p.b_type;
  o.rows = is_problem_a ? p.m : p.n;
  o.k = p.k;
  o.source_is_k_major =
      is_problem_a ? AIsKMajor(p.layout) : BIsKMajor(p.layout);
  o.source_stride = is_problem_a ? p.lda : p.ldb;
  o.source_batch_stride = is_problem_a ? p.batch_stride_a : p.batch_stride_b;
  o.batches = p.batch == 1 || o.source_batch_stride == 0 ? 1 : p.batch;
  o.tile_rows = tile_rows;
  o.slices = slices;
  o.needs_repack = o.k > 0 && NeedsRepack(p, o);
  if (o.needs_repack) {
    o.is_k_major = true;
    o.stride = PackedRowStride(o.k, BytesOf(o.type));
    o.batch_stride = o.stride * o.rows;
  } else {
    o.is_k_major = o.source_is_k_major;
    o.stride = o.source_stride;
    o.batch_stride = o.source_batch_stride;
  }
  return o;
}

// Where one index takes only one value its stride is never used, but must
// still be a legal one.
uint64_t LegalStrideBytes(int64_t extent, int64_t stride, DataType type) {
  return extent > 1 ? static_cast<uint64_t>(stride) * BytesOf(type) : 16;
}

}  // namespace

OperandPlan PlanOperandA(const GemmProblem& problem,
                         const KernelVariant& variant) {
  return PlanOperand(problem, !variant.swaps_operands, variant.tile_m,
                     variant.cluster_n);
}

OperandPlan PlanOperandB(const GemmProblem& problem,
                         const KernelVariant& variant) {
  return PlanOperand(problem, variant.swaps_operands,
                     variant.tile_n / variant.cta_group,
                     variant.cluster_m / variant.cta_group);
}

size_t RepackedBytes(const OperandPlan& operand) {
  if (!operand.needs_repack) return 0;
  return static_cast<size_t>(operand.batches) * operand.batch_stride *
         BytesOf(operand.type);
}

RepackArguments RepackOf(const OperandPlan& operand, const void* source,
                         void* destination) {
  RepackArguments r;
  r.source = source;
  r.destination = destination;
  r.element_bytes = BytesOf(operand.type);
  r.inner = operand.k;
  r.outer = operand.rows;
  r.batches = operand.batches;
  r.transposes = !operand.source_is_k_major;
  r.source_stride = operand.source_stride;
  r.source_batch_stride = operand.source_batch_stride;
  r.destination_stride = operand.stride;
  r.destination_batch_stride = operand.batch_stride;
  return r;
}

TensorMapSpec MapOf(const OperandPlan& operand, const void* address) {
  const int32_t bytes = BytesOf(operand.type);
  const int32_t tile_k = kSpanBytes / bytes;
  const int64_t inner = operand.is_k_major ? operand.k : operand.rows;
  const int64_t outer = operand.is_k_major ? operand.rows : operand.k;
  TensorMapSpec spec;
  spec.address = address;
  spec.type = TensorMapTypeOf(operand.type);
  spec.extents = {static_cast<uint64_t>(inner), static_cast<uint64_t>(outer),
                  static_cast<uint64_t>(operand.batches)};
  spec.strides = {
      LegalStrideBytes(outer, operand.stride, operand.type),
      LegalStrideBytes(operand.batches, operand.batch_stride, operand.type)};
  const int32_t span =
      operand.is_k_major ? kSpanBytes : MnSpanBytes(operand.tile_rows * bytes);
  const int32_t box_outer =
      (operand.is_k_major ? operand.tile_rows : tile_k) / operand.slices;
  spec.box = {static_cast<uint32_t>(span / bytes),
              static_cast<uint32_t>(box_outer), 1};
  spec.swizzle = span == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                 : span == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                              : CU_TENSOR_MAP_SWIZZLE_32B;
  return spec;
}

}  // namespace tiletune::blackwell
