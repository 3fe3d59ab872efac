// A build without the CUDA Toolkit: no kernel is linked.
#include "kernels/launchers.h"

namespace tiletune {

const FamilyLauncher* LauncherOf(Architecture) { return nullptr; }

}  // namespace tiletune
