// Devices of the CUDA runtime API: there is one, of the GPU model chosen.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstring>

#include "testing/emulator/runtime/call.h"

namespace tiletune::emulator::runtime {
namespace {

constexpr int kDriverVersion = 13000;

cudaError_t CheckDevice(int device) {
  return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaDeviceProp Properties(const Settings& settings) {
  const GpuModel& gpu = *settings.gpu;
  cudaDeviceProp p = {};
  std::snprintf(p.name, sizeof(p.name), "%s", gpu.product);
  std::memcpy(p.uuid.bytes, "tiletune emulato", sizeof(p.uuid.bytes));
  p.totalGlobalMem =
      size_t{1000000000} * static_cast<size_t>(gpu.memory_gigabytes);
  p.sharedMemPerBlock = kSharedBytesPerCta;
  p.regsPerBlock = 65536;
  p.warpSize = 32;
  p.memPitch = 0x7FFFFFFF;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 0x7FFFFFFF;
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.totalConstMem = 65536;
  p.major = gpu.major;
  p.minor = gpu.minor;
  p.textureAlignment = 512;
  p.texturePitchAlignment = 32;
  p.multiProcessorCount = settings.sms;
  p.canMapHostMemory = 1;
  p.surfaceAlignment = 512;
  p.concurrentKernels = 1;
  p.ECCEnabled = 1;
  p.asyncEngineCount = 3;
  p.unifiedAddressing = 1;
  p.memoryBusWidth = gpu.memory_bus_bits;
  p.l2CacheSize = gpu.l2_mebibytes << 20;
  p.maxThreadsPerMultiProcessor = kMaxThreadsPerSm;
  p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = 1;
  p.localL1CacheSupported = 1;
  p.sharedMemPerMultiprocessor = kSharedBytesPerSm;
  p.regsPerMultiprocessor = 65536;
  p.managedMemory = 1;
  p.concurrentManagedAccess = 1;
  p.computePreemptionSupported = 1;
  p.canUseHostPointerForRegisteredMem = 1;
  p.cooperativeLaunch = 1;
  p.sharedMemPerBlockOptin = kSharedBytesPerCtaOptIn;
  p.maxBlocksPerMultiProcessor = kMaxCtasPerSm;
  p.reservedSharedMemPerBlock = kReservedSharedBytes;
  p.hostRegisterSupported = 1;
  p.clusterLaunch = 1;
  return p;
}

// One attribute; false for those that the emulated GPU does not have, whose
// value is 0.
bool Attribute(const Settings& settings, cudaDeviceAttr name, int* value) {
  const cudaDeviceProp p = Properties(settings);
  const auto is = [value](size_t v) {
    *value = static_cast<int>(v);
    return true;
  };
  const auto of = [&is](int v) { return is(static_cast<size_t>(v)); };
  switch (name) {
    case cudaDevAttrMaxThreadsPerBlock:
      return of(p.maxThreadsPerBlock);
    case cudaDevAttrMaxBlockDimX:
      return of(p.maxThreadsDim[0]);
    case cudaDevAttrMaxBlockDimY:
      return of(p.maxThreadsDim[1]);
    case cudaDevAttrMaxBlockDimZ:
      return of(p.maxThreadsDim[2]);
    case cudaDevAttrMaxGridDimX:
      return of(p.maxGridSize[0]);
    case cudaDevAttrMaxGridDimY:
      return of(p.maxGridSize[1]);
    case cudaDevAttrMaxGridDimZ:
      return of(p.maxGridSize[2]);
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return is(p.sharedMemPerBlock);
    case cudaDevAttrTotalConstantMemory:
      return is(p.totalConstMem);
    case cudaDevAttrWarpSize:
      return of(p.warpSize);
    case cudaDevAttrMaxPitch:
      return is(p.memPitch);
    case cudaDevAttrMaxRegistersPerBlock:
      return of(p.regsPerBlock);
    case cudaDevAttrClockRate:
      return of(settings.gpu->clock_mhz * 1000);
    case cudaDevAttrTextureAlignment:
      return is(p.textureAlignment);
    case cudaDevAttrMultiProcessorCount:
      return of(p.multiProcessorCount);
    case cudaDevAttrMemoryClockRate:
      return of(settings.gpu->memory_clock_mhz * 1000);
    case cudaDevAttrGlobalMemoryBusWidth:
      return of(p.memoryBusWidth);
    case cudaDevAttrL2CacheSize:
      return of(p.l2CacheSize);
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return of(p.maxThreadsPerMultiProcessor);
    case cudaDevAttrAsyncEngineCount:
      return of(p.asyncEngineCount);
    case cudaDevAttrComputeCapabilityMajor:
      return of(p.major);
    case cudaDevAttrComputeCapabilityMinor:
      return of(p.minor);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return is(p.sharedMemPerMultiprocessor);
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return of(p.regsPerMultiprocessor);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return is(p.sharedMemPerBlockOptin);
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return of(p.maxBlocksPerMultiProcessor);
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return is(p.reservedSharedMemPerBlock);
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrEccEnabled:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrComputePreemptionSupported:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrClusterLaunch:
      return of(1);
    default:
      *value = 0;
      return false;
  }
}

}  // namespace
}  // namespace tiletune::emulator::runtime

using namespace tiletune::emulator::runtime;  // NOLINT: the entry points

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return Call([&](Session&) {
    *count = 1;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  return Call([&](Session&) { return CheckDevice(device); });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return cudaSetDevice(device);
}

cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  *flags = cudaDeviceScheduleAuto;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return Call([&](Session& s) {
    if (device == 0) *properties = Properties(s.settings());
    return CheckDevice(device);
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr name,
                                   int device) {
  return Call([&](Session& s) {
    if (device == 0) Attribute(s.settings(), name, value);
    return CheckDevice(device);
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int size, int device) {
  return Call([&](Session&) {
    std::snprintf(text, static_cast<size_t>(size), "0000:00:00.0");
    return CheckDevice(device);
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  return Call([](Session& s) { return s.failure(); });
}

cudaError_t cudaDeviceReset() {
  return Call([](Session& s) {
    s.ForgetFailure();
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return cudaSuccess; }

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return cudaSuccess;
}

cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

cudaError_t cudaDriverGetVersion(int* version) {
  *version = kDriverVersion;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaProfilerStart() { return cudaSuccess; }

cudaError_t cudaProfilerStop() { return cudaSuccess; }

}  // extern "C"
