#include "kernels/hopper/kernel_entry.h"

namespace tiletune::hopper {
namespace {

// Constant-initialized, so that it is there before any entry registers.
KernelEntry* first = nullptr;

}  // namespace

bool RegisterKernel(KernelEntry* entry) {
  entry->next = first;
  first = entry;
  return true;
}

const KernelEntry* FindKernel(std::string_view name) {
  for (const KernelEntry* entry = first; entry != nullptr;
       entry = entry->next) {
    if (name == entry->name) return entry;
  }
  return nullptr;
}

}  // namespace tiletune::hopper
