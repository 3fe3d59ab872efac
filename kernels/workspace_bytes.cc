// The half of gemm.h that enqueues nothing.
#include "absl/strings/str_cat.h"
#include "kernels/gemm.h"
#include "kernels/launchers.h"
#include "kernels/registry.h"

namespace tiletune {

bool IsLinked(const KernelVariant& variant) {
  const FamilyLauncher* family = LauncherOf(variant.architecture);
  return family != nullptr && family->is_linked(variant);
}

absl::StatusOr<size_t> WorkspaceBytes(const GemmProblem& problem,
                                      const GemmConfig& config,
                                      const DeviceFacts& device) {
  absl::Status status = Validate(problem);
  if (!status.ok()) return status;
  status = CheckLegal(problem, config, device);
  if (!status.ok()) return status;
  if (!IsLinked(*config.variant)) {
    return absl::UnimplementedError(
        absl::StrCat(config.variant->name, " is not linked into this program"));
  }
  const GemmProblem p = Normalized(problem);
  if (p.m == 0 || p.n == 0 || p.batch == 0) return 0;
  return LauncherOf(config.variant->architecture)
      ->workspace_bytes(p, config, device);
}

}  // namespace tiletune
