#include "dispatch/backend.h"

namespace tiletune {

const GemmBackend& LinkedBackend() {
  static constexpr GemmBackend kLinked = {&LaunchGemm, &WorkspaceBytes,
                                          &IsLinked};
  return kLinked;
}

}  // namespace tiletune
