#include "kernels/repack/repack.h"

#include <cuda_runtime_api.h>

#include "absl/strings/str_cat.h"
#include "kernels/repack/repack_kernel.h"

namespace tiletune {

absl::Status LaunchRepack(const RepackArguments& arguments, GpuStream stream) {
  if (RepackTiles(arguments) == 0) return absl::OkStatus();
  const void* function = RepackKernel(arguments.element_bytes);
  if (function == nullptr) {
    return absl::InternalError(absl::StrCat("no repack for elements of ",
                                            arguments.element_bytes, " bytes"));
  }
  RepackArguments copy = arguments;
  void* parameters[] = {&copy};
  const cudaError_t error =
      cudaLaunchKernel(function, dim3(RepackGrid(arguments)),
                       dim3(kRepackThreads), parameters, 0, stream);
  if (error == cudaSuccess) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("cudaLaunchKernel (repack): ", cudaGetErrorString(error)));
}

}  // namespace tiletune
