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
#include "kernels/launch/kernel_limits.h"
#include "kernels/launch/launch_kernel.h"
#include "kernels/ptx/tensor_map.h"
#include "kernels/repack/repack.h"
#include "kernels/tiling.h"

namespace tiletune {
namespace hopper {
namespace {

// A launch, with all the host's work done.
struct State {
  KernelLaunch launch;
  KernelLimits* limits;
  GemmPlan plan;
  // Ahead of the kernel.
  RepackArguments a;
  RepackArguments b;
  ShiftedRowsParams params;
  // What the maps in `params` describe.
  std::optional<TensorMapSpec> a_rows;
  std::optional<TensorMapSpec> a_map;
  std::optional<TensorMapSpec> b_map;
  std::optional<TensorMapSpec> d_map;
};

// A repack's own dependent launch is worth its price only to kernels that go on
// loading meanwhile (docs/results/h200.md).
RepackArguments RepackOf(const GemmConfig& config, const GemmPlan& plan,
                         const OperandPlan& operand,
                         const GemmArguments& arguments, char* workspace) {
  RepackArguments r;
  if (!operand.repack) return r;
  r.is_dependent = config.dependent_launch && config.variant->shifted_rows;
  r.source = operand.is_problem_a ? arguments.a : arguments.b;
  r.destination = workspace + operand.workspace_offset;
  r.inner = operand.view.inner;
  r.outer = operand.view.outer;
  r.batches = operand.view.batches;
  r.source_stride = operand.source.ld;
  r.source_batch_stride = operand.source.batch_stride;
  r.destination_stride = operand.view.ld;
  r.destination_batch_stride = operand.view.batch_stride;
  r.transposes = operand.is_k_major != operand.source_is_k_major;
  r.element_bytes = BytesOf(operand.type);
  r.clean = reinterpret_cast<uint32_t*>(workspace + plan.clean_offset);
  r.clean_blocks = static_cast<uint32_t>(
      (operand.workspace_offset - plan.partials_offset) / kPartialBlockBytes);
  return r;
}

// As the SetParameters of tensor_map.h, with the maps of shifted rows.
absl::Status SetParameters(const LaunchParameters& wanted, State* state) {
  absl::Status status = tiletune::SetParameters<GemmParams>(
      wanted.params, wanted, state, &state->params);
  if (!status.ok() || !wanted.a_rows.has_value()) return status;
  state->params.a_row_shift = wanted.params.a_row_shift;
  state->params.a_is_ready = wanted.params.a_is_ready;
  int box = 0;
  for (CUtensorMap& map : state->params.a_rows) {
    std::optional<TensorMapSpec> described;
    if (state->a_rows.has_value()) described = RowsMap(*state->a_rows, box);
    status = UpdateTensorMap(RowsMap(*wanted.a_rows, box), &described, &map);
    if (!status.ok()) break;
    ++box;
  }
  state->a_rows = status.ok() ? wanted.a_rows : std::nullopt;
  return status;
}

absl::Status Enqueue(const PreparedLaunch& prepared, GpuStream stream) {
  const State& state = prepared.As<State>();
  absl::Status status = state.limits->Raise();
  if (status.ok()) {
    status = LaunchRepack(state.a, state.b, stream);
  }
  if (status.ok()) {
    status = LaunchKernel(state.launch, &state.params, stream);
  }
  return status;
}

size_t HopperWorkspaceBytes(const GemmProblem& problem,
                            const GemmConfig& config,
                            const DeviceFacts& device) {
  return MakePlan(problem, config, device).workspace_bytes;
}

absl::Status HopperPrepare(const GemmProblem& problem, const GemmConfig& config,
                           const GemmArguments& arguments,
                           const DeviceFacts& device, void* workspace,
                           PreparedLaunch* prepared) {
  State& state = prepared->As<State>();
  if (prepared->enqueue == nullptr) {
    state = State();
    const KernelEntry* entry = FindKernel(config.variant->name);
    if (entry == nullptr) {
      return absl::UnimplementedError(
          absl::StrCat(config.variant->name, " is not linked"));
    }
    state.launch.function = entry->function;
    state.launch.threads = static_cast<uint32_t>(entry->threads);
    state.launch.shared_bytes = static_cast<uint32_t>(entry->shared_bytes);
    state.limits = KernelLimits::Of(entry->function, entry->shared_bytes);
    state.plan = MakePlan(problem, config, device);
  }
  const GemmPlan& plan = state.plan;
  if (plan.work.size() == 0) return absl::OkStatus();
  char* const memory = static_cast<char*>(workspace);
  const LaunchParameters parameters =
      MakeParameters(problem, config, state.plan, arguments, memory);
  absl::Status status = SetParameters(parameters, &state);
  if (!status.ok()) return status;
  const uint32_t cluster = static_cast<uint32_t>(LaunchedClusterSize(config));
  const uint32_t ctas = static_cast<uint32_t>(plan.clusters) *
                        static_cast<uint32_t>(ClusterSize(*config.variant));
  // CTAs that only fill up a launch cluster find no work.
  state.launch.ctas = CeilDiv(ctas, cluster) * cluster;
  state.launch.cluster = cluster > 1 ? cluster : 0;
  state.launch.is_dependent = config.dependent_launch;
  state.a = RepackOf(config, plan, plan.a, arguments, memory);
  state.b = RepackOf(config, plan, plan.b, arguments, memory);
  prepared->enqueue = &Enqueue;
  return absl::OkStatus();
}

absl::Status HopperLaunch(const GemmProblem& problem, const GemmConfig& config,
                          const GemmArguments& arguments,
                          const DeviceFacts& device, void* workspace,
                          GpuStream stream) {
  PreparedLaunch prepared;
  const absl::Status status =
      HopperPrepare(problem, config, arguments, device, workspace, &prepared);
  if (!status.ok() || prepared.enqueue == nullptr) return status;
  return prepared.enqueue(prepared, stream);
}

bool HopperIsLinked(const KernelVariant& variant) {
  return FindKernel(variant.name) != nullptr;
}

}  // namespace
}  // namespace hopper

const FamilyLauncher& HopperLauncher() {
  static constexpr FamilyLauncher kLauncher = {
      hopper::HopperWorkspaceBytes, hopper::HopperLaunch,
      hopper::HopperIsLinked, hopper::HopperPrepare};
  return kLauncher;
}

}  // namespace tiletune
