// The Hopper family, as kernels/gemm.cc calls it.
//
//   const FamilyLauncher& family = HopperLauncher();
//   size_t bytes = family.workspace_bytes(problem, config, device);
//   absl::Status s = family.launch(problem, config, arguments, device,
//                                  workspace, stream);
#ifndef TILETUNE_KERNELS_HOPPER_LAUNCHER_H_
#define TILETUNE_KERNELS_HOPPER_LAUNCHER_H_

#include "kernels/launcher.h"

namespace tiletune {

// Needs the CUDA runtime; which variants can be launched depends on which
// //kernels/hopper:VARIANT targets the program links.
const FamilyLauncher& HopperLauncher();

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_HOPPER_LAUNCHER_H_
