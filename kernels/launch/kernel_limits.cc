#include "kernels/launch/kernel_limits.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <mutex>
#include <unordered_map>

#include "kernels/cuda_status.h"

namespace tiletune {
namespace {

using ContextIdFunction = CUresult (*)(CUcontext, unsigned long long*);

ContextIdFunction FindContextId() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  if (cudaGetDriverEntryPointByVersion("cuCtxGetId", &function, 12000,
                                       cudaEnableDefault,
                                       &found) != cudaSuccess ||
      found != cudaDriverEntryPointSuccess) {
    return nullptr;
  }
  return reinterpret_cast<ContextIdFunction>(function);
}

// The number of this thread's context, plus 1; 0 when it has none yet, or the
// driver does not number them.
uint64_t CurrentContext() {
  static const ContextIdFunction context_id = FindContextId();
  unsigned long long id = 0;
  if (context_id == nullptr || context_id(nullptr, &id) != CUDA_SUCCESS) {
    return 0;
  }
  return id + 1;
}

}  // namespace

KernelLimits* KernelLimits::Of(const void* function, int shared_bytes) {
  static auto* const mutex = new std::mutex;
  static auto* const limits = new std::unordered_map<const void*, KernelLimits>;
  const std::lock_guard<std::mutex> lock(*mutex);
  return &limits->try_emplace(function, function, shared_bytes).first->second;
}

absl::Status KernelLimits::Raise() {
  const uint64_t context = CurrentContext();
  if (context != 0) {
    for (const std::atomic<uint64_t>& known : contexts_) {
      if (known.load(std::memory_order_acquire) == context) {
        return absl::OkStatus();
      }
    }
  }
  return RaiseIn(context);
}

absl::Status KernelLimits::RaiseIn(uint64_t context) {
  TILETUNE_RETURN_IF_CUDA_ERROR(cudaFuncSetAttribute(
      function_, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes_));
  TILETUNE_RETURN_IF_CUDA_ERROR(cudaFuncSetAttribute(
      function_, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  // Where there was no context, that call has made the device's own current.
  if (context == 0) context = CurrentContext();
  if (context == 0) return absl::OkStatus();
  const uint32_t at = next_.fetch_add(1, std::memory_order_relaxed);
  contexts_[at % contexts_.size()].store(context, std::memory_order_release);
  return absl::OkStatus();
}

}  // namespace tiletune
