// A GEMM made ready: checked, planned, its tensor maps encoded. Prepare it
// once, launch it many times; a launch costs the host what the kernel alone
// does.
//
//   PreparedGemm gemm = *PreparedGemm::Prepare(problem, config, arguments,
//                                              device, workspace, bytes);
//   for (...) absl::Status s = gemm.Launch(stream);
//   arguments.a = other;
//   absl::Status s = gemm.SetArguments(arguments);   // from here on
//
// LaunchGemm keeps such launches by itself (kernels/gemm.h). Use this one where
// operands are never quite the same, or to learn of errors ahead of time; and
// TunedGemm::Prepare to have the config chosen.
#ifndef TILETUNE_KERNELS_PREPARED_GEMM_H_
#define TILETUNE_KERNELS_PREPARED_GEMM_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernels/config.h"
#include "kernels/device.h"
#include "kernels/gemm.h"
#include "kernels/prepared_launch.h"
#include "kernels/problem.h"

namespace tiletune {

struct FamilyLauncher;

// May be copied: then two GEMMs of other operands, say. Several threads may
// Launch one at once, as far as its operands and workspace allow.
class PreparedGemm {
 public:
  PreparedGemm() = default;  // nothing to launch: FailedPrecondition

  // The errors, and what the arguments mean, are those of LaunchGemm.
  static absl::StatusOr<PreparedGemm> Prepare(const GemmProblem& problem,
                                              const GemmConfig& config,
                                              const GemmArguments& arguments,
                                              const DeviceFacts& device,
                                              void* workspace,
                                              size_t workspace_bytes);

  // The same GEMM on other operands, and in another workspace. Only what they
  // decide is worked out again. After an error there is nothing to launch
  // until arguments are set that will do.
  absl::Status SetArguments(const GemmArguments& arguments);
  absl::Status SetArguments(const GemmArguments& arguments, void* workspace,
                            size_t workspace_bytes);

  // Enqueues the GEMM on `stream`, of the device it was prepared for, which
  // must be CUDA's current one. Neither allocates nor locks. Internal when a
  // CUDA call fails. Operands and workspace must still be there.
  absl::Status Launch(GpuStream stream) const {
    if (launch_.enqueue != nullptr) return launch_.enqueue(launch_, stream);
    return LaunchOtherwise(stream);
  }

  const GemmProblem& problem() const { return problem_; }  // Normalized()
  const GemmConfig& config() const { return config_; }
  // False where the family of kernels works everything out at each launch.
  bool keeps_work() const;

 private:
  absl::Status LaunchOtherwise(GpuStream stream) const;

  GemmProblem problem_;
  GemmConfig config_;
  DeviceFacts device_;  // without its provenance
  size_t needed_bytes_ = 0;
  const FamilyLauncher* family_ = nullptr;  // nullptr: nothing prepared

  bool is_set_ = false;  // arguments_ will do
  GemmArguments arguments_;
  void* workspace_ = nullptr;
  size_t workspace_bytes_ = 0;
  PreparedLaunch launch_;
};

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_PREPARED_GEMM_H_
