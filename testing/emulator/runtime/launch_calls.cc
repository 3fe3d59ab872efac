// Launches and kernel attributes of the CUDA runtime API.
#include <cuda_runtime_api.h>

#include "testing/emulator/runtime/call.h"
#include "testing/emulator/runtime/launch.h"

using tiletune::emulator::Dim3;
using tiletune::emulator::Program;
using namespace tiletune::emulator::runtime;  // NOLINT: the entry points

namespace {

Dim3 Shape(dim3 d) { return {d.x, d.y, d.z}; }

cudaError_t Launch(const void* function, dim3 grid, dim3 block,
                   size_t dynamic_shared, cudaStream_t stream,
                   const cudaLaunchAttribute* attributes, unsigned count,
                   bool cooperative, void** arguments) {
  return Call([&](Session& session) {
    LaunchRequest request;
    request.kernel = session.FindKernel(function);
    request.grid = Shape(grid);
    request.block = Shape(block);
    request.dynamic_shared = dynamic_shared;
    request.stream = session.FindStream(stream);
    request.cooperative = cooperative;
    ApplyAttributes(attributes, count, &request);
    return LaunchKernel(session, request, arguments);
  });
}

}  // namespace

extern "C" {

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block,
                             void** arguments, size_t dynamic_shared,
                             cudaStream_t stream) {
  return Launch(function, grid, block, dynamic_shared, stream, nullptr, 0,
                false, arguments);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                               void** arguments, size_t dynamic_shared,
                               cudaStream_t stream) {
  return Launch(kernel, grid, block, dynamic_shared, stream, nullptr, 0, false,
                arguments);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid,
                                        dim3 block, void** arguments,
                                        size_t dynamic_shared,
                                        cudaStream_t stream) {
  return Launch(function, grid, block, dynamic_shared, stream, nullptr, 0, true,
                arguments);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config,
                                const void* function, void** arguments) {
  if (config == nullptr) return cudaErrorInvalidValue;
  return Launch(function, config->gridDim, config->blockDim,
                config->dynamicSmemBytes, config->stream, config->attrs,
                config->numAttrs, false, arguments);
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  return Call([&](Session& session) {
    Kernel* const found = session.FindKernel(function);
    if (found == nullptr) return cudaErrorInvalidDeviceFunction;
    *kernel = reinterpret_cast<cudaKernel_t>(found);
    return cudaSuccess;
  });
}

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  return __cudaGetKernel(kernel, function);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* symbol) {
  return __cudaGetKernel(reinterpret_cast<cudaKernel_t*>(function), symbol);
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return Call([&](Session& session) {
    const Kernel* const kernel = session.FindKernel(function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    *name = kernel->name.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute name,
                                 int value) {
  return Call([&](Session& session) {
    Kernel* const kernel = session.FindKernel(function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    switch (name) {
      case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 || value > kSharedBytesPerCtaOptIn) {
          return cudaErrorInvalidValue;
        }
        kernel->max_dynamic_shared = value;
        return cudaSuccess;
      case cudaFuncAttributeNonPortableClusterSizeAllowed:
        kernel->non_portable_cluster = value != 0;
        return cudaSuccess;
      case cudaFuncAttributePreferredSharedMemoryCarveout:
      case cudaFuncAttributeClusterSchedulingPolicyPreference:
        return cudaSuccess;  // advice
      default:
        return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) {
  return cudaSuccess;  // advice
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes,
                                  const void* function) {
  return Call([&](Session& session) {
    Kernel* const kernel = session.FindKernel(function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    const Program* program = nullptr;
    const cudaError_t error = session.Load(kernel, &program);
    if (error != cudaSuccess) return error;
    const auto& entry = *program->entry;
    *attributes = {};
    attributes->sharedSizeBytes = program->static_shared;
    attributes->localSizeBytes = program->local_bytes;
    attributes->maxThreadsPerBlock =
        entry.max_threads != 0 ? static_cast<int>(entry.max_threads) : 1024;
    attributes->ptxVersion = session.capability();
    attributes->binaryVersion = session.capability();
    attributes->maxDynamicSharedSizeBytes = kernel->max_dynamic_shared;
    attributes->clusterDimMustBeSet = entry.required_cluster[0] != 0;
    attributes->requiredClusterWidth =
        static_cast<int>(entry.required_cluster[0]);
    attributes->requiredClusterHeight =
        static_cast<int>(entry.required_cluster[1]);
    attributes->requiredClusterDepth =
        static_cast<int>(entry.required_cluster[2]);
    attributes->nonPortableClusterSizeAllowed = kernel->non_portable_cluster;
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* function, int threads, size_t dynamic_shared,
    unsigned) {
  return Call([&](Session& session) {
    Kernel* const kernel = session.FindKernel(function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    const Program* program = nullptr;
    const cudaError_t error = session.Load(kernel, &program);
    if (error != cudaSuccess) return error;
    *blocks = MaxActiveCtas(*program, threads, dynamic_shared);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int* blocks, const void* function, int threads, size_t dynamic_shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, function, threads, dynamic_shared, 0);
}

// The emulated machine lets a cluster have any SMs: there are no GPCs.
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                           const cudaLaunchConfig_t* config) {
  int blocks = 0;
  const dim3 block = config->blockDim;
  const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, function, static_cast<int>(block.x * block.y * block.z),
      config->dynamicSmemBytes);
  if (error != cudaSuccess) return error;
  LaunchRequest request;
  ApplyAttributes(config->attrs, config->numAttrs, &request);
  return Call([&](Session& session) {
    const uint64_t size = request.cluster.Count();
    if (size == 0 || size > kMaxCluster) return cudaErrorInvalidClusterSize;
    *clusters = blocks * session.settings().sms / static_cast<int>(size);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size,
                                                 const void* function,
                                                 const cudaLaunchConfig_t*) {
  return Call([&](Session& session) {
    const Kernel* const kernel = session.FindKernel(function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    *size = kernel->non_portable_cluster ? kMaxCluster : kMaxPortableCluster;
    return cudaSuccess;
  });
}

}  // extern "C"

TILETUNE_ALSO_CALLED(cudaLaunchKernel, cudaLaunchKernel_ptsz);
TILETUNE_ALSO_CALLED(__cudaLaunchKernel, __cudaLaunchKernel_ptsz);
TILETUNE_ALSO_CALLED(cudaLaunchCooperativeKernel,
                     cudaLaunchCooperativeKernel_ptsz);
TILETUNE_ALSO_CALLED(cudaLaunchKernelExC, cudaLaunchKernelExC_ptsz);
