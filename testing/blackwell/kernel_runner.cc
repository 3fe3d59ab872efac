#include "testing/blackwell/kernel_runner.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/repack/repack_launches.h"
#include "testing/blackwell/loaded_case.h"
#include "testing/emulator/device.h"

namespace tiletune {
namespace {

using emulator::Checks;
using emulator::Device;
using emulator::LoadedModule;
using emulator::RunOptions;
using emulator::RunResult;

testing::AssertionResult IsClean(const absl::StatusOr<RunResult>& result,
                                 CaseReport* report) {
  if (!result.ok()) return testing::AssertionFailure() << result.status();
  report->warp_instructions += result->warp_instructions;
  report->ctas_run += result->ctas_run;
  report->ctas_taken_over += result->ctas_cancelled;
  report->findings += result->findings.size();
  if (result->Clean()) return testing::AssertionSuccess();
  auto failure = testing::AssertionFailure();
  for (const emulator::Finding& finding : result->findings) {
    failure << emulator::ToString(finding) << "\n";
  }
  return failure;
}

RunOptions OptionsOf(const KernelCase& c, uint64_t seed, int sms) {
  RunOptions options;
  options.seed = seed;
  options.sms = sms;
  options.clc_refusal_rate = c.refusal_rate;
  options.checks = c.strict ? Checks::kStrict : Checks::kHardware;
  options.max_steps = c.max_steps;
  options.max_delay = c.max_delay;
  options.starved_warp = c.starved_warp;
  return options;
}

emulator::Launch LaunchOf(LoadedModule* module, const RepackLaunch& repack) {
  emulator::Launch launch;
  launch.module = module;
  launch.entry = RepackEntry(repack.kernel);
  launch.grid.x = repack.ctas;
  launch.block.x = repack.threads;
  launch.Add(repack.parameters(), repack.parameter_bytes());
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

void DescribeLaunch(const LoadedCase& loaded, CaseReport* report) {
  const blackwell::LaunchPlan& plan = loaded.plan();
  report->cluster_tiles = plan.parameters.order.size();
  report->grid = plan.grid;
  report->cluster = plan.cluster;
  report->sms = loaded.sms();
  report->repacks = 0;
  for (const RepackArguments& r : plan.repacks) {
    report->repacks += r.element_bytes != 0;
  }
  report->workspace_bytes = loaded.workspace_bytes();
}

}  // namespace

struct KernelRunner::Modules {
  // Repacks and kernel, once; then the judgement.
  testing::AssertionResult Run(const KernelCase& c, LoadedCase* loaded,
                               RunOptions options, CaseReport* report);

  Device device;
  LoadedModule* kernel = nullptr;
  LoadedModule* repack = nullptr;
};

testing::AssertionResult KernelRunner::Modules::Run(const KernelCase& c,
                                                    LoadedCase* loaded,
                                                    RunOptions options,
                                                    CaseReport* report) {
  loaded->Reset();
  const blackwell::LaunchPlan& plan = loaded->plan();
  if (plan.grid == 0) return loaded->Judge();  // nothing to launch
  const RepackLaunches launches(plan.repacks[0], plan.repacks[1]);
  for (const RepackLaunch& launch : launches) {
    testing::AssertionResult result =
        IsClean(device.Run(LaunchOf(repack, launch), options), report);
    if (!result) return result << "in the repack kernel";
  }
  if (options.seed == c.seed) options.trace_path = c.trace_path;
  testing::AssertionResult result = IsClean(
      device.Run(GemmLaunch(kernel, *c.variant, plan), options), report);
  return result ? loaded->Judge() : result;
}

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

testing::AssertionResult KernelRunner::Run(const KernelCase& c,
                                           CaseReport* report) {
  CaseReport unwanted;
  if (report == nullptr) report = &unwanted;
  LoadedCase loaded(c, &modules_->device.memory());
  testing::AssertionResult result = loaded.MakePlan();
  DescribeLaunch(loaded, report);
  for (int i = 0; result && i < c.interleavings; ++i) {
    const uint64_t seed = c.seed + 1000 * i;
    result =
        modules_->Run(c, &loaded, OptionsOf(c, seed, loaded.sms()), report);
    if (!result) result << "\nwith seed " << seed;
  }
  return result;
}

testing::AssertionResult KernelRunner::RunDependent(const KernelCase& first,
                                                    const KernelCase& second) {
  emulator::GlobalMemory* memory = &modules_->device.memory();
  LoadedCase one(first, memory);
  LoadedCase two(second, memory);
  two.TakeAFrom(&one);
  testing::AssertionResult result = one.MakePlan();
  if (result) result = two.MakePlan();
  if (!result) return result;
  std::vector<emulator::Launch> chain = {
      GemmLaunch(modules_->kernel, *first.variant, one.plan()),
      GemmLaunch(modules_->kernel, *second.variant, two.plan()),
      GemmLaunch(modules_->kernel, *first.variant, one.plan())};
  for (emulator::Launch& launch : chain) launch.programmatic = true;
  CaseReport unwanted;
  for (int i = 0; result && i < first.interleavings; ++i) {
    const uint64_t seed = first.seed + 1000 * i;
    one.Reset();
    two.Reset();
    result = IsClean(
        modules_->device.RunChain(chain, OptionsOf(first, seed, one.sms())),
        &unwanted);
    if (result) result = one.Judge();
    if (result) result = two.Judge();
    if (!result) result << "\nwith seed " << seed;
  }
  return result;
}

}  // namespace tiletune
