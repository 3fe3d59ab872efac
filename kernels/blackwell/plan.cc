#include "kernels/blackwell/plan.h"

#include <algorithm>

#include "kernels/blackwell/kernel_shape.h"
#include "kernels/blackwell/operand_plan.h"
#include "kernels/ptx/umma_descriptor.h"
#include "kernels/tiling.h"
#include "scheduler/supply.h"

namespace tiletune::blackwell {
namespace {

// Device code includes no problem.h.
static_assert(static_cast<int>(Activation::kSilu) ==
              static_cast<int>(ActivationKind::kSilu));

uint32_t UmmaType(DataType type) {
  switch (type) {
    case DataType::kBf16:
      return ptx::kUmmaBf16;
    case DataType::kFp16:
      return ptx::kUmmaFp16;
    case DataType::kFp8E4m3:
      return ptx::kUmmaE4m3;
    default:
      return ptx::kUmmaE5m2;
  }
}

Order OrderOf(const GemmProblem& problem, const GemmConfig& config) {
  // Legal, so both exist.
  return *MakeOrder(*ClusterTileGrid(problem, *config.variant),
                    OrderOptionsOf(config));
}

// Where the parts of the workspace begin.
struct Workspace {
  size_t tickets = 0;
  size_t ticket_bytes_to_clear = 0;  // 0 where the counters' words suffice
  size_t partials = 0;
  size_t a = 0;
  size_t b = 0;
  size_t bytes = 0;
};

size_t Aligned(size_t bytes) {
  return (bytes + kWorkspaceAlignment - 1) / kWorkspaceAlignment *
         kWorkspaceAlignment;
}

// Word 0 of the counters is the queue's; the tickets follow.
constexpr size_t kFirstTicket = 256;

Workspace LayOut(const Order& order, const KernelVariant& v,
                 const OperandPlan& a, const OperandPlan& b) {
  Workspace w;
  const bool splits = order.k_slices > 1;
  if (splits || v.supply == SupplyKind::kQueue) {
    w.bytes = kWorkspaceCounterBytes;
  }
  if (splits) {
    const size_t ctas = order.size() * ClusterSize(v);  // times slices
    const size_t ticket_bytes =
        ctas / order.k_slices * kEpilogueWarps * sizeof(uint32_t);
    w.tickets = kFirstTicket;
    if (ticket_bytes > kWorkspaceCounterBytes - kFirstTicket) {
      w.tickets = w.bytes;
      w.ticket_bytes_to_clear = ticket_bytes;
      w.bytes += Aligned(ticket_bytes);
    }
    w.partials = w.bytes;
    w.bytes += Aligned(ctas * v.tile_m * v.tile_n * sizeof(float));
  }
  w.a = w.bytes;
  w.bytes += Aligned(RepackedBytes(a));
  w.b = w.bytes;
  w.bytes += Aligned(RepackedBytes(b));
  return w;
}

// A view of C or D in the kernel's rows and columns.
MatrixView ViewOf(const GemmProblem& p, const KernelVariant& v, void* base,
                  DataType type, int64_t stride, int64_t batch_stride) {
  MatrixView view = {};
  view.base = base;
  view.type = ElementTypeOf(type);
  view.row_stride = v.swaps_operands ? 1 : stride;
  view.column_stride = v.swaps_operands ? stride : 1;
  view.batch_stride = p.batch > 1 ? batch_stride : 0;
  const auto is_aligned = [type](int64_t elements) {
    return elements * BytesOf(type) % 16 == 0;
  };
  const int64_t rows = p.m;
  view.is_vectorizable = !v.swaps_operands && p.pointer_alignment >= 16 &&
                         (rows == 1 || is_aligned(stride)) &&
                         is_aligned(view.batch_stride);
  return view;
}

// Whole 128-byte rows of a tile's D, at addresses that TMA can describe. TMA
// writes whole 16-byte units, past the end of a row too (seen on an H200), so
// rows of D must end on one.
bool CanStoreByTma(const GemmProblem& p, const KernelVariant& v,
                   const MatrixView& d) {
  const int32_t columns = v.tile_m == 64 ? v.tile_n / 2 : v.tile_n;
  return d.is_vectorizable && columns * BytesOf(p.d_type) % kSpanBytes == 0 &&
         p.n * BytesOf(p.d_type) % 16 == 0;
}

TensorMapSpec MapOfD(const GemmProblem& p, const KernelVariant& v, void* d) {
  const uint64_t bytes = BytesOf(p.d_type);
  TensorMapSpec spec;
  spec.address = d;
  spec.type = TensorMapTypeOf(p.d_type);
  spec.extents = {static_cast<uint64_t>(p.n), static_cast<uint64_t>(p.m),
                  static_cast<uint64_t>(p.batch)};
  spec.strides = {p.m > 1 ? p.ldd * bytes : 16,
                  p.batch > 1 ? p.batch_stride_d * bytes : 16};
  const uint32_t rows = v.tile_m == 64 && v.cta_group == 1 ? 16 : 32;
  spec.box = {static_cast<uint32_t>(kSpanBytes / bytes), rows, 1};
  spec.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  return spec;
}

// A vector along the problem's rows or columns, as the kernel sees it.
BiasKind BiasOf(Bias bias, bool swapped) {
  if (bias == Bias::kNone) return BiasKind::kNone;
  return (bias == Bias::kPerRow) != swapped ? BiasKind::kPerRow
                                            : BiasKind::kPerColumn;
}

EpilogueParameters EpilogueOf(const GemmProblem& p, const KernelVariant& v,
                              const GemmArguments& args) {
  EpilogueParameters e = {};
  e.d = ViewOf(p, v, args.d, p.d_type, p.ldd, p.batch_stride_d);
  const bool beta_is_zero = args.beta_device == nullptr && args.beta == 0.0f;
  if (p.epilogue.reads_c && !beta_is_zero) {
    // Only read: the view serves D too.
    e.c = ViewOf(p, v, const_cast<void*>(args.c), p.c_type, p.ldc,
                 p.batch_stride_c);
  }
  e.bias = args.bias;
  e.bias_kind = BiasOf(p.epilogue.bias, v.swaps_operands);
  e.bias_type = ElementTypeOf(BiasType(p));
  e.activation = static_cast<ActivationKind>(p.epilogue.activation);
  e.alpha = args.alpha;
  e.beta = args.beta;
  e.alpha_device = args.alpha_device;
  e.beta_device = args.beta_device;
  if (p.scaling != Scaling::kNone) {
    e.row_scale = v.swaps_operands ? args.scale_b : args.scale_a;
    e.column_scale = v.swaps_operands ? args.scale_a : args.scale_b;
    e.scales_are_vectors = p.scaling == Scaling::kPerRowColumn;
  }
  e.d_scale = args.scale_d;
  e.amax = p.epilogue.amax ? args.amax_d : nullptr;
  e.stores_by_tma = CanStoreByTma(p, v, e.d);
  return e;
}

uint32_t InstructionOf(const KernelVariant& v, const OperandPlan& a,
                       const OperandPlan& b) {
  return ptx::InstructionDescriptor(
      {static_cast<uint32_t>(v.tile_m * v.cta_group),
       static_cast<uint32_t>(v.tile_n), UmmaType(a.type), UmmaType(b.type),
       !a.is_k_major, !b.is_k_major});
}

// Clusters that run at once.
uint32_t ResidentClusters(const GemmConfig& config, const DeviceFacts& device) {
  const uint32_t sms =
      static_cast<uint32_t>(UsableSms(config, device.sm_count));
  return std::max<uint32_t>(1, sms / ClusterSize(*config.variant));
}

}  // namespace

size_t PlanWorkspaceBytes(const GemmProblem& problem,
                          const GemmConfig& config) {
  const KernelVariant& v = *config.variant;
  return LayOut(OrderOf(problem, config), v, PlanOperandA(problem, v),
                PlanOperandB(problem, v))
      .bytes;
}

LaunchPlan MakePlan(const GemmProblem& problem, const GemmConfig& config,
                    const GemmArguments& arguments, const DeviceFacts& device,
                    void* workspace) {
  const KernelVariant& v = *config.variant;
  const OperandPlan a = PlanOperandA(problem, v);
  const OperandPlan b = PlanOperandB(problem, v);
  const Order order = OrderOf(problem, config);
  const Workspace layout = LayOut(order, v, a, b);
  char* const memory = static_cast<char*>(workspace);

  LaunchPlan plan;
  GemmParameters& p = plan.parameters;
  p.order = order;
  p.m = static_cast<uint32_t>(v.swaps_operands ? problem.n : problem.m);
  p.n = static_cast<uint32_t>(v.swaps_operands ? problem.m : problem.n);
  p.k_tiles = ClusterTileGrid(problem, v)->k_tiles;
  p.instruction = InstructionOf(v, a, b);
  p.a_is_k_major = a.is_k_major;
  p.b_is_k_major = b.is_k_major;
  p.a_batch_step = a.batches > 1 ? 1 : 0;
  p.b_batch_step = b.batches > 1 ? 1 : 0;
  p.epilogue = EpilogueOf(problem, v, arguments);
  if (v.supply == SupplyKind::kQueue) {
    p.queue_counter = reinterpret_cast<uint32_t*>(memory);
  }
  if (order.k_slices > 1) {
    p.epilogue.tickets = reinterpret_cast<uint32_t*>(memory + layout.tickets);
    p.epilogue.partials = reinterpret_cast<float*>(memory + layout.partials);
    if (layout.ticket_bytes_to_clear != 0) {
      plan.cleared = memory + layout.tickets;
      plan.cleared_bytes = layout.ticket_bytes_to_clear;
    }
  }

  const auto map_operand = [&](const OperandPlan& operand, size_t offset,
                               RepackArguments* repack) {
    const void* source = operand.is_problem_a ? arguments.a : arguments.b;
    if (!operand.needs_repack) return MapOf(operand, source);
    *repack = RepackOf(operand, source, memory + offset);
    return MapOf(operand, memory + offset);
  };
  if (p.k_tiles != 0) {
    plan.a_map = map_operand(a, layout.a, &plan.repacks[0]);
    plan.b_map = map_operand(b, layout.b, &plan.repacks[1]);
  }
  if (p.epilogue.stores_by_tma) plan.d_map = MapOfD(problem, v, arguments.d);

  plan.cluster = static_cast<uint32_t>(ClusterSize(v));
  plan.grid = static_cast<uint32_t>(
      GridClusters(v.supply, order.size(), ResidentClusters(config, device)) *
      plan.cluster);
  return plan;
}

}  // namespace tiletune::blackwell
