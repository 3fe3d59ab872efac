// The repack kernels, by the size of an element, for who launches them.
//
//   const void* function = RepackKernel(/*element_bytes=*/2);
//   void* arguments[] = {&r};
//   cudaLaunchKernel(function, RepackGrid(r), kRepackThreads, arguments, 0, s);
#ifndef TILETUNE_KERNELS_REPACK_REPACK_KERNEL_H_
#define TILETUNE_KERNELS_REPACK_REPACK_KERNEL_H_

#include <cstdint>

namespace tiletune {

// The __global__ function for elements of 1, 2 or 4 bytes; nullptr for others.
const void* RepackKernel(int32_t element_bytes);

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_REPACK_REPACK_KERNEL_H_
