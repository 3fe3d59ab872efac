#include "kernels/blackwell/launcher.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "kernels/blackwell/entry.h"
#include "kernels/blackwell/plan.h"
#include "kernels/cuda_status.h"
#include "kernels/launch/kernel_limits.h"
#include "kernels/launch/launch_kernel.h"
#include "kernels/ptx/tensor_map.h"
#include "kernels/repack/repack.h"

namespace tiletune {
namespace blackwell {
namespace {

// A launch, with all the host's work done.
struct State {
  KernelLaunch launch;
  KernelLimits* limits;
  // Ahead of the kernel.
  void* cleared;
  size_t cleared_bytes;
  RepackArguments repacks[2];
  GemmParameters parameters;
  // What the maps in `parameters` describe.
  std::optional<TensorMapSpec> a_map;
  std::optional<TensorMapSpec> b_map;
  std::optional<TensorMapSpec> d_map;
};

// What must be enqueued ahead of the kernel.
absl::Status EnqueuePreparation(const State& state, cudaStream_t stream) {
  if (state.cleared_bytes != 0) {
    const absl::Status status = CudaStatus(
        cudaMemsetAsync(state.cleared, 0, state.cleared_bytes, stream),
        "cudaMemsetAsync");
    if (!status.ok()) return status;
  }
  return LaunchRepack(state.repacks[0], state.repacks[1], stream);
}

absl::Status Enqueue(const PreparedLaunch& prepared, GpuStream stream) {
  const State& state = prepared.As<State>();
  absl::Status status = state.limits->Raise();
  if (status.ok()) status = EnqueuePreparation(state, stream);
  if (status.ok()) {
    status = LaunchKernel(state.launch, &state.parameters, stream);
  }
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
    state.launch.function = entry->function();
    state.limits = KernelLimits::Of(entry->function(), variant.shared_bytes);
  }
  const LaunchPlan plan =
      MakePlan(problem, config, arguments, device, workspace);
  if (plan.grid == 0) return absl::OkStatus();
  const absl::Status status =
      SetParameters(plan.parameters, plan, &state, &state.parameters);
  if (!status.ok()) return status;
  state.launch.ctas = plan.grid;
  state.launch.cluster = plan.cluster;
  state.launch.threads = static_cast<uint32_t>(variant.threads);
  state.launch.shared_bytes = static_cast<uint32_t>(variant.shared_bytes);
  state.launch.is_dependent = config.dependent_launch;
  state.cleared = plan.cleared;
  state.cleared_bytes = plan.cleared_bytes;
  std::copy(std::begin(plan.repacks), std::end(plan.repacks), state.repacks);
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
