#include "dispatch/backend.h"

namespace tiletune {

const GemmBackend& LinkedBackend() {
  static constexpr GemmBackend kLinked = {&LaunchGemm, &WorkspaceBytes,
                                          &IsLinked, &PreparedGemm::Prepare};
  return kLinked;
}

}  // namespace tiletune
