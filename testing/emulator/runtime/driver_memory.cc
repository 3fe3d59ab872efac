// Memory, streams, events and occupancy of the CUDA driver API.
#include "testing/emulator/runtime/driver_call.h"
#include "testing/emulator/runtime/transfer.h"

using namespace tiletune::emulator::runtime;  // NOLINT: the entry points

namespace {

void* Pointer(CUdeviceptr pointer) { return reinterpret_cast<void*>(pointer); }

CUresult FillAsync(CUdeviceptr to, uint32_t value, int element_bytes,
                   size_t count, CUstream handle) {
  return DriverCall([&](Session& session) -> cudaError_t {
    Stream* const stream = session.FindStream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    return stream->Submit([=, &session] {
      session.Advance(1);
      return Fill(session.memory(), Pointer(to), value, element_bytes, count);
    });
  });
}

}  // namespace

extern "C" {

CUresult cuMemAlloc(CUdeviceptr* pointer, size_t bytes) {
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  return Driver(cudaMalloc(reinterpret_cast<void**>(pointer), bytes));
}

CUresult cuMemAllocAsync(CUdeviceptr* pointer, size_t bytes, CUstream) {
  return cuMemAlloc(pointer, bytes);
}

CUresult cuMemAllocManaged(CUdeviceptr* pointer, size_t bytes, unsigned flags) {
  return Driver(
      cudaMallocManaged(reinterpret_cast<void**>(pointer), bytes, flags));
}

CUresult cuMemAllocHost(void** pointer, size_t bytes) {
  return Driver(cudaMallocHost(pointer, bytes));
}

CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  return Driver(cudaHostAlloc(pointer, bytes, flags));
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr* device, void* host,
                                   unsigned flags) {
  return Driver(
      cudaHostGetDevicePointer(reinterpret_cast<void**>(device), host, flags));
}

CUresult cuMemFree(CUdeviceptr pointer) {
  return Driver(cudaFree(Pointer(pointer)));
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream) {
  return cuMemFree(pointer);
}

CUresult cuMemFreeHost(void* pointer) { return Driver(cudaFree(pointer)); }

CUresult cuMemGetInfo(size_t* free, size_t* total) {
  return Driver(cudaMemGetInfo(free, total));
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
  return Driver(cudaMemcpy(Pointer(to), from, bytes, cudaMemcpyHostToDevice));
}

CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
  return Driver(cudaMemcpy(to, Pointer(from), bytes, cudaMemcpyDeviceToHost));
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return Driver(
      cudaMemcpy(Pointer(to), Pointer(from), bytes, cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return Driver(
      cudaMemcpy(Pointer(to), Pointer(from), bytes, cudaMemcpyDefault));
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes,
                           CUstream stream) {
  return Driver(cudaMemcpyAsync(Pointer(to), from, bytes,
                                cudaMemcpyHostToDevice, stream));
}

CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes,
                           CUstream stream) {
  return Driver(cudaMemcpyAsync(to, Pointer(from), bytes,
                                cudaMemcpyDeviceToHost, stream));
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                           CUstream stream) {
  return Driver(cudaMemcpyAsync(Pointer(to), Pointer(from), bytes,
                                cudaMemcpyDeviceToDevice, stream));
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                       CUstream stream) {
  return Driver(cudaMemcpyAsync(Pointer(to), Pointer(from), bytes,
                                cudaMemcpyDefault, stream));
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  return FillAsync(to, value, 1, count, nullptr);
}

CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) {
  return FillAsync(to, value, 2, count, nullptr);
}

CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) {
  return FillAsync(to, value, 4, count, nullptr);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count,
                         CUstream stream) {
  return FillAsync(to, value, 1, count, stream);
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count,
                          CUstream stream) {
  return FillAsync(to, value, 2, count, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count,
                          CUstream stream) {
  return FillAsync(to, value, 4, count, stream);
}

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  return Driver(cudaStreamCreateWithFlags(stream, flags));
}

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags,
                                    int priority) {
  return Driver(cudaStreamCreateWithPriority(stream, flags, priority));
}

CUresult cuStreamDestroy(CUstream stream) {
  return Driver(cudaStreamDestroy(stream));
}

CUresult cuStreamSynchronize(CUstream stream) {
  return Driver(cudaStreamSynchronize(stream));
}

CUresult cuStreamQuery(CUstream stream) {
  return Driver(cudaStreamQuery(stream));
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return Driver(cudaStreamWaitEvent(stream, event, flags));
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  return Driver(cudaStreamIsCapturing(
      stream, reinterpret_cast<cudaStreamCaptureStatus*>(status)));
}

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  return Driver(cudaEventCreateWithFlags(event, flags));
}

CUresult cuEventDestroy(CUevent event) {
  return Driver(cudaEventDestroy(event));
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return Driver(cudaEventRecord(event, stream));
}

CUresult cuEventSynchronize(CUevent event) {
  return Driver(cudaEventSynchronize(event));
}

CUresult cuEventQuery(CUevent event) { return Driver(cudaEventQuery(event)); }

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return Driver(cudaEventElapsedTime(milliseconds, start, end));
}

}  // extern "C"

// What programs that were compiled with CUDA before 12.8 call.
#undef cuEventElapsedTime
extern "C" __attribute__((alias("cuEventElapsedTime_v2"))) CUresult
cuEventElapsedTime(float*, CUevent, CUevent);
