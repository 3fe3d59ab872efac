// Only the reference kernel: for tests that need no other family compiled.
#include "kernels/launchers.h"
#include "kernels/reference/launcher.h"

namespace tiletune {

const FamilyLauncher* LauncherOf(Architecture architecture) {
  return architecture == Architecture::kAny ? &ReferenceLauncher() : nullptr;
}

}  // namespace tiletune
