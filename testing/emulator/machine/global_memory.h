// Emulated device memory: allocations with bounds, initialisation state and
// deterministic addresses.
//
//   GlobalMemory memory;
//   uint64_t address = memory.Allocate(4096, "a");
//   memory.Write(address, host, 4096);
//   GlobalMemory::Allocation* a = memory.Find(address + 16, 4);
//   uint8_t* bytes = a->data + (address + 16 - a->begin);
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_GLOBAL_MEMORY_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_GLOBAL_MEMORY_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tiletune::emulator {

class GlobalMemory {
 public:
  struct Allocation {
    uint64_t begin = 0;
    uint64_t bytes = 0;
    std::string name;
    uint8_t* data = nullptr;
    bool constant = false;  // stores are errors
    // Empty when every byte counts as initialised.
    std::vector<uint8_t> initialised;
    std::unique_ptr<uint8_t[]> owned;
  };

  // 256-byte aligned, separated from other allocations by unmapped guard
  // bytes. Contents are poisoned and count as uninitialised.
  uint64_t Allocate(uint64_t bytes, const std::string& name);
  // Makes host memory visible at the same address (pinned memory, the
  // runtime's managed memory). Its bytes count as initialised.
  void Register(void* host, uint64_t bytes, const std::string& name);
  // Whether this machine's memory holds `bytes` more, with what the emulator
  // keeps beside them. Allocate does not ask.
  bool CanAllocate(uint64_t bytes) const;
  // False if `address` does not begin an allocation.
  bool Free(uint64_t address);

  // The allocation that holds all of [address, address + bytes), or null.
  Allocation* Find(uint64_t address, uint64_t bytes);
  // The allocation that begins at or before `address`, for messages.
  const Allocation* Nearest(uint64_t address) const;

  // Host copies; false when out of bounds. Write marks bytes initialised.
  bool Write(uint64_t address, const void* source, uint64_t bytes);
  bool Read(uint64_t address, void* destination, uint64_t bytes);
  bool Fill(uint64_t address, uint8_t value, uint64_t bytes);

 private:
  std::map<uint64_t, Allocation> allocations_;
  Allocation* last_ = nullptr;
  uint64_t next_ = 0x100000000000;
  uint64_t allocated_ = 0;  // bytes
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_GLOBAL_MEMORY_H_
