// One compiled kernel, as the launcher finds it: by the name of its variant.
//
// Linking a variant's target registers it; nothing else lists what is linked.
//
//   const KernelEntry* entry = FindKernel("sm90_16b_128x128x64_...");
//   if (entry == nullptr) return UnimplementedError("not linked");
#ifndef TILETUNE_KERNELS_HOPPER_KERNEL_ENTRY_H_
#define TILETUNE_KERNELS_HOPPER_KERNEL_ENTRY_H_

#include <string_view>

namespace tiletune::hopper {

struct KernelEntry {
  const char* name;
  const void* function;  // the host handle of a __global__ function
  int threads;
  int shared_bytes;  // dynamic
  KernelEntry* next;
};

// Adds `entry`, which must live forever. Called while the program loads.
bool RegisterKernel(KernelEntry* entry);

// nullptr when no such kernel is linked.
const KernelEntry* FindKernel(std::string_view name);

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_KERNEL_ENTRY_H_
