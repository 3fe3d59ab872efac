// The Blackwell family, as kernels/gemm.cc sees it.
//
//   const FamilyLauncher& family = BlackwellLauncher();
//   if (family.is_linked(*config.variant)) family.launch(...);
#ifndef TILETUNE_KERNELS_BLACKWELL_LAUNCHER_H_
#define TILETUNE_KERNELS_BLACKWELL_LAUNCHER_H_

#include "kernels/launcher.h"

namespace tiletune {

// Its kernels are those that the program links (//kernels/blackwell:kernels,
// or single ones).
const FamilyLauncher& BlackwellLauncher();

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_BLACKWELL_LAUNCHER_H_
