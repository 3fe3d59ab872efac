#include "kernels/launch/launch_kernel.h"

#include <cuda_runtime_api.h>

#include "kernels/cuda_status.h"

namespace tiletune {

absl::Status LaunchKernel(const KernelLaunch& launch, const void* parameters,
                          GpuStream stream) {
  cudaLaunchAttribute attributes[2];
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(launch.ctas);
  config.blockDim = dim3(launch.threads);
  config.dynamicSmemBytes = launch.shared_bytes;
  config.stream = stream;
  config.attrs = attributes;
  if (launch.cluster != 0) {
    cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = launch.cluster;
    cluster.val.clusterDim.y = 1;
    cluster.val.clusterDim.z = 1;
  }
  if (launch.is_dependent) {
    cudaLaunchAttribute& dependent = attributes[config.numAttrs++];
    dependent.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    dependent.val.programmaticStreamSerializationAllowed = 1;
  }
  // CUDA reads the parameters only.
  void* arguments[] = {const_cast<void*>(parameters)};
  return CudaStatus(cudaLaunchKernelExC(&config, launch.function, arguments),
                    "cudaLaunchKernelExC");
}

}  // namespace tiletune
