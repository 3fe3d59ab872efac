#include "kernels/launchers.h"

#include "kernels/blackwell/launcher.h"
#include "kernels/hopper/launcher.h"
#include "kernels/reference/launcher.h"

namespace tiletune {

const FamilyLauncher* LauncherOf(Architecture architecture) {
  switch (architecture) {
    case Architecture::kAny:
      return &ReferenceLauncher();
    case Architecture::kHopper:
      return &HopperLauncher();
    case Architecture::kBlackwell:
      return &BlackwellLauncher();
  }
  return nullptr;
}

}  // namespace tiletune
