// Handing out driver entry points by name: cudaGetDriverEntryPoint and
// cuGetProcAddress.
#include <cstring>
#include <string>

#include "testing/emulator/runtime/driver_call.h"

namespace tiletune::emulator::runtime {
namespace {

struct EntryPoint {
  const char* name;  // without the version suffix that cuda.h adds
  void* function;
};

#define TILETUNE_ENTRY(name) \
  { #name, reinterpret_cast < void*>(&name) }

const EntryPoint kEntryPoints[] = {
    TILETUNE_ENTRY(cuCtxCreate),
    TILETUNE_ENTRY(cuCtxDestroy),
    TILETUNE_ENTRY(cuCtxGetCurrent),
    TILETUNE_ENTRY(cuCtxGetDevice),
    TILETUNE_ENTRY(cuCtxGetId),
    TILETUNE_ENTRY(cuCtxPopCurrent),
    TILETUNE_ENTRY(cuCtxPushCurrent),
    TILETUNE_ENTRY(cuCtxSetCurrent),
    TILETUNE_ENTRY(cuCtxSetLimit),
    TILETUNE_ENTRY(cuCtxSynchronize),
    TILETUNE_ENTRY(cuDeviceGet),
    TILETUNE_ENTRY(cuDeviceGetAttribute),
    TILETUNE_ENTRY(cuDeviceGetCount),
    TILETUNE_ENTRY(cuDeviceGetName),
    TILETUNE_ENTRY(cuDeviceGetPCIBusId),
    TILETUNE_ENTRY(cuDeviceGetUuid),
    TILETUNE_ENTRY(cuDevicePrimaryCtxGetState),
    TILETUNE_ENTRY(cuDevicePrimaryCtxRelease),
    TILETUNE_ENTRY(cuDevicePrimaryCtxReset),
    TILETUNE_ENTRY(cuDevicePrimaryCtxRetain),
    TILETUNE_ENTRY(cuDevicePrimaryCtxSetFlags),
    TILETUNE_ENTRY(cuDeviceTotalMem),
    TILETUNE_ENTRY(cuDriverGetVersion),
    TILETUNE_ENTRY(cuEventCreate),
    TILETUNE_ENTRY(cuEventDestroy),
    TILETUNE_ENTRY(cuEventElapsedTime),
    TILETUNE_ENTRY(cuEventQuery),
    TILETUNE_ENTRY(cuEventRecord),
    TILETUNE_ENTRY(cuEventSynchronize),
    TILETUNE_ENTRY(cuFuncGetAttribute),
    TILETUNE_ENTRY(cuFuncGetName),
    TILETUNE_ENTRY(cuFuncSetAttribute),
    TILETUNE_ENTRY(cuFuncSetCacheConfig),
    TILETUNE_ENTRY(cuGetErrorName),
    TILETUNE_ENTRY(cuGetErrorString),
    TILETUNE_ENTRY(cuGetExportTable),
    TILETUNE_ENTRY(cuGetProcAddress),
    TILETUNE_ENTRY(cuInit),
    TILETUNE_ENTRY(cuKernelGetFunction),
    TILETUNE_ENTRY(cuKernelSetAttribute),
    TILETUNE_ENTRY(cuLaunchKernel),
    TILETUNE_ENTRY(cuLaunchKernelEx),
    TILETUNE_ENTRY(cuLibraryGetGlobal),
    TILETUNE_ENTRY(cuLibraryGetKernel),
    TILETUNE_ENTRY(cuLibraryGetModule),
    TILETUNE_ENTRY(cuLibraryLoadData),
    TILETUNE_ENTRY(cuLibraryLoadFromFile),
    TILETUNE_ENTRY(cuLibraryUnload),
    TILETUNE_ENTRY(cuMemAlloc),
    TILETUNE_ENTRY(cuMemAllocAsync),
    TILETUNE_ENTRY(cuMemAllocHost),
    TILETUNE_ENTRY(cuMemAllocManaged),
    TILETUNE_ENTRY(cuMemFree),
    TILETUNE_ENTRY(cuMemFreeAsync),
    TILETUNE_ENTRY(cuMemFreeHost),
    TILETUNE_ENTRY(cuMemGetInfo),
    TILETUNE_ENTRY(cuMemHostAlloc),
    TILETUNE_ENTRY(cuMemHostGetDevicePointer),
    TILETUNE_ENTRY(cuMemcpy),
    TILETUNE_ENTRY(cuMemcpyAsync),
    TILETUNE_ENTRY(cuMemcpyDtoD),
    TILETUNE_ENTRY(cuMemcpyDtoDAsync),
    TILETUNE_ENTRY(cuMemcpyDtoH),
    TILETUNE_ENTRY(cuMemcpyDtoHAsync),
    TILETUNE_ENTRY(cuMemcpyHtoD),
    TILETUNE_ENTRY(cuMemcpyHtoDAsync),
    TILETUNE_ENTRY(cuMemsetD16),
    TILETUNE_ENTRY(cuMemsetD16Async),
    TILETUNE_ENTRY(cuMemsetD32),
    TILETUNE_ENTRY(cuMemsetD32Async),
    TILETUNE_ENTRY(cuMemsetD8),
    TILETUNE_ENTRY(cuMemsetD8Async),
    TILETUNE_ENTRY(cuModuleGetFunction),
    TILETUNE_ENTRY(cuModuleGetGlobal),
    TILETUNE_ENTRY(cuModuleLoad),
    TILETUNE_ENTRY(cuModuleLoadData),
    TILETUNE_ENTRY(cuModuleLoadDataEx),
    TILETUNE_ENTRY(cuModuleLoadFatBinary),
    TILETUNE_ENTRY(cuModuleUnload),
    TILETUNE_ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessor),
    TILETUNE_ENTRY(cuStreamCreate),
    TILETUNE_ENTRY(cuStreamCreateWithPriority),
    TILETUNE_ENTRY(cuStreamDestroy),
    TILETUNE_ENTRY(cuStreamIsCapturing),
    TILETUNE_ENTRY(cuStreamQuery),
    TILETUNE_ENTRY(cuStreamSynchronize),
    TILETUNE_ENTRY(cuStreamWaitEvent),
    TILETUNE_ENTRY(cuTensorMapEncodeIm2col),
    TILETUNE_ENTRY(cuTensorMapEncodeTiled),
    TILETUNE_ENTRY(cuTensorMapReplaceAddress),
};

void* Find(const char* name) {
  for (const EntryPoint& entry : kEntryPoints) {
    if (std::strcmp(entry.name, name) == 0) return entry.function;
  }
  return nullptr;
}

// Also says the name of what is missing: programs seldom do.
void* FindOrSay(Session& session, const char* name) {
  void* const function = Find(name);
  // NVIDIA's static runtime begins with the empty name.
  if (*name == '\0') session.SayOwnRuntime();
  if (function == nullptr) {
    session.Say(std::string("the emulated driver has no ") + name);
  }
  return function;
}

}  // namespace
}  // namespace tiletune::emulator::runtime

using namespace tiletune::emulator::runtime;  // NOLINT: the entry points

extern "C" {

CUresult cuGetProcAddress(const char* name, void** function, int, cuuint64_t,
                          CUdriverProcAddressQueryResult* status) {
  return DriverCall([&](Session& session) {
    *function = FindOrSay(session, name);
    if (status != nullptr) {
      *status = *function == nullptr ? CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND
                                     : CU_GET_PROC_ADDRESS_SUCCESS;
    }
    return *function == nullptr ? cudaErrorSymbolNotFound : cudaSuccess;
  });
}

cudaError_t cudaGetDriverEntryPointByVersion(
    const char* name, void** function, unsigned, unsigned long long,
    cudaDriverEntryPointQueryResult* status) {
  return Call([&](Session& session) {
    *function = FindOrSay(session, name);
    if (status != nullptr) {
      *status = *function == nullptr ? cudaDriverEntryPointSymbolNotFound
                                     : cudaDriverEntryPointSuccess;
    }
    return *function == nullptr && status == nullptr ? cudaErrorSymbolNotFound
                                                     : cudaSuccess;
  });
}

cudaError_t cudaGetDriverEntryPoint(const char* name, void** function,
                                    unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
  return cudaGetDriverEntryPointByVersion(name, function, CUDART_VERSION, flags,
                                          status);
}

}  // extern "C"

TILETUNE_ALSO_CALLED(cudaGetDriverEntryPointByVersion,
                     cudaGetDriverEntryPointByVersion_ptsz);
TILETUNE_ALSO_CALLED(cudaGetDriverEntryPoint, cudaGetDriverEntryPoint_ptsz);
