// The families that //kernels:families lets in.
#include "kernels/launchers.h"

#include "kernels/reference/launcher.h"

#ifdef TILETUNE_BLACKWELL
#include "kernels/blackwell/launcher.h"
#endif
#ifdef TILETUNE_HOPPER
#include "kernels/hopper/launcher.h"
#endif

namespace tiletune {

const FamilyLauncher* LauncherOf(Architecture architecture) {
  switch (architecture) {
    case Architecture::kAny:
      return &ReferenceLauncher();
#ifdef TILETUNE_HOPPER
    case Architecture::kHopper:
      return &HopperLauncher();
#endif
#ifdef TILETUNE_BLACKWELL
    case Architecture::kBlackwell:
      return &BlackwellLauncher();
#endif
    default:
      return nullptr;
  }
}

}  // namespace tiletune
