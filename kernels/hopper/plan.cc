#include "kernels/hopper/plan.h"

#include <algorithm>
#include <optional>

#include "kernels/gemm.h"
#include "kernels/repack/repack_arguments.h"
#include "kernels/tiling.h"
#include "kernels/tma_alignment.h"
#include "scheduler/supply.h"

namespace tiletune::hopper {
namespace {

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

// Decides how the kernel reads the operand; returns the bytes of its copy.
int64_t PlanOperand(const GemmProblem& p, const KernelVariant& variant,
                    OperandPlan& operand) {
  operand.view = operand.source;
  operand.is_k_major = operand.source_is_k_major;
  operand.repack = p.k != 0 && NeedsRepack(p, variant, operand.is_problem_a);
  if (!operand.repack) return 0;
  MatrixView& view = operand.view;
  if (!operand.is_k_major && !TakesMnMajor(variant, operand.is_problem_a)) {
    operand.is_k_major = true;
    view.inner = operand.source.outer;
    view.outer = operand.source.inner;
  }
  view.ld = PackedRowStride(view.inner, BytesOf(operand.type));
  view.batch_stride = view.ld * view.outer;
  return view.batch_stride * view.batches * BytesOf(operand.type);
}

uint64_t Workers(const GemmConfig& config, const DeviceFacts& device) {
  const int32_t sms = UsableSms(config, device.sm_count);
  return static_cast<uint64_t>(ResidentClusters(*config.variant, sms));
}

}  // namespace

GemmPlan MakePlan(const GemmProblem& problem, const GemmConfig& config,
                  const DeviceFacts& device) {
  constexpr int64_t kSectionAlignment = 256;
  // Word 0 is the queue's alone. A ticket for each warpgroup's part of a tile
  // that is split: fewer than a wave, so that they always fit.
  constexpr size_t kFirstTicket = 256;
  constexpr size_t kClean = 128;
  const KernelVariant& variant = *config.variant;
  GemmPlan plan;
  const std::optional<TileGrid> grid = ClusterTileGrid(problem, variant);
  const Order order = MakeOrder(*grid, OrderOptionsOf(config)).value();
  const uint64_t workers = Workers(config, device);
  plan.work = MakeWorkList(order, grid->k_tiles, config.split_k, workers);
  plan.clusters = GridClusters(variant.supply, plan.work.size(), workers);
  plan.a = OperandOf(problem, /*is_a=*/!variant.swaps_operands);
  plan.b = OperandOf(problem, /*is_a=*/variant.swaps_operands);

  plan.tickets_offset = kFirstTicket;
  plan.clean_offset = kClean;
  const bool split = plan.work.slices > 1;
  const int64_t cta_tiles = plan.work.split_tiles() * ClusterSize(variant);
  int64_t bytes = kWorkspaceCounterBytes;
  plan.partials_offset = bytes;
  if (split) {
    bytes += cta_tiles / variant.cluster_k * plan.work.slices * variant.tile_m *
             variant.tile_n * int64_t{sizeof(float)};
    plan.partial_blocks = (bytes - plan.partials_offset) / kPartialBlockBytes;
  }
  plan.a.workspace_offset = bytes;
  bytes += RoundUp(PlanOperand(problem, variant, plan.a), kSectionAlignment);
  plan.b.workspace_offset = bytes;
  bytes += RoundUp(PlanOperand(problem, variant, plan.b), kSectionAlignment);
  const bool counts = split || variant.supply == SupplyKind::kQueue;
  const bool holds = bytes > static_cast<int64_t>(kWorkspaceCounterBytes);
  plan.workspace_bytes = counts || holds ? bytes : 0;
  return plan;
}

bool MayStoreByTma(const GemmProblem& problem, const KernelVariant& variant,
                   const void* d) {
  const bool kernel_may = variant.swaps_operands ||
                          (variant.cluster_k == 1 && !variant.shifted_rows);
  return kernel_may && BitsOf(problem.d_type) == 16 &&
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
