#include "kernels/blackwell/launcher.h"

#include <cuda_runtime_api.h>

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "kernels/blackwell/entry.h"
#include "kernels/blackwell/plan.h"
#include "kernels/ptx/tensor_map.h"
#include "kernels/repack/repack.h"

namespace tiletune {
namespace blackwell {
namespace {

absl::Status Check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat(call, " failed: ", cudaGetErrorString(error)));
}

absl::Status Encode(const std::optional<TensorMapSpec>& spec,
                    CUtensorMap* map) {
  if (!spec.has_value()) return absl::OkStatus();
  absl::StatusOr<CUtensorMap> encoded = EncodeTensorMap(*spec);
  if (!encoded.ok()) return encoded.status();
  *map = *encoded;
  return absl::OkStatus();
}

absl::Status EncodeMaps(LaunchPlan* plan) {
  absl::Status status = Encode(plan->a_map, &plan->parameters.a_map);
  if (status.ok()) status = Encode(plan->b_map, &plan->parameters.b_map);
  if (status.ok()) status = Encode(plan->d_map, &plan->parameters.d_map);
  return status;
}

// What must be enqueued ahead of the kernel.
absl::Status Prepare(const LaunchPlan& plan, cudaStream_t stream) {
  if (plan.cleared_bytes != 0) {
    const absl::Status status =
        Check(cudaMemsetAsync(plan.cleared, 0, plan.cleared_bytes, stream),
              "cudaMemsetAsync");
    if (!status.ok()) return status;
  }
  for (const RepackArguments& repack : plan.repacks) {
    const absl::Status status = LaunchRepack(repack, stream);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status LaunchKernel(LaunchPlan* plan, const GemmConfig& config,
                          const void* function, cudaStream_t stream) {
  cudaLaunchAttribute attributes[2];
  cudaLaunchConfig_t launch = {};
  launch.gridDim = dim3(plan->grid);
  launch.blockDim = dim3(static_cast<unsigned>(config.variant->threads));
  launch.dynamicSmemBytes = static_cast<size_t>(config.variant->shared_bytes);
  launch.stream = stream;
  launch.attrs = attributes;
  cudaLaunchAttribute& cluster = attributes[launch.numAttrs++];
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = plan->cluster;
  cluster.val.clusterDim.y = 1;
  cluster.val.clusterDim.z = 1;
  if (config.dependent_launch) {
    cudaLaunchAttribute& dependent = attributes[launch.numAttrs++];
    dependent.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    dependent.val.programmaticStreamSerializationAllowed = 1;
  }
  void* arguments[] = {&plan->parameters};
  return Check(cudaLaunchKernelExC(&launch, function, arguments),
               "cudaLaunchKernelExC");
}

absl::Status Launch(const GemmProblem& problem, const GemmConfig& config,
                    const GemmArguments& arguments, const DeviceFacts& device,
                    void* workspace, GpuStream stream) {
  const KernelEntry* entry = FindEntry(config.variant->name);
  if (entry == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat(config.variant->name, " is not linked into this program"));
  }
  LaunchPlan plan = MakePlan(problem, config, arguments, device, workspace);
  if (plan.grid == 0) return absl::OkStatus();
  absl::Status status = EncodeMaps(&plan);
  if (!status.ok()) return status;
  status =
      Check(cudaFuncSetAttribute(entry->function(),
                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 config.variant->shared_bytes),
            "cudaFuncSetAttribute");
  if (!status.ok()) return status;
  status = Prepare(plan, stream);
  if (!status.ok()) return status;
  return LaunchKernel(&plan, config, entry->function(), stream);
}

size_t Bytes(const GemmProblem& problem, const GemmConfig& config,
             const DeviceFacts&) {
  return PlanWorkspaceBytes(problem, config);
}

bool IsLinked(const KernelVariant& variant) {
  return FindEntry(variant.name) != nullptr;
}

}  // namespace
}  // namespace blackwell

const FamilyLauncher& BlackwellLauncher() {
  static const FamilyLauncher launcher = {&blackwell::Bytes, &blackwell::Launch,
                                          &blackwell::IsLinked};
  return launcher;
}

}  // namespace tiletune
