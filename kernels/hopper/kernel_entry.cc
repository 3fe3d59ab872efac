#include "kernels/hopper/kernel_entry.h"

#include <cstdint>

namespace tiletune::hopper {
namespace {

// By the hash of their names. Constant-initialized, so that it is there before
// any entry registers.
constexpr uint32_t kBuckets = 256;
KernelEntry* buckets[kBuckets] = {};

// FNV-1a (Fowler, Noll, Vo).
uint32_t BucketOf(std::string_view name) {
  uint32_t hash = 2166136261u;
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  }
  return (hash ^ hash >> 16) % kBuckets;
}

}  // namespace

bool RegisterKernel(KernelEntry* entry) {
  KernelEntry*& first = buckets[BucketOf(entry->name)];
  entry->next = first;
  first = entry;
  return true;
}

const KernelEntry* FindKernel(std::string_view name) {
  for (const KernelEntry* entry = buckets[BucketOf(name)]; entry != nullptr;
       entry = entry->next) {
    if (name == entry->name) return entry;
  }
  return nullptr;
}

}  // namespace tiletune::hopper
