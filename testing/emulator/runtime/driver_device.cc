// Initialisation, devices, contexts and errors of the CUDA driver API. There
// is one device and one context, which is always current.
#include <cstdio>
#include <cstring>

#include "testing/emulator/runtime/driver_call.h"

using namespace tiletune::emulator::runtime;  // NOLINT: the entry points

namespace {

// Any address that is not null will do as the handle.
CUcontext TheContext() {
  static char context;
  return reinterpret_cast<CUcontext>(&context);
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  return DriverCall([](Session&) { return cudaSuccess; });
}

CUresult cuDriverGetVersion(int* version) {
  return Driver(cudaDriverGetVersion(version));
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (ordinal != 0) return CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  return Driver(cudaGetDeviceCount(count));
}

CUresult cuDeviceGetName(char* name, int size, CUdevice device) {
  cudaDeviceProp properties;
  const cudaError_t error = cudaGetDeviceProperties(&properties, device);
  if (error != cudaSuccess) return Driver(error);
  std::snprintf(name, static_cast<size_t>(size), "%s", properties.name);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  cudaDeviceProp properties;
  const cudaError_t error = cudaGetDeviceProperties(&properties, device);
  if (error != cudaSuccess) return Driver(error);
  std::memcpy(uuid->bytes, properties.uuid.bytes, sizeof(uuid->bytes));
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
  cudaDeviceProp properties;
  const cudaError_t error = cudaGetDeviceProperties(&properties, device);
  if (error == cudaSuccess) *bytes = properties.totalGlobalMem;
  return Driver(error);
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute name,
                              CUdevice device) {
  if (device == 0 && name == CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED) {
    *value = 1;
    return CUDA_SUCCESS;
  }
  return Driver(
      cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(name), device));
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  const CUresult result = cuDeviceGetAttribute(
      major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  if (result != CUDA_SUCCESS) return result;
  return cuDeviceGetAttribute(
      minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

CUresult cuDeviceGetPCIBusId(char* text, int size, CUdevice device) {
  return Driver(cudaDeviceGetPCIBusId(text, size, device));
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  *context = TheContext();
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }

CUresult cuDevicePrimaryCtxReset(CUdevice) { return Driver(cudaDeviceReset()); }

CUresult cuDevicePrimaryCtxSetFlags(CUdevice, unsigned) { return CUDA_SUCCESS; }

CUresult cuDevicePrimaryCtxGetState(CUdevice, unsigned* flags, int* active) {
  *flags = 0;
  *active = 1;
  return CUDA_SUCCESS;
}

CUresult cuCtxCreate(CUcontext* context, CUctxCreateParams*, unsigned,
                     CUdevice device) {
  return cuDevicePrimaryCtxRetain(context, device);
}

// What programs that were compiled with CUDA 12 call.
CUresult cuCtxCreate_v2(CUcontext* context, unsigned, CUdevice device) {
  return cuDevicePrimaryCtxRetain(context, device);
}

CUresult cuCtxDestroy(CUcontext) { return CUDA_SUCCESS; }

CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }

CUresult cuCtxPushCurrent(CUcontext) { return CUDA_SUCCESS; }

CUresult cuCtxPopCurrent(CUcontext* context) {
  if (context != nullptr) *context = TheContext();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = TheContext();
  return CUDA_SUCCESS;
}

// The one context lives through a reset, and so do its functions' attributes.
CUresult cuCtxGetId(CUcontext, unsigned long long* id) {
  *id = 1;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) {
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetLimit(CUlimit, size_t) { return CUDA_SUCCESS; }

CUresult cuCtxSynchronize() {
  return DriverCall([](Session& session) { return session.failure(); });
}

CUresult cuGetErrorName(CUresult error, const char** text) {
  *text = cudaGetErrorName(static_cast<cudaError_t>(error));
  return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = cudaGetErrorString(static_cast<cudaError_t>(error));
  return CUDA_SUCCESS;
}

// NVIDIA's static runtime talks to the driver through undocumented tables.
CUresult cuGetExportTable(const void** table, const CUuuid*) {
  *table = nullptr;
  return DriverCall([](Session& session) {
    session.SayOwnRuntime();
    return cudaErrorNotSupported;
  });
}

}  // extern "C"
