#include "kernels/launchers.h"

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
      return nullptr;
  }
  return nullptr;
}

}  // namespace tiletune
