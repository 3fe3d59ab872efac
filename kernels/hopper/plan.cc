#include "kernels/hopper/plan.h"

#include <algorithm>
#include <optional>

#include "kernels/tiling.h"
#include "scheduler/supply.h"

namespace tiletune::hopper {
namespace {

// What TMA asks of an address and of strides (cuTensorMapEncodeTiled).
constexpr int64_t kTmaAlignment = 16;
// Operands with fewer rows in a tile must be K-major (gemm_shape.cuh).
constexpr int32_t kRowsOfMnMajorChunk = 64;

int64_t RoundUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

OperandPlan OperandOf(const GemmProblem& p, bool is_a) {
  OperandPlan operand;
  operand.is_problem_a = is_a;
  operand.type = is_a ? p.a_type : p.b_type;
  operand.source_is_k_major = is_a ? AIsKMajor(p.layout) : BIsKMajor(p.layout);
  const int64_t rows = is_a ? p.m : p.n;
  MatrixView& view = operand.source;
  view.inner = operand.source_is_k_major ? p.k : rows;
  view.outer = operand.source_is_k_major ? rows : p.k;
  view.ld = is_a ? p.lda : p.ldb;
  view.batch_stride = is_a ? p.batch_stride_a : p.batch_stride_b;
  if (p.batch > 1 && view.batch_stride != 0) view.batches = p.batch;
  return operand;
}

bool TmaCanRead(const GemmProblem& p, const OperandPlan& operand) {
  const MatrixView& view = operand.source;
  const int64_t bytes = BytesOf(operand.type);
  return p.pointer_alignment >= kTmaAlignment &&
         view.ld * bytes % kTmaAlignment == 0 &&
         (view.batches == 1 || view.batch_stride * bytes % kTmaAlignment == 0);
}

// Decides how the kernel reads the operand; returns the bytes of its copy.
int64_t PlanOperand(const GemmProblem& p, int32_t tile_rows, int bits,
                    OperandPlan& operand) {
  const bool must_be_k_major =
      bits == 8 || tile_rows % kRowsOfMnMajorChunk != 0;
  operand.view = operand.source;
  operand.is_k_major = operand.source_is_k_major;
  operand.repack = p.k != 0 && (!TmaCanRead(p, operand) ||
                                (must_be_k_major && !operand.is_k_major));
  if (!operand.repack) return 0;
  MatrixView& view = operand.view;
  if (must_be_k_major && !operand.is_k_major) {
    operand.is_k_major = true;
    view.inner = operand.source.outer;
    view.outer = operand.source.inner;
  }
  view.ld = RoundUp(view.inner, kTmaAlignment / BytesOf(operand.type));
  view.batch_stride = view.ld * view.outer;
  return view.batch_stride * view.batches * BytesOf(operand.type);
}

// How many clusters run at once. A cluster lies within one GPC, and GPCs of an
// odd number of pairs leave SMs over: cudaOccupancyMaxActiveClusters on an H200
// says 66 clusters of 2, 30 of 4 and 15 of 8 for its 132 SMs.
uint64_t ResidentClusters(const GemmConfig& config, const DeviceFacts& device) {
  const KernelVariant& variant = *config.variant;
  int64_t sms = device.sm_count;
  if (config.max_sms != 0) sms = std::min<int64_t>(sms, config.max_sms);
  if (ClusterSize(variant) > 2) sms = sms * 10 / 11;
  return std::max<int64_t>(1, sms / ClusterSize(variant) * variant.ctas_per_sm);
}

}  // namespace

GemmPlan MakePlan(const GemmProblem& problem, const GemmConfig& config,
                  const DeviceFacts& device) {
  constexpr int64_t kSectionAlignment = 256;
  const KernelVariant& variant = *config.variant;
  GemmPlan plan;
  const std::optional<TileGrid> grid = ClusterTileGrid(problem, variant);
  const Order order = MakeOrder(*grid, OrderOptionsOf(config)).value();
  const uint64_t workers = ResidentClusters(config, device);
  plan.work = MakeWorkList(order, grid->k_tiles, config.split_k, workers);
  plan.clusters = GridClusters(variant.supply, plan.work.size(), workers);
  plan.a = OperandOf(problem, /*is_a=*/!variant.swaps_operands);
  plan.b = OperandOf(problem, /*is_a=*/variant.swaps_operands);

  plan.zeroed_bytes = SupplyWorkspaceBytes(variant.supply);
  plan.tickets_offset = RoundUp(plan.zeroed_bytes, sizeof(uint64_t));
  const bool split = plan.work.slices > 1;
  const int64_t cta_tiles = plan.work.split_tiles() * ClusterSize(variant);
  // A ticket for each warpgroup's part of a tile; two cover every schedule.
  int64_t bytes = split ? plan.tickets_offset + cta_tiles * 2 * sizeof(uint64_t)
                        : plan.zeroed_bytes;
  bytes = RoundUp(bytes, kSectionAlignment);
  plan.partials_offset = bytes;
  if (split) {
    bytes += cta_tiles / variant.cluster_k * plan.work.slices * variant.tile_m *
             variant.tile_n * int64_t{sizeof(float)};
  }
  plan.a.workspace_offset = bytes;
  bytes += RoundUp(
      PlanOperand(problem, variant.tile_m, variant.operand_bits, plan.a),
      kSectionAlignment);
  plan.b.workspace_offset = bytes;
  bytes += RoundUp(
      PlanOperand(problem, variant.tile_n, variant.operand_bits, plan.b),
      kSectionAlignment);
  plan.workspace_bytes = bytes;
  return plan;
}

bool MayStoreByTma(const GemmProblem& problem, const KernelVariant& variant,
                   const void* d) {
  return !variant.swaps_operands && BitsOf(problem.d_type) == 16 &&
         reinterpret_cast<uintptr_t>(d) % kTmaAlignment == 0 &&
         // TMA writes whole vectors of 16 bytes, past the end of a row too.
         problem.n * 2 % kTmaAlignment == 0 &&
         problem.ldd * 2 % kTmaAlignment == 0 &&
         (problem.batch == 1 ||
          problem.batch_stride_d * 2 % kTmaAlignment == 0) &&
         problem.epilogue.bias == Bias::kNone &&
         problem.epilogue.activation == Activation::kNone &&
         problem.scaling != Scaling::kPerRowColumn;
}

}  // namespace tiletune::hopper
