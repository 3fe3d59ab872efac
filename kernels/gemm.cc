#include "kernels/gemm.h"

#include "kernels/launch/launch_cache.h"
#include "kernels/launch/launch_request.h"
#include "kernels/prepared_gemm.h"

namespace tiletune {
namespace {

// The long way: what is not known yet, or not kept.
absl::Status PrepareAndLaunch(const LaunchRequest& request,
                              const GemmProblem& problem,
                              const GemmConfig& config,
                              const GemmArguments& arguments,
                              const DeviceFacts& device, void* workspace,
                              size_t workspace_bytes, GpuStream stream) {
  LaunchCache& cache = LaunchCache::OfThisThread();
  const PreparedGemm* similar = cache.FindShape(request);
  PreparedGemm& gemm = cache.Claim(request);
  if (similar != nullptr) {
    if (similar != &gemm) gemm = *similar;
    const absl::Status set =
        gemm.SetArguments(arguments, workspace, workspace_bytes);
    if (!set.ok()) return set;
  } else {
    absl::StatusOr<PreparedGemm> prepared = PreparedGemm::Prepare(
        problem, config, arguments, device, workspace, workspace_bytes);
    if (!prepared.ok()) return prepared.status();
    gemm = *prepared;
  }
  const absl::Status launched = gemm.Launch(stream);
  if (launched.ok()) cache.Keep(request);
  return launched;
}

}  // namespace

absl::Status LaunchGemm(const GemmProblem& problem, const GemmConfig& config,
                        const GemmArguments& arguments,
                        const DeviceFacts& device, void* workspace,
                        size_t workspace_bytes, GpuStream stream) {
  const LaunchRequest request(problem, config, arguments, device, workspace,
                              workspace_bytes);
  const PreparedGemm* known = LaunchCache::OfThisThread().Find(request);
  if (known != nullptr) return known->Launch(stream);
  return PrepareAndLaunch(request, problem, config, arguments, device,
                          workspace, workspace_bytes, stream);
}

}  // namespace tiletune
