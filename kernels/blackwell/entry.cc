#include "kernels/blackwell/entry.h"

#include <cstdint>
#include <cstring>

namespace tiletune::blackwell {
namespace {

// By the hash of their names. Zero before any constructor runs, so that entries
// of any translation unit may come first.
constexpr uint32_t kBuckets = 64;
const KernelEntry* buckets[kBuckets] = {};

// FNV-1a (Fowler, Noll, Vo).
uint32_t BucketOf(const char* name) {
  uint32_t hash = 2166136261u;
  for (; *name != 0; ++name) {
    hash = (hash ^ static_cast<unsigned char>(*name)) * 16777619u;
  }
  return (hash ^ hash >> 16) % kBuckets;
}

}  // namespace

KernelEntry::KernelEntry(const char* variant, const void* function)
    : variant_(variant), function_(function) {
  const KernelEntry*& first = buckets[BucketOf(variant)];
  next_ = first;
  first = this;
}

const KernelEntry* FindEntry(const char* variant) {
  for (const KernelEntry* e = buckets[BucketOf(variant)]; e != nullptr;
       e = e->next_) {
    if (std::strcmp(e->variant_, variant) == 0) return e;
  }
  return nullptr;
}

}  // namespace tiletune::blackwell
