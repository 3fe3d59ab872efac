#include "dispatch/backend.h"

namespace tiletune {

const GemmBackend& LinkedBackend() {
  static constexpr GemmBackend kLinked = {&LaunchGemm, &WorkspaceBytes,
                                          &IsLinked, &PreparedGemm::Prepare,
                                          &PrepareWorkspace};
  return kLinked;
}

}  // namespace tiletune
