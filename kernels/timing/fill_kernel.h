// The entry of the kernel behind inputs.h.
#ifndef TILETUNE_KERNELS_TIMING_FILL_KERNEL_H_
#define TILETUNE_KERNELS_TIMING_FILL_KERNEL_H_

#include <cstdint>

namespace tiletune {

enum class InputKind : int32_t { kNormal, kSmallIntegers };

struct FillParameters {
  void* data;
  int64_t count;
  uint64_t seed;
  int32_t type;  // a DataType
  InputKind kind;
};

// A __global__ function of one FillParameters; any grid, threads in x.
const void* FillKernel();

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_TIMING_FILL_KERNEL_H_
