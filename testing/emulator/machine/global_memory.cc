#include "testing/emulator/machine/global_memory.h"

#include <unistd.h>

#include <cstring>
#include <utility>

namespace tiletune::emulator {
namespace {

constexpr uint64_t kAlignment = 256;
constexpr uint64_t kGuard = 4096;
constexpr uint8_t kPoison = 0xCD;

}  // namespace

uint64_t GlobalMemory::Allocate(uint64_t bytes, const std::string& name) {
  Allocation allocation;
  allocation.begin = next_;
  allocation.bytes = bytes;
  allocation.name = name;
  allocation.owned.reset(new uint8_t[bytes + 1]);
  allocation.data = allocation.owned.get();
  std::memset(allocation.data, kPoison, bytes);
  allocation.initialised.assign(bytes, 0);
  next_ += (bytes + kAlignment - 1) / kAlignment * kAlignment + kGuard;
  allocated_ += bytes;
  uint64_t begin = allocation.begin;
  allocations_[begin] = std::move(allocation);
  last_ = nullptr;
  return begin;
}

void GlobalMemory::Register(void* host, uint64_t bytes,
                            const std::string& name) {
  Allocation allocation;
  allocation.begin = reinterpret_cast<uint64_t>(host);
  allocation.bytes = bytes;
  allocation.name = name;
  allocation.data = static_cast<uint8_t*>(host);
  allocations_[allocation.begin] = std::move(allocation);
  last_ = nullptr;
}

bool GlobalMemory::CanAllocate(uint64_t bytes) const {
  // A byte of data and one that says whether it was written.
  const uint64_t most = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                        static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) / 2;
  return allocated_ <= most && bytes <= most - allocated_;
}

bool GlobalMemory::Free(uint64_t address) {
  last_ = nullptr;
  const auto it = allocations_.find(address);
  if (it == allocations_.end()) return false;
  if (it->second.owned != nullptr) allocated_ -= it->second.bytes;
  allocations_.erase(it);
  return true;
}

GlobalMemory::Allocation* GlobalMemory::Find(uint64_t address, uint64_t bytes) {
  if (last_ != nullptr && address - last_->begin < last_->bytes &&
      bytes <= last_->bytes - (address - last_->begin)) {
    return last_;
  }
  auto it = allocations_.upper_bound(address);
  if (it == allocations_.begin()) return nullptr;
  --it;
  Allocation* found = &it->second;
  uint64_t offset = address - found->begin;
  if (offset >= found->bytes || bytes > found->bytes - offset) return nullptr;
  last_ = found;
  return found;
}

const GlobalMemory::Allocation* GlobalMemory::Nearest(uint64_t address) const {
  auto it = allocations_.upper_bound(address);
  if (it == allocations_.begin()) return nullptr;
  return &(--it)->second;
}

bool GlobalMemory::Write(uint64_t address, const void* source, uint64_t bytes) {
  if (bytes == 0) return true;
  Allocation* allocation = Find(address, bytes);
  if (allocation == nullptr) return false;
  uint64_t offset = address - allocation->begin;
  std::memcpy(allocation->data + offset, source, bytes);
  if (!allocation->initialised.empty()) {
    std::memset(allocation->initialised.data() + offset, 1, bytes);
  }
  return true;
}

bool GlobalMemory::Read(uint64_t address, void* destination, uint64_t bytes) {
  if (bytes == 0) return true;
  Allocation* allocation = Find(address, bytes);
  if (allocation == nullptr) return false;
  std::memcpy(destination, allocation->data + (address - allocation->begin),
              bytes);
  return true;
}

bool GlobalMemory::Fill(uint64_t address, uint8_t value, uint64_t bytes) {
  if (bytes == 0) return true;
  Allocation* allocation = Find(address, bytes);
  if (allocation == nullptr) return false;
  uint64_t offset = address - allocation->begin;
  std::memset(allocation->data + offset, value, bytes);
  if (!allocation->initialised.empty()) {
    std::memset(allocation->initialised.data() + offset, 1, bytes);
  }
  return true;
}

}  // namespace tiletune::emulator
