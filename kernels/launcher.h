// What a kernel family gives to kernels/gemm.cc: two functions. Arguments and
// legality have been checked by the caller; the problem is Normalized().
//
//   const FamilyLauncher& HopperLauncher();   // kernels/hopper/launcher.h
#ifndef TILETUNE_KERNELS_LAUNCHER_H_
#define TILETUNE_KERNELS_LAUNCHER_H_

#include <cstddef>

#include "absl/status/status.h"
#include "kernels/gemm.h"

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
};

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_LAUNCHER_H_
