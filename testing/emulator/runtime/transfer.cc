#include "testing/emulator/runtime/transfer.h"

#include <cstring>

namespace tiletune::emulator::runtime {
namespace {

// Where GlobalMemory puts what it allocates itself; nothing of the host is
// mapped there.
constexpr uint64_t kDeviceBegin = 0x100000000000;
constexpr uint64_t kDeviceEnd = 0x200000000000;

// One side of a copy: an allocation, or the host.
struct Side {
  GlobalMemory::Allocation* allocation = nullptr;
  uint64_t offset = 0;
  uint8_t* data = nullptr;
};

cudaError_t Locate(GlobalMemory& memory, const void* pointer, size_t bytes,
                   bool must_be_device, Side* side) {
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  side->allocation = memory.Find(address, bytes);
  if (side->allocation != nullptr) {
    side->offset = address - side->allocation->begin;
    side->data = side->allocation->data + side->offset;
    return cudaSuccess;
  }
  if (must_be_device || pointer == nullptr ||
      memory.Find(address, 1) != nullptr ||
      (address >= kDeviceBegin && address < kDeviceEnd)) {
    return cudaErrorInvalidValue;
  }
  side->data = static_cast<uint8_t*>(const_cast<void*>(pointer));
  return cudaSuccess;
}

void CopyInitialisation(const Side& to, const Side& from, size_t bytes) {
  if (to.allocation == nullptr || to.allocation->initialised.empty()) return;
  uint8_t* marks = to.allocation->initialised.data() + to.offset;
  if (from.allocation == nullptr || from.allocation->initialised.empty()) {
    std::memset(marks, 1, bytes);
  } else {
    std::memmove(marks, from.allocation->initialised.data() + from.offset,
                 bytes);
  }
}

}  // namespace

bool IsDevicePointer(GlobalMemory& memory, const void* pointer) {
  return memory.Find(reinterpret_cast<uint64_t>(pointer), 1) != nullptr;
}

cudaError_t Copy(GlobalMemory& memory, void* to, const void* from, size_t bytes,
                 cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return cudaErrorInvalidMemcpyDirection;
  }
  if (bytes == 0) return cudaSuccess;
  Side target;
  Side source;
  cudaError_t error =
      Locate(memory, to, bytes,
             kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice,
             &target);
  if (error != cudaSuccess) return error;
  error =
      Locate(memory, from, bytes,
             kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice,
             &source);
  if (error != cudaSuccess) return error;
  std::memmove(target.data, source.data, bytes);
  CopyInitialisation(target, source, bytes);
  return cudaSuccess;
}

cudaError_t Fill(GlobalMemory& memory, void* to, uint32_t value,
                 int element_bytes, size_t count) {
  if (count == 0) return cudaSuccess;
  const size_t bytes = count * static_cast<size_t>(element_bytes);
  Side target;
  const cudaError_t error = Locate(memory, to, bytes, true, &target);
  if (error != cudaSuccess) return error;
  if (element_bytes == 1) {
    std::memset(target.data, static_cast<int>(value & 0xFF), bytes);
  } else {
    for (size_t i = 0; i < bytes; i += static_cast<size_t>(element_bytes)) {
      std::memcpy(target.data + i, &value, static_cast<size_t>(element_bytes));
    }
  }
  CopyInitialisation(target, Side(), bytes);
  return cudaSuccess;
}

}  // namespace tiletune::emulator::runtime
