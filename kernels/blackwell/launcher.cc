#include "kernels/blackwell/launcher.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "kernels/blackwell/entry.h"
#include "kernels/blackwell/plan.h"
#include "kernels/ptx/tensor_map.h"
#include "kernels/repack/repack.h"
#include "kernels/shared_memory_limit.h"

namespace tiletune {
namespace blackwell {
namespace {

absl::Status Check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat(call, " failed: ", cudaGetErrorString(error)));
}

// A launch, with all the host's work done.
struct State {
  const void* function;
  SharedMemoryLimit* limit;
  unsigned threads;
  size_t shared_bytes;
  uint32_t grid;     // CTAs
  uint32_t cluster;  // CTAs
  bool dependent_launch;
  // Ahead of the kernel.
  void* cleared;
  size_t cleared_bytes;
  RepackArguments repacks[2];
  int repack_count;
  GemmParameters parameters;
  // What the maps in `parameters` describe.
  std::optional<TensorMapSpec> a_map;
  std::optional<TensorMapSpec> b_map;
  std::optional<TensorMapSpec> d_map;
};

// What must be enqueued ahead of the kernel.
absl::Status EnqueuePreparation(const State& state, cudaStream_t stream) {
  if (state.cleared_bytes != 0) {
    const absl::Status status =
        Check(cudaMemsetAsync(state.cleared, 0, state.cleared_bytes, stream),
              "cudaMemsetAsync");
    if (!status.ok()) return status;
  }
  for (int i = 0; i < state.repack_count; ++i) {
    const absl::Status status = LaunchRepack(state.repacks[i], stream);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status LaunchKernel(const State& state, cudaStream_t stream) {
  cudaLaunchAttribute attributes[2];
  cudaLaunchConfig_t launch = {};
  launch.gridDim = dim3(state.grid);
  launch.blockDim = dim3(state.threads);
  launch.dynamicSmemBytes = state.shared_bytes;
  launch.stream = stream;
  launch.attrs = attributes;
  cudaLaunchAttribute& cluster = attributes[launch.numAttrs++];
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = state.cluster;
  cluster.val.clusterDim.y = 1;
  cluster.val.clusterDim.z = 1;
  if (state.dependent_launch) {
    cudaLaunchAttribute& dependent = attributes[launch.numAttrs++];
    dependent.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    dependent.val.programmaticStreamSerializationAllowed = 1;
  }
  // CUDA reads the parameters only.
  void* arguments[] = {const_cast<GemmParameters*>(&state.parameters)};
  return Check(cudaLaunchKernelExC(&launch, state.function, arguments),
               "cudaLaunchKernelExC");
}

absl::Status Enqueue(const PreparedLaunch& prepared, GpuStream stream) {
  const State& state = prepared.As<State>();
  absl::Status status = state.limit->Raise();
  if (status.ok()) status = EnqueuePreparation(state, stream);
  if (status.ok()) status = LaunchKernel(state, stream);
  return status;
}

absl::Status Prepare(const GemmProblem& problem, const GemmConfig& config,
                     const GemmArguments& arguments, const DeviceFacts& device,
                     void* workspace, PreparedLaunch* prepared) {
  State& state = prepared->As<State>();
  const KernelVariant& variant = *config.variant;
  if (prepared->enqueue == nullptr) {
    state = State();
    const KernelEntry* entry = FindEntry(variant.name);
    if (entry == nullptr) {
      return absl::UnimplementedError(
          absl::StrCat(variant.name, " is not linked into this program"));
    }
    state.function = entry->function();
    state.limit =
        SharedMemoryLimit::Of(entry->function(), variant.shared_bytes);
  }
  const LaunchPlan plan =
      MakePlan(problem, config, arguments, device, workspace);
  if (plan.grid == 0) return absl::OkStatus();
  const absl::Status status =
      SetParameters(plan.parameters, plan, &state, &state.parameters);
  if (!status.ok()) return status;
  state.threads = static_cast<unsigned>(variant.threads);
  state.shared_bytes = static_cast<size_t>(variant.shared_bytes);
  state.grid = plan.grid;
  state.cluster = plan.cluster;
  state.dependent_launch = config.dependent_launch;
  state.cleared = plan.cleared;
  state.cleared_bytes = plan.cleared_bytes;
  state.repack_count = static_cast<int>(plan.repacks.size());
  std::copy(plan.repacks.begin(), plan.repacks.end(), state.repacks);
  prepared->enqueue = &Enqueue;
  return absl::OkStatus();
}

absl::Status Launch(const GemmProblem& problem, const GemmConfig& config,
                    const GemmArguments& arguments, const DeviceFacts& device,
                    void* workspace, GpuStream stream) {
  PreparedLaunch prepared;
  const absl::Status status =
      Prepare(problem, config, arguments, device, workspace, &prepared);
  if (!status.ok() || prepared.enqueue == nullptr) return status;
  return prepared.enqueue(prepared, stream);
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
                                          &blackwell::IsLinked,
                                          &blackwell::Prepare};
  return launcher;
}

}  // namespace tiletune
