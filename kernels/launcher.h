// What a kernel family gives to kernels/gemm.cc. Arguments and legality have
// been checked by the caller; the problem is Normalized().
//
//   const FamilyLauncher& family = HopperLauncher();
//   PreparedLaunch launch;
//   absl::Status s = family.prepare(p, config, arguments, device, workspace,
//                                   &launch);
//   if (s.ok() && launch.enqueue) s = launch.enqueue(launch, stream);
#ifndef TILETUNE_KERNELS_LAUNCHER_H_
#define TILETUNE_KERNELS_LAUNCHER_H_

#include <cstddef>

#include "absl/status/status.h"
#include "kernels/gemm.h"
#include "kernels/prepared_launch.h"

namespace tiletune {

struct FamilyLauncher {
  size_t (*workspace_bytes)(const GemmProblem& problem,
                            const GemmConfig& config,
                            const DeviceFacts& device);
  absl::Status (*launch)(const GemmProblem& problem, const GemmConfig& config,
                         const GemmArguments& arguments,
                         const DeviceFacts& device, void* workspace,
                         GpuStream stream);
  bool (*is_linked)(const KernelVariant& variant);
  // `launch` but for the enqueueing, which `*prepared` can then do any number
  // of times. It comes empty, or as this function left it for other arguments
  // of the same problem, config and device: what is still right may be kept.
  // After an error its content means nothing. nullptr: this family has only
  // `launch`.
  absl::Status (*prepare)(const GemmProblem& problem, const GemmConfig& config,
                          const GemmArguments& arguments,
                          const DeviceFacts& device, void* workspace,
                          PreparedLaunch* prepared) = nullptr;
};

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_LAUNCHER_H_
