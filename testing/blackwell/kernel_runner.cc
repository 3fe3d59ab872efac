#include "testing/blackwell/kernel_runner.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "kernels/blackwell/plan.h"
#include "testing/emulator/device.h"
#include "testing/emulator/engines/tensor_map.h"
#include "testing/reference/host_operands.h"
#include "testing/reference/matchers.h"
#include "testing/reference/reference_gemm.h"

namespace tiletune {
namespace {

using emulator::Checks;
using emulator::Device;
using emulator::GlobalMemory;
using emulator::LoadedModule;
using emulator::RunOptions;
using emulator::RunResult;

// Copies of host bytes in emulated memory, freed at the end of a case.
class DeviceBuffers {
 public:
  explicit DeviceBuffers(GlobalMemory* memory) : memory_(*memory) {}
  ~DeviceBuffers() {
    for (uint64_t address : addresses_) memory_.Free(address);
  }

  // Uninitialised.
  void* Allocate(uint64_t bytes, const char* name) {
    addresses_.push_back(memory_.Allocate(bytes, name));
    return reinterpret_cast<void*>(addresses_.back());
  }

  // Null for nothing.
  template <typename T>
  T* Upload(const std::vector<T>& host, const char* name) {
    if (host.empty()) return nullptr;
    const uint64_t bytes = host.size() * sizeof(T);
    void* device = Allocate(bytes, name);
    memory_.Write(addresses_.back(), host.data(), bytes);
    return static_cast<T*>(device);
  }

  template <typename T>
  void Download(const void* from, std::vector<T>* host) {
    memory_.Read(reinterpret_cast<uint64_t>(from), host->data(),
                 host->size() * sizeof(T));
  }

  template <typename T>
  void Write(void* device, const std::vector<T>& host) {
    memory_.Write(reinterpret_cast<uint64_t>(device), host.data(),
                  host.size() * sizeof(T));
  }

  void Clear(void* device, uint64_t bytes) {
    memory_.Fill(reinterpret_cast<uint64_t>(device), 0, bytes);
  }

 private:
  GlobalMemory& memory_;
  std::vector<uint64_t> addresses_;
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

testing::AssertionResult RunClean(Device* device,
                                  const emulator::Launch& launch,
                                  const RunOptions& options) {
  const absl::StatusOr<RunResult> result = device->Run(launch, options);
  if (!result.ok()) return testing::AssertionFailure() << result.status();
  if (result->Clean()) return testing::AssertionSuccess();
  auto failure = testing::AssertionFailure();
  for (const emulator::Finding& finding : result->findings) {
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

constexpr float kScaleD = 0.25f;

GemmArguments Upload(const KernelCase& c, HostOperands* operands,
                     DeviceBuffers* device) {
  const GemmProblem& p = c.problem;
  GemmArguments args;
  args.a = device->Upload(operands->a(), "A");
  args.b = device->Upload(operands->b(), "B");
  args.d = device->Upload(operands->d(), "D");
  if (p.epilogue.reads_c) {
    args.c = c.in_place ? args.d : device->Upload(operands->c(), "C");
  }
  args.bias = device->Upload(operands->bias(), "bias");
  args.alpha = c.alpha;
  args.beta = c.beta;
  if (c.scalars_on_device) {
    args.alpha_device = device->Upload(std::vector<float>{c.alpha}, "alpha");
    args.beta_device = device->Upload(std::vector<float>{c.beta}, "beta");
    args.alpha = args.beta = -77;  // not to be used
  }
  if (p.scaling != Scaling::kNone) {
    args.scale_a = device->Upload(operands->scale_a(), "scale of A");
    args.scale_b = device->Upload(operands->scale_b(), "scale of B");
  }
  if (c.has_d_scale) {
    args.scale_d = device->Upload(std::vector<float>{kScaleD}, "scale of D");
  }
  if (p.epilogue.amax) {
    args.amax_d = device->Upload(std::vector<float>{0.0f}, "amax");
  }
  return args;
}

GemmConfig ConfigOf(const KernelCase& c) {
  GemmConfig config;
  config.variant = c.variant;
  config.swizzle_offset = c.offset;
  config.swizzle_direction = c.direction;
  config.split_k = c.split_k;
  return config;
}

testing::AssertionResult EncodeMaps(blackwell::LaunchPlan* plan) {
  testing::AssertionResult result =
      Encode(plan->a_map, &plan->parameters.a_map);
  if (result) result = Encode(plan->b_map, &plan->parameters.b_map);
  if (result) result = Encode(plan->d_map, &plan->parameters.d_map);
  return result;
}

// A case in emulated memory, to be launched as often as wanted.
class LoadedCase {
 public:
  LoadedCase(const KernelCase& c, GlobalMemory* memory)
      : case_(c),
        buffers_(memory),
        operands_(OperandsOf(c)),
        initial_d_(operands_.d()),
        arguments_(Upload(c, &operands_, &buffers_)) {
    HostArguments host = operands_.arguments();
    host.alpha = c.alpha;
    host.beta = c.beta;
    if (c.has_d_scale) host.scale_d = kScaleD;
    want_ = ComputeReference(c.problem, host);
    facts_.sm_count =
        c.resident_clusters * c.variant->cluster_m * c.variant->cluster_n;
  }

  // The launcher's own plan, with the emulator's encoding of its maps.
  testing::AssertionResult MakePlan() {
    const GemmConfig config = ConfigOf(case_);
    const size_t bytes = blackwell::PlanWorkspaceBytes(case_.problem, config);
    if (bytes != 0) {
      // Counters zero, as after any launch; the rest is uninitialised.
      workspace_ = buffers_.Allocate(bytes, "workspace");
      buffers_.Clear(workspace_, std::min(bytes, kWorkspaceCounterBytes));
    }
    absl::StatusOr<blackwell::LaunchPlan> plan = blackwell::MakePlan(
        case_.problem, config, arguments_, facts_, workspace_);
    if (!plan.ok()) return testing::AssertionFailure() << plan.status();
    plan_ = *std::move(plan);
    return EncodeMaps(&plan_);
  }

  // Before each launch: D as it was, and what the launcher would clear.
  void Reset() {
    buffers_.Write(arguments_.d, initial_d_);
    if (arguments_.amax_d != nullptr) {
      buffers_.Clear(arguments_.amax_d, sizeof(float));
    }
    if (plan_.cleared_bytes != 0) {
      buffers_.Clear(plan_.cleared, plan_.cleared_bytes);
    }
  }

  testing::AssertionResult Judge() {
    const GemmProblem& p = case_.problem;
    buffers_.Download(arguments_.d, &operands_.d());
    const ErrorBound bound = case_.has_random_inputs ? ErrorBound::TensorCore(p)
                                                     : ErrorBound::Exact(p);
    testing::AssertionResult result =
        MatchesReference(p, want_, operands_.d().data(), bound);
    if (result) result = GapsAreUntouched(p, operands_.d());
    if (result && p.epilogue.amax) result = JudgeAmax(bound);
    if (result) result = JudgeCounters();
    return result;
  }

  const blackwell::LaunchPlan& plan() const { return plan_; }
  int sms() const { return facts_.sm_count; }

 private:
  testing::AssertionResult JudgeAmax(const ErrorBound& bound) {
    std::vector<float> amax(1);
    buffers_.Download(arguments_.amax_d, &amax);
    const double slack = 1e-5 * want_.amax + bound.absolute;
    if (std::abs(amax[0] - want_.amax) <= slack) {
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure()
           << "amax is " << amax[0] << ", not " << want_.amax;
  }

  testing::AssertionResult JudgeCounters() {
    if (case_.variant->supply != SupplyKind::kQueue && case_.split_k == 1) {
      return testing::AssertionSuccess();
    }
    std::vector<uint8_t> counters(kWorkspaceCounterBytes);
    buffers_.Download(workspace_, &counters);
    for (uint8_t byte : counters) {
      if (byte == 0) continue;
      return testing::AssertionFailure() << "a counter was left dirty";
    }
    return testing::AssertionSuccess();
  }

  const KernelCase& case_;
  DeviceBuffers buffers_;
  HostOperands operands_;
  const std::vector<uint8_t> initial_d_;
  const GemmArguments arguments_;
  ReferenceOutput want_;
  DeviceFacts facts_;
  void* workspace_ = nullptr;
  blackwell::LaunchPlan plan_;
};

RunOptions OptionsOf(const KernelCase& c, uint64_t seed, int sms) {
  RunOptions options;
  options.seed = seed;
  options.sms = sms;
  options.clc_refusal_rate = c.refusal_rate;
  options.checks = Checks::kStrict;
  options.max_steps = c.max_steps;
  options.max_delay = c.max_delay;
  options.starved_warp = c.starved_warp;
  return options;
}

emulator::Launch RepackLaunch(LoadedModule* module, const RepackArguments& r) {
  emulator::Launch launch;
  launch.module = module;
  launch.entry = absl::StrCat("tiletune_repack_", r.element_bytes);
  launch.grid.x = RepackGrid(r);
  launch.block.x = kRepackThreads;
  launch.Add(&r, sizeof(r));
  return launch;
}

emulator::Launch GemmLaunch(LoadedModule* module, const KernelVariant& v,
                            const blackwell::LaunchPlan& plan) {
  emulator::Launch launch;
  launch.module = module;
  launch.entry = v.name;
  launch.grid.x = plan.grid;
  launch.block.x = static_cast<uint32_t>(v.threads);
  launch.cluster.x = plan.cluster;
  launch.dynamic_shared = static_cast<uint32_t>(v.shared_bytes);
  launch.Add(&plan.parameters, sizeof(plan.parameters));
  return launch;
}

// Repacks and kernel, once; then the judgement.
testing::AssertionResult RunOnce(const KernelCase& c, LoadedCase* loaded,
                                 Device* device, LoadedModule* kernel,
                                 LoadedModule* repack,
                                 const RunOptions& options) {
  loaded->Reset();
  const blackwell::LaunchPlan& plan = loaded->plan();
  for (const RepackArguments& r : plan.repacks) {
    testing::AssertionResult result =
        RunClean(device, RepackLaunch(repack, r), options);
    if (!result) return result << "in the repack kernel";
  }
  testing::AssertionResult result =
      RunClean(device, GemmLaunch(kernel, *c.variant, plan), options);
  return result ? loaded->Judge() : result;
}

}  // namespace

struct KernelRunner::Modules {
  Device device;
  LoadedModule* kernel = nullptr;
  LoadedModule* repack = nullptr;
};

absl::StatusOr<std::unique_ptr<KernelRunner>> KernelRunner::Create(
    const KernelVariant& variant, const std::string& kernel_ptx,
    const std::string& repack_ptx) {
  auto modules = std::make_unique<Modules>();
  const absl::StatusOr<LoadedModule*> kernel = modules->device.Load(kernel_ptx);
  if (!kernel.ok()) return kernel.status();
  const absl::StatusOr<const emulator::Program*> entry =
      modules->device.Find(*kernel, variant.name);
  if (!entry.ok()) return entry.status();
  const absl::StatusOr<LoadedModule*> repack = modules->device.Load(repack_ptx);
  if (!repack.ok()) return repack.status();
  modules->kernel = *kernel;
  modules->repack = *repack;
  return std::unique_ptr<KernelRunner>(new KernelRunner(std::move(modules)));
}

KernelRunner::KernelRunner(std::unique_ptr<Modules> modules)
    : modules_(std::move(modules)) {}
KernelRunner::~KernelRunner() = default;

testing::AssertionResult KernelRunner::Run(const KernelCase& c) {
  LoadedCase loaded(c, &modules_->device.memory());
  testing::AssertionResult result = loaded.MakePlan();
  for (int i = 0; result && i < c.interleavings; ++i) {
    const uint64_t seed = c.seed + 1000 * i;
    result = RunOnce(c, &loaded, &modules_->device, modules_->kernel,
                     modules_->repack, OptionsOf(c, seed, loaded.sms()));
    if (!result) result << "\nwith seed " << seed;
  }
  return result;
}

}  // namespace tiletune
