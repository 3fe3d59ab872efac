// Memory of the CUDA runtime API: allocation, copies, fills, pointers.
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <string>

#include "testing/emulator/runtime/call.h"
#include "testing/emulator/runtime/transfer.h"

namespace tiletune::emulator::runtime {
namespace {

// The emulated clock; see Session::Advance.
constexpr double kMicrosecondsPerTransfer = 1;
constexpr double kBytesPerMicrosecond = 10000;

struct FreeDeleter {
  void operator()(void* memory) const { std::free(memory); }
};
using HostBlock = std::unique_ptr<void, FreeDeleter>;

// Pinned and managed memory: the host's own, visible to the device.
std::map<void*, HostBlock>& HostBlocks() {
  static auto* const blocks = new std::map<void*, HostBlock>();
  return *blocks;
}

cudaError_t AllocateHost(Session& session, void** pointer, size_t bytes,
                         const char* name) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  constexpr size_t kAlignment = 4096;
  const size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  HostBlock block(std::aligned_alloc(kAlignment, rounded));
  if (block == nullptr) return cudaErrorMemoryAllocation;
  void* const address = block.get();
  session.memory().Register(address, bytes, name);
  HostBlocks()[address] = std::move(block);
  *pointer = address;
  return cudaSuccess;
}

cudaMemoryType TypeOf(GlobalMemory& memory, const void* pointer) {
  const GlobalMemory::Allocation* const allocation =
      memory.Find(reinterpret_cast<uint64_t>(pointer), 1);
  if (allocation == nullptr) return cudaMemoryTypeUnregistered;
  if (allocation->owned != nullptr) return cudaMemoryTypeDevice;
  return allocation->name == "cudaMallocManaged" ? cudaMemoryTypeManaged
                                                 : cudaMemoryTypeHost;
}

cudaError_t Free(Session& session, void* pointer) {
  if (pointer == nullptr) return cudaSuccess;
  if (!session.memory().Free(reinterpret_cast<uint64_t>(pointer))) {
    return cudaErrorInvalidValue;
  }
  HostBlocks().erase(pointer);
  return cudaSuccess;
}

cudaError_t Allocate(Session& session, void** pointer, size_t bytes) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  const uint64_t limit =
      uint64_t{1000000000} *
      static_cast<uint64_t>(session.settings().gpu->memory_gigabytes);
  if (bytes > limit) return cudaErrorMemoryAllocation;
  if (!session.memory().CanAllocate(bytes)) {
    session.Say("cudaMalloc of " + std::to_string(bytes) +
                " bytes: this machine's memory does not hold them");
    return cudaErrorMemoryAllocation;
  }
  *pointer =
      reinterpret_cast<void*>(session.memory().Allocate(bytes, "cudaMalloc"));
  return cudaSuccess;
}

// Submits to a stream of the program's.
cudaError_t Submit(Session& session, cudaStream_t handle, Work work) {
  Stream* const stream = session.FindStream(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  return stream->Submit(std::move(work));
}

// `rows` runs of `width` bytes, `pitch` bytes apart.
Work CopyRows(Session& session, void* to, size_t to_pitch, const void* from,
              size_t from_pitch, size_t width, size_t rows,
              cudaMemcpyKind kind) {
  return [=, &session]() -> cudaError_t {
    session.Advance(kMicrosecondsPerTransfer +
                    static_cast<double>(width * rows) / kBytesPerMicrosecond);
    for (size_t row = 0; row < rows; ++row) {
      const cudaError_t error =
          Copy(session.memory(), static_cast<char*>(to) + row * to_pitch,
               static_cast<const char*>(from) + row * from_pitch, width, kind);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  };
}

Work FillRows(Session& session, void* to, size_t pitch, int value, size_t width,
              size_t rows) {
  return [=, &session]() -> cudaError_t {
    session.Advance(kMicrosecondsPerTransfer +
                    static_cast<double>(width * rows) / kBytesPerMicrosecond);
    for (size_t row = 0; row < rows; ++row) {
      const cudaError_t error =
          Fill(session.memory(), static_cast<char*>(to) + row * pitch,
               static_cast<uint32_t>(value), 1, width);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  };
}

// A copy that waits reports a kernel that failed before it, having copied.
cudaError_t Waited(Session& session, cudaError_t error) {
  return error != cudaSuccess ? error : session.failure();
}

// The place of a __device__ or __constant__ variable, plus an offset.
cudaError_t SymbolPlace(Session& session, const void* symbol, size_t bytes,
                        size_t offset, void** place) {
  uint64_t address = 0;
  uint64_t size = 0;
  const cudaError_t error = session.FindVariable(symbol, &address, &size);
  if (error != cudaSuccess) return error;
  if (offset > size || bytes > size - offset) return cudaErrorInvalidValue;
  *place = reinterpret_cast<void*>(address + offset);
  return cudaSuccess;
}

}  // namespace
}  // namespace tiletune::emulator::runtime

using namespace tiletune::emulator::runtime;  // NOLINT: the entry points

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return Call([&](Session& s) { return Allocate(s, pointer, bytes); });
}

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t) {
  return cudaMalloc(pointer, bytes);
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width,
                            size_t height) {
  constexpr size_t kAlignment = 512;
  *pitch = (width + kAlignment - 1) / kAlignment * kAlignment;
  return cudaMalloc(pointer, *pitch * height);
}

cudaError_t cudaFree(void* pointer) {
  return Call([&](Session& s) { return Free(s, pointer); });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) {
  return cudaFree(pointer);
}

cudaError_t cudaFreeHost(void* pointer) { return cudaFree(pointer); }

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned) {
  return Call([&](Session& s) {
    return AllocateHost(s, pointer, bytes, "cudaHostAlloc");
  });
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return cudaHostAlloc(pointer, bytes, 0);
}

cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned) {
  return Call([&](Session& s) {
    return AllocateHost(s, pointer, bytes, "cudaMallocManaged");
  });
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned) {
  return Call([&](Session& s) -> cudaError_t {
    if (pointer == nullptr || bytes == 0) return cudaErrorInvalidValue;
    if (IsDevicePointer(s.memory(), pointer)) {
      return cudaErrorHostMemoryAlreadyRegistered;
    }
    s.memory().Register(pointer, bytes, "cudaHostRegister");
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return Call([&](Session& s) {
    return s.memory().Free(reinterpret_cast<uint64_t>(pointer))
               ? cudaSuccess
               : cudaErrorHostMemoryNotRegistered;
  });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  return Call([&](Session& s) {
    if (!IsDevicePointer(s.memory(), host)) return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes,
                                     const void* pointer) {
  return Call([&](Session& s) {
    *attributes = {};
    attributes->type = TypeOf(s.memory(), pointer);
    if (attributes->type == cudaMemoryTypeUnregistered) {
      attributes->device = cudaInvalidDeviceId;
      attributes->hostPointer = const_cast<void*>(pointer);
      return cudaSuccess;
    }
    attributes->devicePointer = const_cast<void*>(pointer);
    if (attributes->type != cudaMemoryTypeDevice) {
      attributes->hostPointer = const_cast<void*>(pointer);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return Call([&](Session& s) {
    *total = size_t{1000000000} *
             static_cast<size_t>(s.settings().gpu->memory_gigabytes);
    *free = *total;  // what is in use is the host's
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  return Call([&](Session& s) {
    return Submit(s, stream, CopyRows(s, to, 0, from, 0, bytes, 1, kind));
  });
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes,
                       cudaMemcpyKind kind) {
  return Call([&](Session& s) {
    return Waited(s, CopyRows(s, to, 0, from, 0, bytes, 1, kind)());
  });
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from,
                              size_t from_pitch, size_t width, size_t rows,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return Call([&](Session& s) -> cudaError_t {
    if (width > to_pitch || width > from_pitch) return cudaErrorInvalidValue;
    return Submit(
        s, stream,
        CopyRows(s, to, to_pitch, from, from_pitch, width, rows, kind));
  });
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from,
                         size_t from_pitch, size_t width, size_t rows,
                         cudaMemcpyKind kind) {
  return Call([&](Session& s) {
    return Waited(s, cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width,
                                       rows, kind, nullptr));
  });
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes,
                            cudaStream_t stream) {
  return Call([&](Session& s) {
    return Submit(s, stream, FillRows(s, to, 0, value, bytes, 1));
  });
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return cudaMemsetAsync(to, value, bytes, nullptr);
}

cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width,
                              size_t rows, cudaStream_t stream) {
  return Call([&](Session& s) -> cudaError_t {
    if (width > pitch) return cudaErrorInvalidValue;
    return Submit(s, stream, FillRows(s, to, pitch, value, width, rows));
  });
}

cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width,
                         size_t rows) {
  return cudaMemset2DAsync(to, pitch, value, width, rows, nullptr);
}

cudaError_t cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned,
                                 cudaStream_t) {
  return cudaSuccess;  // advice
}

cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise,
                          cudaMemLocation) {
  return cudaSuccess;  // advice
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return Call(
      [&](Session& s) { return SymbolPlace(s, symbol, 0, 0, pointer); });
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  return Call([&](Session& s) {
    uint64_t address = 0;
    uint64_t size = 0;
    const cudaError_t error = s.FindVariable(symbol, &address, &size);
    if (error == cudaSuccess) *bytes = size;
    return error;
  });
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from,
                                    size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return Call([&](Session& s) {
    void* place = nullptr;
    const cudaError_t error = SymbolPlace(s, symbol, bytes, offset, &place);
    if (error != cudaSuccess) return error;
    return cudaMemcpyAsync(place, from, bytes, kind, stream);
  });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from,
                               size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, nullptr);
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol,
                                      size_t bytes, size_t offset,
                                      cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  return Call([&](Session& s) {
    void* place = nullptr;
    const cudaError_t error = SymbolPlace(s, symbol, bytes, offset, &place);
    if (error != cudaSuccess) return error;
    return cudaMemcpyAsync(to, place, bytes, kind, stream);
  });
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes,
                                 size_t offset, cudaMemcpyKind kind) {
  return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, nullptr);
}

}  // extern "C"

TILETUNE_ALSO_CALLED(cudaMallocAsync, cudaMallocAsync_ptsz);
TILETUNE_ALSO_CALLED(cudaFreeAsync, cudaFreeAsync_ptsz);
TILETUNE_ALSO_CALLED(cudaMemcpyAsync, cudaMemcpyAsync_ptsz);
TILETUNE_ALSO_CALLED(cudaMemcpy, cudaMemcpy_ptds);
TILETUNE_ALSO_CALLED(cudaMemcpy2DAsync, cudaMemcpy2DAsync_ptsz);
TILETUNE_ALSO_CALLED(cudaMemcpy2D, cudaMemcpy2D_ptds);
TILETUNE_ALSO_CALLED(cudaMemsetAsync, cudaMemsetAsync_ptsz);
TILETUNE_ALSO_CALLED(cudaMemset, cudaMemset_ptds);
TILETUNE_ALSO_CALLED(cudaMemset2DAsync, cudaMemset2DAsync_ptsz);
TILETUNE_ALSO_CALLED(cudaMemset2D, cudaMemset2D_ptds);
TILETUNE_ALSO_CALLED(cudaMemPrefetchAsync, cudaMemPrefetchAsync_ptsz);
TILETUNE_ALSO_CALLED(cudaMemcpyToSymbolAsync, cudaMemcpyToSymbolAsync_ptsz);
TILETUNE_ALSO_CALLED(cudaMemcpyToSymbol, cudaMemcpyToSymbol_ptds);
TILETUNE_ALSO_CALLED(cudaMemcpyFromSymbolAsync, cudaMemcpyFromSymbolAsync_ptsz);
TILETUNE_ALSO_CALLED(cudaMemcpyFromSymbol, cudaMemcpyFromSymbol_ptds);
