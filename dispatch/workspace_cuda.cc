#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "dispatch/workspace.h"
#include "kernels/cuda_status.h"

namespace tiletune {

absl::Status PrepareWorkspace(void* workspace, size_t bytes, GpuStream stream) {
  if (bytes == 0) return absl::OkStatus();
  if (workspace == nullptr) {
    return absl::InvalidArgumentError("the workspace is null");
  }
  if (reinterpret_cast<uintptr_t>(workspace) % kWorkspaceAlignment != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the workspace is not aligned to ", kWorkspaceAlignment, " bytes"));
  }
  return CudaStatus(
      cudaMemsetAsync(workspace, 0, std::min(bytes, kWorkspaceCounterBytes),
                      stream),
      "cudaMemsetAsync");
}

}  // namespace tiletune
