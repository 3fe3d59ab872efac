// DeviceBuffers: copies of host bytes in the emulated GPU's memory.
//
// Use it for the operands of a case; they are freed with it.
//
//   DeviceBuffers buffers(&device.memory());
//   const void* a = buffers.Upload(host_a, "A");
//   void* workspace = buffers.Allocate(bytes, "workspace");
//   ... launch ...
//   buffers.Download(d, &host_d);
#ifndef TILETUNE_TESTING_BLACKWELL_DEVICE_BUFFERS_H_
#define TILETUNE_TESTING_BLACKWELL_DEVICE_BUFFERS_H_

#include <cstdint>
#include <vector>

#include "testing/emulator/machine/global_memory.h"

namespace tiletune {

class DeviceBuffers {
 public:
  explicit DeviceBuffers(emulator::GlobalMemory* memory) : memory_(*memory) {}
  ~DeviceBuffers() {
    for (uint64_t address : addresses_) memory_.Free(address);
  }

  // Uninitialised.
  void* Allocate(uint64_t bytes, const char* name) {
    addresses_.push_back(memory_.Allocate(bytes, name));
    return reinterpret_cast<void*>(addresses_.back());
  }

  // Null for nothing. The copy begins `offset` bytes past an aligned address.
  template <typename T>
  T* Upload(const std::vector<T>& host, const char* name, int offset = 0) {
    if (host.empty()) return nullptr;
    const uint64_t bytes = host.size() * sizeof(T);
    char* device = static_cast<char*>(Allocate(bytes + offset, name));
    memory_.Write(addresses_.back() + offset, host.data(), bytes);
    return reinterpret_cast<T*>(device + offset);
  }

  template <typename T>
  void Download(const void* from, std::vector<T>* host) {
    memory_.Read(reinterpret_cast<uint64_t>(from), host->data(),
                 host->size() * sizeof(T));
  }

  template <typename T>
  void Write(void* device, const std::vector<T>& host) {
    memory_.Write(reinterpret_cast<uint64_t>(device), host.data(),
                  host.size() * sizeof(T));
  }

  void Clear(void* device, uint64_t bytes) {
    memory_.Fill(reinterpret_cast<uint64_t>(device), 0, bytes);
  }

 private:
  emulator::GlobalMemory& memory_;
  std::vector<uint64_t> addresses_;
};

}  // namespace tiletune

#endif  // TILETUNE_TESTING_BLACKWELL_DEVICE_BUFFERS_H_
