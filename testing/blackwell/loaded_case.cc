#include "testing/blackwell/loaded_case.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "kernels/registry.h"
#include "testing/emulator/engines/tensor_map.h"

namespace tiletune {
namespace {

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
  // No better aligned than the problem says.
  const int offset = p.pointer_alignment % 16;
  GemmArguments args;
  args.a = device->Upload(operands->a(), "A", offset);
  args.b = device->Upload(operands->b(), "B", offset);
  args.d = device->Upload(operands->d(), "D", offset);
  if (p.epilogue.reads_c) {
    args.c = c.in_place ? args.d : device->Upload(operands->c(), "C", offset);
  }
  args.bias = device->Upload(operands->bias(), "bias", offset);
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

testing::AssertionResult EncodeMaps(blackwell::LaunchPlan* plan) {
  testing::AssertionResult result =
      Encode(plan->a_map, &plan->parameters.a_map);
  if (result) result = Encode(plan->b_map, &plan->parameters.b_map);
  if (result) result = Encode(plan->d_map, &plan->parameters.d_map);
  return result;
}

}  // namespace

LoadedCase::LoadedCase(const KernelCase& c, emulator::GlobalMemory* memory)
    : case_(c),
      buffers_(memory),
      operands_(OperandsOf(c)),
      initial_d_(operands_.d()),
      arguments_(Upload(c, &operands_, &buffers_)),
      facts_(DeviceOf(c)) {}

void LoadedCase::TakeAFrom(LoadedCase* first) {
  first_ = first;
  arguments_.a = first->arguments_.d;
}

testing::AssertionResult LoadedCase::MakePlan() {
  const GemmConfig config = ConfigOf(case_);
  const absl::Status legal = CheckLegal(case_.problem, config, facts_);
  if (!legal.ok()) return testing::AssertionFailure() << legal;
  workspace_bytes_ = blackwell::PlanWorkspaceBytes(case_.problem, config);
  if (workspace_bytes_ != 0) {
    // Counters zero, as after any launch; the rest is uninitialised.
    workspace_ = buffers_.Allocate(workspace_bytes_, "workspace");
    buffers_.Clear(workspace_,
                   std::min(workspace_bytes_, kWorkspaceCounterBytes));
  }
  plan_ = blackwell::MakePlan(case_.problem, config, arguments_, facts_,
                              workspace_);
  if (plan_.grid == 0) return testing::AssertionSuccess();  // no launch
  return EncodeMaps(&plan_);
}

void LoadedCase::Reset() {
  buffers_.Write(arguments_.d, initial_d_);
  if (arguments_.amax_d != nullptr) {
    buffers_.Clear(arguments_.amax_d, sizeof(float));
  }
  if (plan_.cleared_bytes != 0) {
    buffers_.Clear(plan_.cleared, plan_.cleared_bytes);
  }
}

void LoadedCase::ComputeWant() {
  HostArguments host = operands_.arguments();
  host.alpha = case_.alpha;
  host.beta = case_.beta;
  if (case_.has_d_scale) host.scale_d = kScaleD;
  if (first_ != nullptr) host.a = first_->operands_.d().data();
  want_ = ComputeReference(case_.problem, host);
}

testing::AssertionResult LoadedCase::Judge() {
  const GemmProblem& p = case_.problem;
  if (!want_.has_value()) ComputeWant();
  buffers_.Download(arguments_.d, &operands_.d());
  const ErrorBound bound = case_.has_random_inputs ? ErrorBound::TensorCore(p)
                                                   : ErrorBound::Exact(p);
  testing::AssertionResult result =
      MatchesReference(p, *want_, operands_.d().data(), bound);
  if (result) result = GapsAreUntouched(p, operands_.d());
  if (result && p.epilogue.amax) result = JudgeAmax(bound);
  if (result) result = JudgeCounters();
  if (result) result = JudgeRepetition();
  return result;
}

testing::AssertionResult LoadedCase::JudgeAmax(const ErrorBound& bound) {
  std::vector<float> amax(1);
  buffers_.Download(arguments_.amax_d, &amax);
  const double slack = 1e-5 * want_->amax + bound.absolute;
  if (std::abs(amax[0] - want_->amax) <= slack) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure()
         << "amax is " << amax[0] << ", not " << want_->amax;
}

testing::AssertionResult LoadedCase::JudgeRepetition() {
  if (!first_result_.has_value()) first_result_ = operands_.d();
  if (*first_result_ == operands_.d()) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "D has other bits than after the first launch";
}

testing::AssertionResult LoadedCase::JudgeCounters() {
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

}  // namespace tiletune
