#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>

#include "examples/device_memory.h"

namespace {

void OrExit(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

}  // namespace

DeviceMemory::DeviceMemory(size_t bytes) {
  if (bytes == 0) return;
  OrExit(cudaMalloc(&data_, bytes));
  OrExit(cudaMemset(data_, 0, bytes));
}

DeviceMemory::~DeviceMemory() { cudaFree(data_); }

absl::Status WaitForDevice() {
  const cudaError_t error = cudaDeviceSynchronize();
  if (error == cudaSuccess) return absl::OkStatus();
  return absl::InternalError(cudaGetErrorString(error));
}
