// CUDA errors as absl::Status, with the name of the call.
//
//   absl::Status s = CudaStatus(cudaMalloc(&p, n), "cudaMalloc");
//   TILETUNE_RETURN_IF_CUDA_ERROR(cudaStreamSynchronize(stream));
#ifndef TILETUNE_KERNELS_CUDA_STATUS_H_
#define TILETUNE_KERNELS_CUDA_STATUS_H_

#include <cuda_runtime_api.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tiletune {

// ResourceExhausted when memory ran out, Internal for any other error.
inline absl::Status CudaStatus(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return absl::OkStatus();
  const std::string message =
      absl::StrCat(call, ": ", cudaGetErrorString(error));
  if (error == cudaErrorMemoryAllocation) {
    return absl::ResourceExhaustedError(message);
  }
  return absl::InternalError(message);
}

}  // namespace tiletune

// Returns the Status of a failing CUDA call from the enclosing function.
#define TILETUNE_RETURN_IF_CUDA_ERROR(call)                 \
  do {                                                      \
    const cudaError_t tiletune_error = (call);              \
    if (tiletune_error != cudaSuccess) {                    \
      return ::tiletune::CudaStatus(tiletune_error, #call); \
    }                                                       \
  } while (false)

#endif  // TILETUNE_KERNELS_CUDA_STATUS_H_
