// Which kernel families this program links. gemm.cc asks; a program has one
// definition of LauncherOf(): launchers.cc with CUDA, launchers_none.cc
// without, a fake in tests.
//
//   const FamilyLauncher* family = LauncherOf(variant.architecture);
//   if (family == nullptr) return absl::UnimplementedError("not linked");
#ifndef TILETUNE_KERNELS_LAUNCHERS_H_
#define TILETUNE_KERNELS_LAUNCHERS_H_

#include "kernels/launcher.h"
#include "kernels/variant.h"

namespace tiletune {

// nullptr when this program links no kernel of that architecture.
const FamilyLauncher* LauncherOf(Architecture architecture);

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_LAUNCHERS_H_
