#include "kernels/timing/device_buffer.h"

#include <cuda_runtime_api.h>

#include "kernels/cuda_status.h"

namespace tiletune {

absl::StatusOr<DeviceBuffer> DeviceBuffer::Allocate(size_t bytes) {
  DeviceBuffer buffer;
  if (bytes == 0) return buffer;
  const cudaError_t error = cudaMalloc(&buffer.data_, bytes);
  if (error != cudaSuccess) {
    cudaGetLastError();  // running out of memory is no fault: clear it
    return CudaStatus(error, "cudaMalloc");
  }
  buffer.size_ = bytes;
  return buffer;
}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

DeviceBuffer::~DeviceBuffer() {
  if (data_ != nullptr) cudaFree(data_);
}

absl::Status DeviceBuffer::Fill(uint8_t value, GpuStream stream) {
  if (size_ == 0) return absl::OkStatus();
  return CudaStatus(cudaMemsetAsync(data_, value, size_, stream),
                    "cudaMemsetAsync");
}

}  // namespace tiletune
