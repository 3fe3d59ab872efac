#include "kernels/hopper/launcher.h"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "kernels/hopper/kernel_entry.h"
#include "kernels/hopper/parameters.h"
#include "kernels/hopper/plan.h"
#include "kernels/hopper/repack.h"
#include "kernels/ptx/tensor_map.h"
#include "kernels/tiling.h"

namespace tiletune {
namespace hopper {
namespace {

absl::Status Check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat(call, " failed: ", cudaGetErrorName(error)));
}

absl::Status EncodeMap(const std::optional<TensorMapSpec>& spec,
                       CUtensorMap& map) {
  if (!spec.has_value()) return absl::OkStatus();
  absl::StatusOr<CUtensorMap> encoded = EncodeTensorMap(*spec);
  if (!encoded.ok()) return encoded.status();
  map = *encoded;
  return absl::OkStatus();
}

absl::Status EncodeMaps(LaunchParameters& p) {
  absl::Status status = EncodeMap(p.a_map, p.params.a_map);
  if (status.ok()) status = EncodeMap(p.b_map, p.params.b_map);
  if (status.ok()) status = EncodeMap(p.d_map, p.params.d_map);
  return status;
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
  LaunchParameters parameters =
      MakeParameters(problem, config, plan, arguments, memory);
  absl::Status status = EncodeMaps(parameters);
  if (!status.ok()) return status;

  status = RepackOperand(plan.a, arguments, memory, stream);
  if (!status.ok()) return status;
  status = RepackOperand(plan.b, arguments, memory, stream);
  if (!status.ok()) return status;
  return LaunchKernel(*entry, config, plan.clusters, parameters.params, stream);
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
