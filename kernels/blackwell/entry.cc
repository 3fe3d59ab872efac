#include "kernels/blackwell/entry.h"

#include <cstring>

namespace tiletune::blackwell {
namespace {

// Zero before any constructor runs, so that entries of any translation unit
// may come first.
const KernelEntry* first_entry = nullptr;

}  // namespace

KernelEntry::KernelEntry(const char* variant, const void* function)
    : variant_(variant), function_(function), next_(first_entry) {
  first_entry = this;
}

const KernelEntry* FindEntry(const char* variant) {
  for (const KernelEntry* e = first_entry; e != nullptr; e = e->next_) {
    if (std::strcmp(e->variant_, variant) == 0) return e;
  }
  return nullptr;
}

}  // namespace tiletune::blackwell
