#include "testing/blackwell/kernel_runner.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "kernels/blackwell/plan.h"
#include "testing/emulator/engines/tensor_map.h"
#include "testing/emulator/machine/decode.h"
#include "testing/emulator/machine/global_memory.h"
#include "testing/emulator/machine/machine.h"
#include "testing/emulator/machine/options.h"
#include "testing/emulator/ptx/parser.h"
#include "testing/reference/host_operands.h"
#include "testing/reference/matchers.h"
#include "testing/reference/reference_gemm.h"

namespace tiletune {
namespace {

using emulator::Checks;
using emulator::GlobalMemory;
using emulator::GridShape;
using emulator::Program;
using emulator::RunOptions;
using emulator::RunResult;

// A module and what was decoded of it; the programs refer to the module.
struct LoadedModule {
  emulator::ptx::Module module;
  std::vector<std::unique_ptr<Program>> programs;
};

absl::Status Load(const std::string& text,
                  const std::vector<std::string>& entries, LoadedModule* to) {
  absl::StatusOr<emulator::ptx::Module> module = emulator::ptx::Parse(text);
  if (!module.ok()) return module.status();
  to->module = *std::move(module);
  for (const std::string& entry : entries) {
    absl::StatusOr<std::unique_ptr<Program>> program =
        emulator::Decode(to->module, entry, {});
    if (!program.ok()) return program.status();
    to->programs.push_back(*std::move(program));
  }
  return absl::OkStatus();
}

// Copies of host bytes in emulated memory; null for none.
class DeviceBuffers {
 public:
  template <typename T>
  void* Upload(const std::vector<T>& host, const char* name) {
    if (host.empty()) return nullptr;
    const uint64_t bytes = host.size() * sizeof(T);
    const uint64_t address = memory_.Allocate(bytes, name);
    memory_.Write(address, host.data(), bytes);
    return reinterpret_cast<void*>(address);
  }

  template <typename T>
  void Download(const void* from, std::vector<T>* host) {
    memory_.Read(reinterpret_cast<uint64_t>(from), host->data(),
                 host->size() * sizeof(T));
  }

  GlobalMemory& memory() { return memory_; }

 private:
  GlobalMemory memory_;
};

// The emulator's own encoding of a map, after the rules of the driver.
testing::AssertionResult Encode(const std::optional<TensorMapSpec>& spec,
                                CUtensorMap* to) {
  if (!spec.has_value()) return testing::AssertionSuccess();
  emulator::TensorMap map;
  map.type = static_cast<emulator::TensorMapType>(spec->type);
  map.rank = 3;
  map.address = reinterpret_cast<uint64_t>(spec->address);
  for (int i = 0; i < 3; ++i) {
    map.dims[i] = spec->extents[i];
    map.box[i] = spec->box[i];
    if (i < 2) map.strides[i] = spec->strides[i];
  }
  if (!emulator::SwizzleFromDriver(spec->swizzle, &map.swizzle)) {
    return testing::AssertionFailure() << "unknown swizzle " << spec->swizzle;
  }
  for (const std::string& finding : emulator::CheckTensorMap(map)) {
    return testing::AssertionFailure() << "tensor map: " << finding;
  }
  static_assert(sizeof(CUtensorMap) == emulator::kTensorMapBytes);
  emulator::EncodeTensorMap(map, reinterpret_cast<uint8_t*>(to));
  return testing::AssertionSuccess();
}

template <typename Parameters>
testing::AssertionResult Launch(const Program& program, const GridShape& shape,
                                const Parameters& parameters,
                                const RunOptions& options,
                                GlobalMemory* memory) {
  std::vector<uint8_t> bytes(sizeof(parameters));
  std::memcpy(bytes.data(), &parameters, sizeof(parameters));
  emulator::Machine machine(program, shape, bytes, options, memory);
  machine.Run();
  const RunResult result = machine.TakeResult();
  if (result.Clean()) return testing::AssertionSuccess();
  auto failure = testing::AssertionFailure();
  for (const emulator::Finding& finding : result.findings) {
    failure << emulator::ToString(finding) << "\n";
  }
  return failure;
}

HostOperands OperandsOf(const KernelCase& c) {
  HostOperands operands(c.problem);
  if (c.has_random_inputs) {
    operands.FillNormal(c.seed);
  } else {
    operands.FillSmallIntegers(c.seed);
  }
  if (c.in_place) operands.d() = operands.c();
  return operands;
}

}  // namespace

struct KernelRunner::Programs {
  LoadedModule kernel;
  LoadedModule repack;  // for elements of 1, 2 and 4 bytes
};

absl::StatusOr<std::unique_ptr<KernelRunner>> KernelRunner::Create(
    const KernelVariant& variant, const std::string& kernel_ptx,
    const std::string& repack_ptx) {
  auto programs = std::make_unique<Programs>();
  absl::Status status = Load(kernel_ptx, {variant.name}, &programs->kernel);
  if (status.ok()) {
    status =
        Load(repack_ptx,
             {"tiletune_repack_1", "tiletune_repack_2", "tiletune_repack_4"},
             &programs->repack);
  }
  if (!status.ok()) return status;
  return std::unique_ptr<KernelRunner>(new KernelRunner(std::move(programs)));
}

KernelRunner::KernelRunner(std::unique_ptr<Programs> programs)
    : programs_(std::move(programs)) {}
KernelRunner::~KernelRunner() = default;

testing::AssertionResult KernelRunner::Run(const KernelCase& c) {
  const GemmProblem& p = c.problem;
  const KernelVariant& v = *c.variant;
  HostOperands operands = OperandsOf(c);
  DeviceBuffers device;
  GemmArguments args;
  args.a = device.Upload(operands.a(), "A");
  args.b = device.Upload(operands.b(), "B");
  args.d = device.Upload(operands.d(), "D");
  if (p.epilogue.reads_c) {
    args.c = c.in_place ? args.d : device.Upload(operands.c(), "C");
  }
  args.bias = device.Upload(operands.bias(), "bias");
  args.alpha = c.alpha;
  args.beta = c.beta;
  if (c.scalars_on_device) {
    args.alpha_device = static_cast<float*>(
        device.Upload(std::vector<float>{c.alpha}, "alpha"));
    args.beta_device =
        static_cast<float*>(device.Upload(std::vector<float>{c.beta}, "beta"));
    args.alpha = args.beta = -77;  // not to be used
  }
  if (p.scaling != Scaling::kNone) {
    args.scale_a =
        static_cast<float*>(device.Upload(operands.scale_a(), "scale of A"));
    args.scale_b =
        static_cast<float*>(device.Upload(operands.scale_b(), "scale of B"));
  }
  constexpr float kScaleD = 0.25f;
  if (c.has_d_scale) {
    args.scale_d = static_cast<float*>(
        device.Upload(std::vector<float>{kScaleD}, "scale of D"));
  }
  std::vector<float> amax = {0.0f};
  if (p.epilogue.amax) {
    args.amax_d = static_cast<float*>(device.Upload(amax, "amax"));
  }

  GemmConfig config;
  config.variant = &v;
  config.swizzle_offset = c.offset;
  config.swizzle_direction = c.direction;
  config.split_k = c.split_k;
  DeviceFacts facts;
  facts.sm_count = c.resident_clusters * v.cluster_m * v.cluster_n;
  // Counters zero, the rest poisoned and uninitialised.
  const size_t workspace_bytes = blackwell::PlanWorkspaceBytes(p, config);
  void* workspace = nullptr;
  if (workspace_bytes != 0) {
    const uint64_t address =
        device.memory().Allocate(workspace_bytes, "workspace");
    device.memory().Fill(address, 0,
                         std::min(workspace_bytes, kWorkspaceCounterBytes));
    workspace = reinterpret_cast<void*>(address);
  }
  absl::StatusOr<blackwell::LaunchPlan> plan =
      blackwell::MakePlan(p, config, args, facts, workspace);
  if (!plan.ok()) return testing::AssertionFailure() << plan.status();

  RunOptions options;
  options.seed = c.seed;
  options.sms = facts.sm_count;
  options.clc_refusal_rate = c.refusal_rate;
  options.checks = Checks::kStrict;
  if (plan->cleared_bytes != 0) {
    device.memory().Fill(reinterpret_cast<uint64_t>(plan->cleared), 0,
                         plan->cleared_bytes);
  }
  for (const RepackArguments& r : plan->repacks) {
    GridShape shape;
    shape.grid.x = RepackGrid(r);
    shape.block.x = kRepackThreads;
    const Program& program = *programs_->repack.programs[r.element_bytes / 2];
    const testing::AssertionResult ran =
        Launch(program, shape, r, options, &device.memory());
    if (!ran) return testing::AssertionFailure() << "repack: " << ran.message();
  }
  for (const auto& [spec, map] :
       {std::pair(&plan->a_map, &plan->parameters.a_map),
        std::pair(&plan->b_map, &plan->parameters.b_map),
        std::pair(&plan->d_map, &plan->parameters.d_map)}) {
    const testing::AssertionResult encoded = Encode(*spec, map);
    if (!encoded) return encoded;
  }
  GridShape shape;
  shape.grid.x = plan->grid;
  shape.block.x = static_cast<uint32_t>(v.threads);
  shape.cluster.x = plan->cluster;
  shape.dynamic_shared = static_cast<uint32_t>(v.shared_bytes);
  const testing::AssertionResult ran =
      Launch(*programs_->kernel.programs[0], shape, plan->parameters, options,
             &device.memory());
  if (!ran) return ran;

  HostArguments host = operands.arguments();
  host.alpha = c.alpha;
  host.beta = c.beta;
  if (c.has_d_scale) host.scale_d = kScaleD;
  const ReferenceOutput want = ComputeReference(p, host);
  device.Download(args.d, &operands.d());
  const ErrorBound bound =
      c.has_random_inputs ? ErrorBound::TensorCore(p) : ErrorBound::Exact(p);
  testing::AssertionResult right =
      MatchesReference(p, want, operands.d().data(), bound);
  if (!right) return right;
  right = GapsAreUntouched(p, operands.d());
  if (!right) return right;
  if (p.epilogue.amax) {
    device.Download(args.amax_d, &amax);
    const double slack = 1e-5 * want.amax + bound.absolute;
    if (std::abs(amax[0] - want.amax) > slack) {
      return testing::AssertionFailure()
             << "amax is " << amax[0] << ", not " << want.amax;
    }
  }
  if (workspace_bytes >= kWorkspaceCounterBytes) {
    std::vector<uint8_t> counters(kWorkspaceCounterBytes);
    device.Download(workspace, &counters);
    if (v.supply == SupplyKind::kQueue || c.split_k > 1) {
      for (uint8_t byte : counters) {
        if (byte != 0) {
          return testing::AssertionFailure() << "a counter was left dirty";
        }
      }
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace tiletune
