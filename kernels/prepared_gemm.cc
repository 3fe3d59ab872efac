#include "kernels/prepared_gemm.h"

#include "absl/strings/str_cat.h"
#include "kernels/launch/argument_checks.h"
#include "kernels/launchers.h"

namespace tiletune {
namespace {

bool HasWork(const GemmProblem& p) { return p.m > 0 && p.n > 0 && p.batch > 0; }

// Copying strings might allocate, and no launch reads them.
DeviceFacts WithoutProvenance(const DeviceFacts& device) {
  DeviceFacts facts;
  facts.capability_major = device.capability_major;
  facts.capability_minor = device.capability_minor;
  facts.sm_count = device.sm_count;
  facts.l2_bytes = device.l2_bytes;
  facts.bandwidth_class = device.bandwidth_class;
  facts.power_class = device.power_class;
  facts.shared_bytes_per_cta = device.shared_bytes_per_cta;
  facts.max_clock_mhz = device.max_clock_mhz;
  facts.memory_bytes_per_second = device.memory_bytes_per_second;
  facts.dense_16bit_flops = device.dense_16bit_flops;
  facts.ordinal = device.ordinal;
  return facts;
}

}  // namespace

absl::StatusOr<PreparedGemm> PreparedGemm::Prepare(
    const GemmProblem& problem, const GemmConfig& config,
    const GemmArguments& arguments, const DeviceFacts& device, void* workspace,
    size_t workspace_bytes) {
  if (device.modelled) {
    return absl::FailedPreconditionError(
        absl::StrCat(device.name, " is modelled: nothing can run on it"));
  }
  const absl::StatusOr<size_t> needed = WorkspaceBytes(problem, config, device);
  if (!needed.ok()) return needed.status();
  PreparedGemm gemm;
  gemm.problem_ = Normalized(problem);
  gemm.config_ = config;
  gemm.device_ = WithoutProvenance(device);
  gemm.needed_bytes_ = *needed;
  gemm.family_ = LauncherOf(config.variant->architecture);
  const absl::Status status =
      gemm.SetArguments(arguments, workspace, workspace_bytes);
  if (!status.ok()) return status;
  return gemm;
}

absl::Status PreparedGemm::SetArguments(const GemmArguments& arguments) {
  return SetArguments(arguments, workspace_, workspace_bytes_);
}

absl::Status PreparedGemm::SetArguments(const GemmArguments& arguments,
                                        void* workspace,
                                        size_t workspace_bytes) {
  if (family_ == nullptr) {
    return absl::FailedPreconditionError("nothing was prepared");
  }
  is_set_ = false;
  absl::Status status = absl::OkStatus();
  if (HasWork(problem_)) {
    status = CheckArguments(problem_, arguments);
    if (status.ok()) {
      status = CheckWorkspace(problem_, arguments, workspace, workspace_bytes,
                              needed_bytes_);
    }
    if (status.ok() && family_->prepare != nullptr) {
      status = family_->prepare(problem_, config_, arguments, device_,
                                workspace, &launch_);
    }
  }
  if (!status.ok()) {
    launch_.enqueue = nullptr;
    return status;
  }
  arguments_ = arguments;
  workspace_ = workspace;
  workspace_bytes_ = workspace_bytes;
  is_set_ = true;
  return status;
}

bool PreparedGemm::keeps_work() const {
  return family_ != nullptr && family_->prepare != nullptr;
}

absl::Status PreparedGemm::LaunchOtherwise(GpuStream stream) const {
  if (!is_set_) {
    return absl::FailedPreconditionError(
        "nothing was prepared, or its last arguments were refused");
  }
  if (!HasWork(problem_) || keeps_work()) return absl::OkStatus();
  return family_->launch(problem_, config_, arguments_, device_, workspace_,
                         stream);
}

}  // namespace tiletune
