// The entry of the reference GEMM kernel, for its launcher.
#ifndef TILETUNE_KERNELS_REFERENCE_GEMM_KERNEL_H_
#define TILETUNE_KERNELS_REFERENCE_GEMM_KERNEL_H_

#include "kernels/reference/parameters.h"

namespace tiletune {

// A __global__ function of one ReferenceParameters, for cudaLaunchKernel.
const void* ReferenceGemmKernel();

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_REFERENCE_GEMM_KERNEL_H_
