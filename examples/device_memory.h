// Memory of the current GPU, zeroed, for the examples. Your program has its
// own way to allocate.
//
//   DeviceMemory a(2 * m * k);          // bytes; exits when there is none left
//   arguments.a = a.data();
//   absl::Status done = WaitForDevice();
//   // freed with `a`
#ifndef TILETUNE_EXAMPLES_DEVICE_MEMORY_H_
#define TILETUNE_EXAMPLES_DEVICE_MEMORY_H_

#include <cstddef>

#include "absl/status/status.h"

class DeviceMemory {
 public:
  explicit DeviceMemory(size_t bytes);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  void* data() const { return data_; }  // null when of 0 bytes

 private:
  void* data_ = nullptr;
};

// Internal with CUDA's message when anything enqueued so far failed.
absl::Status WaitForDevice();

#endif  // TILETUNE_EXAMPLES_DEVICE_MEMORY_H_
