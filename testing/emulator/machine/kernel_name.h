// Kernel names for people: what a compiler mangled, demangled, with as many of
// its template arguments as fit on a line.
//
//   KernelName("gemm_f16");                  // unchanged
//   KernelName("_Z5scaleIfEvPT_i");          // "scale<float>"
//   KernelName("_ZN7cutlass13device_...");
//   // "cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<...>>"
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_KERNEL_NAME_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_KERNEL_NAME_H_

#include <string>

namespace tiletune::emulator {

// Without the result and the parameters. A name that is not mangled (Itanium
// C++ ABI 5.1) is returned as it is.
std::string KernelName(const std::string& symbol);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_KERNEL_NAME_H_
