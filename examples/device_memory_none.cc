// A build without the CUDA Toolkit: no program gets as far as this.
#include <cstdlib>

#include "examples/device_memory.h"

DeviceMemory::DeviceMemory(size_t) { std::abort(); }

DeviceMemory::~DeviceMemory() = default;

absl::Status WaitForDevice() {
  return absl::UnavailableError("built without the CUDA Toolkit");
}
