#include "kernels/hopper/parameters.h"

#include <algorithm>

#include "kernels/scale_layout.h"
#include "kernels/tiling.h"

namespace tiletune::hopper {
namespace {

// The kernels' enumerations are those of problem.h without its Abseil.
static_assert(static_cast<int>(DataType::kBf16) ==
              static_cast<int>(ElementType::kBf16));
static_assert(static_cast<int>(DataType::kFp32) ==
              static_cast<int>(ElementType::kFp32));
static_assert(static_cast<int>(DataType::kFp8E5m2) ==
              static_cast<int>(ElementType::kE5m2));
static_assert(static_cast<int>(Activation::kSilu) ==
              static_cast<int>(ActivationKind::kSilu));
static_assert(static_cast<int>(Bias::kPerColumn) ==
              static_cast<int>(BiasKind::kPerColumn));

ElementType ElementOf(DataType type) { return static_cast<ElementType>(type); }

const char* AddressOf(const OperandPlan& operand, const GemmArguments& args,
                      const char* workspace) {
  if (operand.repack) return workspace + operand.workspace_offset;
  return static_cast<const char*>(operand.is_problem_a ? args.a : args.b);
}

// The boxes are those that producer.cuh loads: `slices` CTAs share a tile of
// `tile_rows`, and each loads its part of one 128-byte block.
TensorMapSpec OperandMap(const OperandPlan& operand, const void* address,
                         int32_t tile_rows, int32_t slices) {
  const uint64_t bytes = BytesOf(operand.type);
  const uint32_t width = static_cast<uint32_t>(128 / bytes);
  const MatrixView& view = operand.view;
  TensorMapSpec spec;
  spec.address = address;
  spec.type = TensorMapTypeOf(operand.type);
  spec.extents = {static_cast<uint64_t>(view.inner),
                  static_cast<uint64_t>(view.outer),
                  static_cast<uint64_t>(view.batches)};
  spec.strides[0] = view.ld * bytes;
  spec.strides[1] =
      view.batches > 1 ? view.batch_stride * bytes : spec.strides[0];
  const int32_t rows = operand.is_k_major ? tile_rows : 64;
  spec.box = {width, static_cast<uint32_t>(rows / slices), 1};
  spec.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  return spec;
}

// A's every eighth row from the first on; see shifted_rows.cuh.
TensorMapSpec FirstRowsMap(const OperandPlan& operand, const void* address,
                           const KernelVariant& variant) {
  TensorMapSpec spec =
      OperandMap(operand, address, variant.tile_m, /*slices=*/1);
  spec.box = {static_cast<uint32_t>(variant.tile_k + 8),
              static_cast<uint32_t>(variant.tile_m / 8), 1};
  spec.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  return spec;
}

// D in boxes of 128 bytes and kStoreRows rows, see gemm_shape.cuh.
TensorMapSpec OutputMap(const GemmProblem& p, const KernelVariant& variant,
                        void* d) {
  const int32_t rows =
      variant.swaps_operands
          ? std::min(64, static_cast<int32_t>(variant.tile_n) /
                             static_cast<int32_t>(variant.cluster_k))
          : 16;
  TensorMapSpec spec;
  spec.address = d;
  spec.type = TensorMapTypeOf(p.d_type);
  spec.extents = {static_cast<uint64_t>(p.n), static_cast<uint64_t>(p.m),
                  static_cast<uint64_t>(p.batch)};
  spec.strides[0] = p.ldd * 2;
  spec.strides[1] = p.batch > 1 ? p.batch_stride_d * 2 : spec.strides[0];
  spec.box = {64, static_cast<uint32_t>(rows), 1};
  spec.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  return spec;
}

// Whether four elements at a time may be touched at multiples of four.
bool CanVectorize(const void* base, DataType type, int64_t ld,
                  int64_t batch_stride) {
  return reinterpret_cast<uintptr_t>(base) % (4 * BytesOf(type)) == 0 &&
         ld % 4 == 0 && batch_stride % 4 == 0;
}

EpilogueParams MakeEpilogue(const GemmProblem& p, const KernelVariant& variant,
                            const GemmArguments& args) {
  EpilogueParams e = {};
  e.m = static_cast<int32_t>(p.m);
  e.n = static_cast<int32_t>(p.n);
  const bool beta_is_zero = args.beta_device == nullptr && args.beta == 0.0f;
  if (p.epilogue.reads_c && !beta_is_zero) e.c = args.c;
  e.d = args.d;
  e.bias = args.bias;
  e.ldc = p.ldc;
  e.ldd = p.ldd;
  e.batch_stride_c = p.batch > 1 ? p.batch_stride_c : 0;
  e.batch_stride_d = p.batch > 1 ? p.batch_stride_d : 0;
  e.alpha = args.alpha;
  e.beta = args.beta;
  e.alpha_device = args.alpha_device;
  e.beta_device = args.beta_device;
  e.scale_per_row_column = p.scaling == Scaling::kPerRowColumn;
  if (e.scale_per_row_column || p.scaling == Scaling::kPerTensor) {
    e.scale_a = args.scale_a;
    e.scale_b = args.scale_b;
  }
  e.c_type = ElementOf(p.c_type);
  e.d_type = ElementOf(p.d_type);
  e.activation = static_cast<ActivationKind>(p.epilogue.activation);
  e.bias_kind = static_cast<BiasKind>(p.epilogue.bias);
  e.tma_store = e.c == nullptr && MayStoreByTma(p, variant, args.d);
  e.vector_c =
      e.c != nullptr && CanVectorize(e.c, p.c_type, p.ldc, e.batch_stride_c);
  e.vector_d = CanVectorize(e.d, p.d_type, p.ldd, e.batch_stride_d);
  return e;
}

BlockScaleParams MakeBlockScales(const GemmProblem& p,
                                 const GemmArguments& args) {
  BlockScaleParams scales = {};
  if (p.scaling != Scaling::kBlock128) return scales;
  const ScaleLayout layout = ScaleLayoutOf(p);
  scales.a = args.scale_a;
  scales.b = args.scale_b;
  scales.a_batch = layout.a_batch_stride;
  scales.b_batch = layout.b_batch_stride;
  scales.a_stride = layout.a_stride;
  scales.b_stride = layout.b_stride;
  scales.k_blocks = static_cast<uint32_t>(layout.k_blocks);
  return scales;
}

}  // namespace

TensorMapSpec RowsMap(const TensorMapSpec& first, int box) {
  constexpr uint64_t kElementBytes = 2;
  // Rows past the end of A are multiplied, but go nowhere.
  if (static_cast<uint64_t>(box) >= first.extents[1]) return RowsMap(first, 0);
  const uint64_t start = box * first.strides[0];
  const uint64_t shift = start % 16;
  TensorMapSpec spec = first;
  spec.address = static_cast<const char*>(first.address) + start - shift;
  spec.extents[0] += shift / kElementBytes;
  spec.extents[1] = (first.extents[1] + 7 - box) / 8;
  spec.strides[0] *= 8;
  if (spec.extents[2] == 1) spec.strides[1] = spec.strides[0];
  return spec;
}

LaunchParameters MakeParameters(const GemmProblem& problem,
                                const GemmConfig& config, const GemmPlan& plan,
                                const GemmArguments& arguments,
                                char* workspace) {
  const KernelVariant& variant = *config.variant;
  LaunchParameters launch;
  ShiftedRowsParams& params = launch.params;
  params.work = plan.work;
  params.a_batch = plan.a.view.batches > 1 ? 1 : 0;
  params.b_batch = plan.b.view.batches > 1 ? 1 : 0;
  params.a_type = ElementOf(plan.a.type);
  params.b_type = ElementOf(plan.b.type);
  params.a_is_k_major = plan.a.is_k_major;
  params.b_is_k_major = plan.b.is_k_major;
  params.queue_counter = reinterpret_cast<uint32_t*>(workspace);
  params.tickets = reinterpret_cast<uint32_t*>(workspace + plan.tickets_offset);
  params.partials = reinterpret_cast<float*>(workspace + plan.partials_offset);
  params.partial_blocks = static_cast<uint32_t>(plan.partial_blocks);
  params.clean = reinterpret_cast<uint32_t*>(workspace + plan.clean_offset);
  params.epilogue = MakeEpilogue(problem, variant, arguments);
  params.block_scales = MakeBlockScales(problem, arguments);
  if (plan.work.k_tiles != 0) {
    const char* const a = AddressOf(plan.a, arguments, workspace);
    if (variant.shifted_rows) {
      launch.a_rows = FirstRowsMap(plan.a, a, variant);
      params.a_row_shift = static_cast<uint32_t>(plan.a.view.ld % 8);
      params.a_is_ready = plan.b.repack && !plan.a.repack;
    } else {
      launch.a_map = OperandMap(plan.a, a, variant.tile_m, variant.cluster_n);
    }
    launch.b_map = OperandMap(plan.b, AddressOf(plan.b, arguments, workspace),
                              variant.tile_n, variant.cluster_m);
  }
  if (params.epilogue.tma_store) {
    launch.d_map = OutputMap(problem, variant, arguments.d);
  }
  return launch;
}

}  // namespace tiletune::hopper
