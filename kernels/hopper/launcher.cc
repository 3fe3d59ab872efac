#include "kernels/hopper/launcher.h"

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <random>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "kernels/hopper/gemm_params.h"
#include "kernels/hopper/kernel_entry.h"
#include "kernels/hopper/plan.h"
#include "kernels/hopper/repack.h"
#include "kernels/ptx/tensor_map.h"
#include "kernels/tiling.h"

namespace tiletune {
namespace hopper {
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

absl::Status Check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat(call, " failed: ", cudaGetErrorName(error)));
}

// Not 0, below 2^48, and not met again in a workspace: processes start at
// random places, so that not even memory left by another one is mistaken.
uint64_t NextLaunchNumber() {
  static std::atomic<uint64_t> next = [] {
    std::random_device random;
    return static_cast<uint64_t>(random()) << 32 | random();
  }();
  while (true) {
    const uint64_t number =
        next.fetch_add(1, std::memory_order_relaxed) & ((1ull << 48) - 1);
    if (number != 0) return number;
  }
}

ElementType ElementOf(DataType type) { return static_cast<ElementType>(type); }

CUtensorMapDataType TensorMapType(DataType type) {
  switch (type) {
    case DataType::kBf16:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case DataType::kFp16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    default:
      return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  }
}

const char* AddressOf(const OperandPlan& operand, const GemmArguments& args,
                      const char* workspace) {
  if (operand.repack) return workspace + operand.workspace_offset;
  return static_cast<const char*>(operand.is_problem_a ? args.a : args.b);
}

// The boxes are those that producer.cuh loads: `slices` CTAs share a tile of
// `tile_rows`, and each loads its part of one 128-byte block.
absl::StatusOr<CUtensorMap> OperandMap(const OperandPlan& operand,
                                       const void* address, int32_t tile_rows,
                                       int32_t slices) {
  const uint64_t bytes = BytesOf(operand.type);
  const uint32_t width = static_cast<uint32_t>(128 / bytes);
  const MatrixView& view = operand.view;
  TensorMapSpec spec;
  spec.address = address;
  spec.type = TensorMapType(operand.type);
  spec.extents = {static_cast<uint64_t>(view.inner),
                  static_cast<uint64_t>(view.outer),
                  static_cast<uint64_t>(view.batches)};
  spec.strides[0] = view.ld * bytes;
  spec.strides[1] =
      view.batches > 1 ? view.batch_stride * bytes : spec.strides[0];
  const int32_t rows = operand.is_k_major ? tile_rows : 64;
  spec.box = {width, static_cast<uint32_t>(rows / slices), 1};
  spec.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  return EncodeTensorMap(spec);
}

// D in boxes of a warp's 16 rows and 128 bytes, see epilogue.cuh.
absl::StatusOr<CUtensorMap> OutputMap(const GemmProblem& p, void* d) {
  TensorMapSpec spec;
  spec.address = d;
  spec.type = TensorMapType(p.d_type);
  spec.extents = {static_cast<uint64_t>(p.n), static_cast<uint64_t>(p.m),
                  static_cast<uint64_t>(p.batch)};
  spec.strides[0] = p.ldd * 2;
  spec.strides[1] = p.batch > 1 ? p.batch_stride_d * 2 : spec.strides[0];
  spec.box = {64, 16, 1};
  spec.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  return EncodeTensorMap(spec);
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
  if (p.scaling != Scaling::kNone) {
    e.scale_a = args.scale_a;
    e.scale_b = args.scale_b;
  }
  e.scale_per_row_column = p.scaling == Scaling::kPerRowColumn;
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

absl::StatusOr<GemmParams> MakeParams(const GemmProblem& p,
                                      const KernelVariant& variant,
                                      const GemmPlan& plan,
                                      const GemmArguments& args,
                                      char* workspace) {
  GemmParams params = {};
  params.work = plan.work;
  params.a_batch = plan.a.view.batches > 1 ? 1 : 0;
  params.b_batch = plan.b.view.batches > 1 ? 1 : 0;
  params.a_type = ElementOf(plan.a.type);
  params.b_type = ElementOf(plan.b.type);
  params.a_is_k_major = plan.a.is_k_major;
  params.b_is_k_major = plan.b.is_k_major;
  params.queue_counter = reinterpret_cast<uint32_t*>(workspace);
  params.tickets = reinterpret_cast<uint64_t*>(workspace + plan.tickets_offset);
  params.launch_number = NextLaunchNumber();
  params.partials = reinterpret_cast<float*>(workspace + plan.partials_offset);
  params.epilogue = MakeEpilogue(p, variant, args);
  if (plan.work.k_tiles != 0) {
    absl::StatusOr<CUtensorMap> map =
        OperandMap(plan.a, AddressOf(plan.a, args, workspace), variant.tile_m,
                   variant.cluster_n);
    if (!map.ok()) return map.status();
    params.a_map = *map;
    map = OperandMap(plan.b, AddressOf(plan.b, args, workspace), variant.tile_n,
                     variant.cluster_m);
    if (!map.ok()) return map.status();
    params.b_map = *map;
  }
  if (params.epilogue.tma_store) {
    absl::StatusOr<CUtensorMap> map = OutputMap(p, args.d);
    if (!map.ok()) return map.status();
    params.d_map = *map;
  }
  return params;
}

absl::Status RepackOperand(const OperandPlan& operand,
                           const GemmArguments& args, char* workspace,
                           cudaStream_t stream) {
  if (!operand.repack) return absl::OkStatus();
  RepackParams params;
  params.source = operand.is_problem_a ? args.a : args.b;
  params.destination = workspace + operand.workspace_offset;
  params.inner = operand.view.inner;
  params.outer = operand.view.outer;
  params.batches = operand.view.batches;
  params.source_ld = operand.source.ld;
  params.source_batch_stride = operand.source.batch_stride;
  params.destination_ld = operand.view.ld;
  params.destination_batch_stride = operand.view.batch_stride;
  const bool transpose = operand.is_k_major != operand.source_is_k_major;
  return Check(LaunchRepack(params, transpose, BytesOf(operand.type), stream),
               "launching the repack kernel");
}

absl::Status LaunchKernel(const KernelEntry& entry, const GemmConfig& config,
                          uint64_t clusters, GemmParams& params,
                          cudaStream_t stream) {
  const uint32_t cluster = ClusterSize(*config.variant);
  absl::Status status =
      Check(cudaFuncSetAttribute(entry.function,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 entry.shared_bytes),
            "cudaFuncSetAttribute");
  if (!status.ok()) return status;

  cudaLaunchAttribute attributes[2];
  cudaLaunchConfig_t launch = {};
  launch.gridDim = dim3(static_cast<unsigned>(clusters * cluster));
  launch.blockDim = dim3(entry.threads);
  launch.dynamicSmemBytes = entry.shared_bytes;
  launch.stream = stream;
  launch.attrs = attributes;
  if (cluster > 1) {
    cudaLaunchAttribute& attribute = attributes[launch.numAttrs++];
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
  }
  if (config.dependent_launch) {
    cudaLaunchAttribute& attribute = attributes[launch.numAttrs++];
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
  }
  void* arguments[] = {&params};
  return Check(cudaLaunchKernelExC(&launch, entry.function, arguments),
               "cudaLaunchKernelExC");
}

size_t HopperWorkspaceBytes(const GemmProblem& problem,
                            const GemmConfig& config,
                            const DeviceFacts& device) {
  return MakePlan(problem, config, device).workspace_bytes;
}

absl::Status HopperLaunch(const GemmProblem& problem, const GemmConfig& config,
                          const GemmArguments& arguments,
                          const DeviceFacts& device, void* workspace,
                          GpuStream stream) {
  const KernelEntry* entry = FindKernel(config.variant->name);
  if (entry == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat(config.variant->name, " is not linked"));
  }
  const GemmPlan plan = MakePlan(problem, config, device);
  if (plan.work.size() == 0) return absl::OkStatus();
  char* const memory = static_cast<char*>(workspace);
  absl::StatusOr<GemmParams> params =
      MakeParams(problem, *config.variant, plan, arguments, memory);
  if (!params.ok()) return params.status();

  absl::Status status = RepackOperand(plan.a, arguments, memory, stream);
  if (!status.ok()) return status;
  status = RepackOperand(plan.b, arguments, memory, stream);
  if (!status.ok()) return status;
  if (plan.zeroed_bytes != 0) {
    status = Check(cudaMemsetAsync(memory, 0, plan.zeroed_bytes, stream),
                   "cudaMemsetAsync");
    if (!status.ok()) return status;
  }
  return LaunchKernel(*entry, config, plan.clusters, *params, stream);
}

bool HopperIsLinked(const KernelVariant& variant) {
  return FindKernel(variant.name) != nullptr;
}

}  // namespace
}  // namespace hopper

const FamilyLauncher& HopperLauncher() {
  static constexpr FamilyLauncher kLauncher = {hopper::HopperWorkspaceBytes,
                                               hopper::HopperLaunch,
                                               hopper::HopperIsLinked};
  return kLauncher;
}

}  // namespace tiletune
