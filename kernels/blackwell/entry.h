// KernelEntry: how a compiled kernel makes itself known to the launcher.
//
// Use it as a namespace-scope constant beside a kernel; a program knows exactly
// the kernels that are linked into it.
//
//   const KernelEntry entry("sm100_...", reinterpret_cast<const void*>(&f));
//   ...
//   const KernelEntry* e = FindEntry("sm100_...");  // nullptr: not linked
//   cudaLaunchKernelExC(&config, e->function(), arguments);
#ifndef TILETUNE_KERNELS_BLACKWELL_ENTRY_H_
#define TILETUNE_KERNELS_BLACKWELL_ENTRY_H_

namespace tiletune::blackwell {

class KernelEntry {
 public:
  // `variant` is the name in variants.bzl; `function` the __global__ function.
  // Both must outlive the entry.
  KernelEntry(const char* variant, const void* function);

  const char* variant() const { return variant_; }
  const void* function() const { return function_; }

 private:
  friend const KernelEntry* FindEntry(const char* variant);

  const char* variant_;
  const void* function_;
  const KernelEntry* next_;
};

// nullptr when this program links no such kernel.
const KernelEntry* FindEntry(const char* variant);

}  // namespace tiletune::blackwell

#endif  // TILETUNE_KERNELS_BLACKWELL_ENTRY_H_
