// A build without the CUDA Toolkit: there is no device memory.
#include "dispatch/workspace.h"

namespace tiletune {

absl::Status PrepareWorkspace(void*, size_t bytes, GpuStream) {
  if (bytes == 0) return absl::OkStatus();
  return absl::UnimplementedError("built without the CUDA Toolkit");
}

}  // namespace tiletune
