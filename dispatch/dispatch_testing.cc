#include "dispatch/dispatch_testing.h"

#include <gtest/gtest.h>

#include "kernels/registry.h"

namespace tiletune {
namespace {

absl::StatusOr<size_t> FakeWorkspace(const GemmProblem&,
                                     const GemmConfig& config,
                                     const DeviceFacts&) {
  ++FakeKernels::workspace_asked;
  const auto found = FakeKernels::workspace.find(config.variant->name);
  return found == FakeKernels::workspace.end() ? 0 : found->second;
}

absl::Status FakeLaunch(const GemmProblem& problem, const GemmConfig& config,
                        const GemmArguments& arguments, const DeviceFacts&,
                        void*, size_t workspace_bytes, GpuStream) {
  if (FakeKernels::silent) return absl::OkStatus();
  FakeKernels::launched.push_back(ConfigKey(config));
  if (arguments.d == nullptr) return absl::InvalidArgumentError("d is null");
  if (FakeKernels::failing.count(config.variant->name) != 0) {
    return absl::InternalError("cudaErrorLaunchFailure");
  }
  absl::StatusOr<size_t> needed = FakeWorkspace(problem, config, {});
  if (*needed > workspace_bytes) {
    return absl::InvalidArgumentError("short workspace");
  }
  return absl::OkStatus();
}

absl::StatusOr<PreparedGemm> FakePrepare(const GemmProblem& problem,
                                         const GemmConfig& config,
                                         const GemmArguments& arguments,
                                         const DeviceFacts& device,
                                         void* workspace,
                                         size_t workspace_bytes) {
  const absl::Status status = FakeLaunch(problem, config, arguments, device,
                                         workspace, workspace_bytes, nullptr);
  if (!status.ok()) return status;
  return PreparedGemm();
}

absl::Status FakePrepareWorkspace(void* workspace, size_t bytes, GpuStream) {
  FakeKernels::prepared_workspaces.emplace_back(workspace, bytes);
  return absl::OkStatus();
}

bool FakeIsLinked(const KernelVariant& variant) {
  return FakeKernels::unlinked.count(variant.name) == 0;
}

}  // namespace

std::vector<std::string> FakeKernels::launched;
std::set<std::string> FakeKernels::failing;
std::set<std::string> FakeKernels::unlinked;
std::map<std::string, size_t> FakeKernels::workspace;
int FakeKernels::workspace_asked = 0;
std::vector<std::pair<void*, size_t>> FakeKernels::prepared_workspaces;
bool FakeKernels::silent = false;

void FakeKernels::Reset() {
  launched.clear();
  failing.clear();
  unlinked.clear();
  workspace.clear();
  workspace_asked = 0;
  prepared_workspaces.clear();
  silent = false;
}

const GemmBackend& FakeKernels::Backend() {
  static constexpr GemmBackend kFake = {&FakeLaunch, &FakeWorkspace,
                                        &FakeIsLinked, &FakePrepare,
                                        &FakePrepareWorkspace};
  return kFake;
}

std::vector<GemmConfig> LegalNonDefaults(const GemmProblem& problem,
                                         const DeviceFacts& device, int count) {
  CandidateOptions options;
  options.include_unproven = true;
  options.offsets = {1};
  options.splits = {1};
  std::vector<GemmConfig> configs;
  std::set<std::string> variants;
  const absl::StatusOr<GemmConfig> fallback = DefaultConfig(problem, device);
  EXPECT_TRUE(fallback.ok()) << fallback.status();
  if (fallback.ok()) variants.insert(fallback->variant->name);
  for (const GemmConfig& config : LegalConfigs(problem, device, options)) {
    if (static_cast<int>(configs.size()) == count) break;
    if (variants.insert(config.variant->name).second) {
      configs.push_back(config);
    }
  }
  EXPECT_EQ(configs.size(), static_cast<size_t>(count));
  return configs;
}

void TuneFor(Store* store, const GemmProblem& problem, const GemmConfig& config,
             const DeviceFacts& device, double median_ns,
             const MeasurementPolicy& policy) {
  Measurement m = MeasuredAt(median_ns, RecordOf(config));
  m.problem = problem;
  m.device = device;
  m.policy = policy;
  const absl::Status status = store->RecordMeasurement(m);
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace tiletune
