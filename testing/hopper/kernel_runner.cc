#include "testing/hopper/kernel_runner.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "kernels/gemm.h"
#include "kernels/hopper/parameters.h"
#include "kernels/hopper/plan.h"
#include "testing/emulator/device.h"
#include "testing/emulator/engines/tensor_map.h"
#include "testing/reference/host_operands.h"
#include "testing/reference/matchers.h"
#include "testing/reference/reference_gemm.h"

namespace tiletune {
namespace {

using emulator::GlobalMemory;

template <typename T>
void* Upload(GlobalMemory& memory, const std::vector<T>& host,
             const char* name) {
  if (host.empty()) return nullptr;
  const size_t bytes = host.size() * sizeof(T);
  const uint64_t address = memory.Allocate(bytes, name);
  memory.Write(address, host.data(), bytes);
  return reinterpret_cast<void*>(address);
}

// D, with bytes before and after it that nobody may write.
class GuardedD {
 public:
  GuardedD(GlobalMemory& memory, size_t bytes, int64_t offset)
      : memory_(memory), bytes_(bytes), before_(kGuard + offset) {
    address_ = memory.Allocate(before_ + bytes + kGuard, "D");
    memory.Fill(address_, kUntouched, before_ + bytes + kGuard);
  }

  void* at() const { return reinterpret_cast<void*>(address_ + before_); }
  void Write(const std::vector<uint8_t>& d) {
    memory_.Write(address_ + before_, d.data(), d.size());
  }
  void Read(std::vector<uint8_t>* d) {
    memory_.Read(address_ + before_, d->data(), d->size());
  }

  testing::AssertionResult GuardsAreUntouched() {
    std::vector<uint8_t> all(before_ + bytes_ + kGuard);
    memory_.Read(address_, all.data(), all.size());
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i] == kUntouched) continue;
      if (i >= before_ && i < before_ + bytes_) continue;
      return testing::AssertionFailure()
             << "byte " << static_cast<int64_t>(i - before_) << " of D, which "
             << "has " << bytes_ << ", was written";
    }
    return testing::AssertionSuccess();
  }

 private:
  static constexpr size_t kGuard = 256;
  static constexpr uint8_t kUntouched = 0xff;

  GlobalMemory& memory_;
  const size_t bytes_;
  const size_t before_;
  uint64_t address_;
};

// The emulator's own encoding of a map, after the rules of the driver.
testing::AssertionResult Encode(const std::optional<TensorMapSpec>& spec,
                                CUtensorMap& to) {
  if (!spec.has_value()) return testing::AssertionSuccess();
  emulator::TensorMap map;
  map.type = static_cast<emulator::TensorMapType>(spec->type);
  map.rank = 3;
  map.address = reinterpret_cast<uint64_t>(spec->address);
  for (int i = 0; i < 3; ++i) map.dims[i] = spec->extents[i];
  for (int i = 0; i < 3; ++i) map.box[i] = spec->box[i];
  for (int i = 0; i < 2; ++i) map.strides[i] = spec->strides[i];
  if (!emulator::SwizzleFromDriver(spec->swizzle, &map.swizzle)) {
    return testing::AssertionFailure() << "swizzle " << spec->swizzle;
  }
  for (const std::string& finding : emulator::CheckTensorMap(map)) {
    return testing::AssertionFailure() << "tensor map: " << finding;
  }
  emulator::EncodeTensorMap(map, reinterpret_cast<uint8_t*>(&to));
  return testing::AssertionSuccess();
}

// Counters are zero again, but for the one that says how much of the slots of
// split-K is, which it says if it `was_clean` or these slices may ever be added
// up together.
testing::AssertionResult IsLeftAsFound(GlobalMemory& memory, uint64_t workspace,
                                       const hopper::GemmPlan& plan,
                                       const KernelVariant& variant,
                                       bool was_clean) {
  std::vector<char> bytes(plan.workspace_bytes);
  memory.Read(workspace, bytes.data(), bytes.size());
  uint32_t clean = 0;
  std::memcpy(&clean, &bytes[plan.clean_offset], sizeof(clean));
  const bool together = plan.work.slices_run_at_once &&
                        variant.supply == SupplyKind::kStatic &&
                        !variant.shifted_rows;
  if (clean != (together || was_clean ? plan.partial_blocks : 0)) {
    return testing::AssertionFailure() << clean << " blocks said to be zero";
  }
  std::memset(&bytes[plan.clean_offset], 0, sizeof(clean));
  const auto is_zero = [](char c) { return c == 0; };
  if (!std::all_of(bytes.begin(), bytes.begin() + kWorkspaceCounterBytes,
                   is_zero)) {
    return testing::AssertionFailure() << "counters are not zero again";
  }
  const auto slots = bytes.begin() + plan.partials_offset;
  if (!std::all_of(slots,
                   slots + plan.partial_blocks * hopper::kPartialBlockBytes,
                   is_zero)) {
    return testing::AssertionFailure() << "slots are not left zero";
  }
  return testing::AssertionSuccess();
}

}  // namespace

struct KernelRunner::Loaded {
  emulator::Device device;
  emulator::LoadedModule* module = nullptr;
  std::string entry;
  std::string error;
};

KernelRunner::KernelRunner(const KernelVariant& variant, const std::string& ptx)
    : variant_(variant), loaded_(std::make_unique<Loaded>()) {
  absl::StatusOr<emulator::LoadedModule*> module = loaded_->device.Load(ptx);
  if (!module.ok()) {
    loaded_->error = std::string(module.status().message());
    return;
  }
  loaded_->module = *module;
  for (const emulator::ptx::Function& function : (*module)->ptx.functions) {
    if (function.is_entry) loaded_->entry = function.name;
  }
}

KernelRunner::~KernelRunner() = default;

testing::AssertionResult KernelRunner::Run(const KernelTrial& trial) {
  if (!loaded_->error.empty()) {
    return testing::AssertionFailure() << loaded_->error;
  }
  const GemmProblem p = Normalized(trial.problem);
  HostOperands operands(p);
  operands.FillSmallIntegers(trial.seed);
  if (trial.edit) trial.edit(operands);
  GlobalMemory& memory = loaded_->device.memory();
  GemmArguments arguments;
  arguments.a = Upload(memory, operands.a(), "A");
  arguments.b = Upload(memory, operands.b(), "B");
  GuardedD d(memory, operands.d().size(), trial.d_offset * BytesOf(p.d_type));
  arguments.d = d.at();
  if (p.epilogue.reads_c) arguments.c = Upload(memory, operands.c(), "C");
  arguments.bias = Upload(memory, operands.bias(), "bias");
  if (p.scaling != Scaling::kNone) {
    arguments.scale_a = static_cast<const float*>(
        Upload(memory, operands.scale_a(), "scales of A"));
    arguments.scale_b = static_cast<const float*>(
        Upload(memory, operands.scale_b(), "scales of B"));
  }
  arguments.alpha = trial.alpha;
  arguments.beta = trial.beta;
  if (trial.alpha_is_on_device) {
    arguments.alpha = NAN;
    arguments.alpha_device = static_cast<const float*>(
        Upload(memory, std::vector<float>{trial.alpha}, "alpha"));
  }

  GemmConfig config;
  config.variant = &variant_;
  config.swizzle_offset = trial.offset;
  config.swizzle_direction = trial.direction;
  config.split_k = trial.split_k;
  const uint32_t cluster =
      variant_.cluster_m * variant_.cluster_n * variant_.cluster_k;
  DeviceFacts facts;
  // As many as the plan takes for two clusters, see plan.cc.
  const int cluster_sms = cluster * (cluster > 2 ? 2 : 1);
  facts.sm_count = trial.resident_clusters * cluster_sms;
  const hopper::GemmPlan plan = hopper::MakePlan(p, config, facts);
  if (plan.a.repack || plan.b.repack) {
    return testing::AssertionFailure() << "the trial needs a repack";
  }
  char* workspace = nullptr;
  if (plan.workspace_bytes != 0) {
    const uint64_t address = memory.Allocate(plan.workspace_bytes, "workspace");
    memory.Fill(address, trial.workspace_is_clean ? 0 : 0xa5,
                plan.workspace_bytes);
    memory.Fill(address, 0, kWorkspaceCounterBytes);
    if (trial.workspace_is_clean) {
      const uint32_t blocks = static_cast<uint32_t>(plan.partial_blocks);
      memory.Write(address + plan.clean_offset, &blocks, sizeof(blocks));
    }
    workspace = reinterpret_cast<char*>(address);
  }
  hopper::LaunchParameters launch =
      hopper::MakeParameters(p, config, plan, arguments, workspace);
  for (const auto& [spec, map] :
       {std::pair(&launch.a_map, &launch.params.a_map),
        std::pair(&launch.b_map, &launch.params.b_map),
        std::pair(&launch.d_map, &launch.params.d_map)}) {
    const testing::AssertionResult encoded = Encode(*spec, *map);
    if (!encoded) return encoded;
  }
  for (int box = 0; launch.a_rows.has_value() && box < 8; ++box) {
    const testing::AssertionResult encoded =
        Encode(hopper::RowsMap(*launch.a_rows, box), launch.params.a_rows[box]);
    if (!encoded) return encoded;
  }

  emulator::Launch request;
  request.module = loaded_->module;
  request.entry = loaded_->entry;
  request.grid.x = static_cast<uint32_t>(plan.clusters * cluster);
  request.block.x = static_cast<uint32_t>(variant_.threads);
  request.cluster.x = cluster;
  request.dynamic_shared = static_cast<uint32_t>(variant_.shared_bytes);
  request.Add(&launch.params, variant_.shifted_rows
                                  ? sizeof(hopper::ShiftedRowsParams)
                                  : sizeof(hopper::GemmParams));
  emulator::RunOptions options;
  options.seed = trial.seed;
  options.starved_warp = trial.starved_warp;
  options.sms = trial.free_clusters == 0 ? facts.sm_count
                                         : trial.free_clusters * cluster_sms;
  options.checks = emulator::Checks::kStrict;
  HostArguments host = operands.arguments();
  host.alpha = trial.alpha;
  host.beta = trial.beta;
  const ReferenceOutput want = ComputeReference(p, host);
  const auto untouched = operands.d();
  // The second time split-K finds its slots as the first launch left them.
  for (int launched = 0; launched < (plan.work.slices > 1 ? 2 : 1);
       ++launched) {
    operands.d() = untouched;
    d.Write(untouched);
    const absl::StatusOr<emulator::RunResult> result =
        loaded_->device.Run(request, options);
    if (!result.ok()) {
      return testing::AssertionFailure() << result.status().message();
    }
    if (!result->Clean()) {
      auto failure = testing::AssertionFailure();
      for (const emulator::Finding& finding : result->findings) {
        failure << emulator::ToString(finding) << "\n";
      }
      return failure;
    }
    d.Read(&operands.d());
    testing::AssertionResult right =
        MatchesReference(p, want, operands.d().data(), ErrorBound::Exact(p));
    if (right) right = GapsAreUntouched(p, operands.d());
    if (right) right = d.GuardsAreUntouched();
    if (right && workspace != nullptr) {
      right = IsLeftAsFound(memory, reinterpret_cast<uint64_t>(workspace), plan,
                            variant_, trial.workspace_is_clean);
    }
    if (!right) return right << ", launch " << launched;
  }
  return testing::AssertionSuccess();
}

}  // namespace tiletune
