#include "kernels/repack/recording_cuda.h"

#include <cuda.h>

#include <cstdint>
#include <cstring>

namespace tiletune {

RecordingCuda& RecordingCuda::Get() {
  static auto& cuda = *new RecordingCuda();
  return cuda;
}

void RecordingCuda::Reset() {
  calls_.clear();
  failing_.clear();
}

bool RecordingCuda::Record(const RecordedCall& call) {
  calls_.push_back(call);
  return call.name != failing_;
}

namespace {

cudaError_t Answer(const RecordedCall& call) {
  return RecordingCuda::Get().Record(call) ? cudaSuccess
                                           : cudaErrorInvalidValue;
}

CUresult EncodeTiled(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*,
                     const cuuint64_t*, const cuuint64_t*, const cuuint32_t*,
                     const cuuint32_t*, CUtensorMapInterleave,
                     CUtensorMapSwizzle, CUtensorMapL2promotion,
                     CUtensorMapFloatOOBfill) {
  RecordedCall call;
  call.name = "cuTensorMapEncodeTiled";
  return RecordingCuda::Get().Record(call) ? CUDA_SUCCESS
                                           : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace
}  // namespace tiletune

using tiletune::Answer;
using tiletune::RecordedCall;

extern "C" {

const char* cudaGetErrorString(cudaError_t) { return "as the test wants"; }

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block,
                             void** arguments, size_t bytes,
                             cudaStream_t stream) {
  RecordedCall call;
  call.name = "cudaLaunchKernel";
  call.function = function;
  call.grid = grid;
  call.block = block;
  call.bytes = bytes;
  call.stream = stream;
  call.argument = arguments[0];
  return Answer(call);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config,
                                const void* function, void** arguments) {
  RecordedCall call;
  call.name = "cudaLaunchKernelExC";
  call.function = function;
  call.grid = config->gridDim;
  call.block = config->blockDim;
  call.bytes = config->dynamicSmemBytes;
  call.stream = config->stream;
  call.attributes.assign(config->attrs, config->attrs + config->numAttrs);
  call.argument = arguments[0];
  return Answer(call);
}

cudaError_t cudaMemsetAsync(void* pointer, int, size_t bytes,
                            cudaStream_t stream) {
  RecordedCall call;
  call.name = "cudaMemsetAsync";
  call.cleared = pointer;
  call.bytes = bytes;
  call.stream = stream;
  return Answer(call);
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute,
                                 int value) {
  RecordedCall call;
  call.name = "cudaFuncSetAttribute";
  call.function = function;
  call.bytes = static_cast<size_t>(value);
  return Answer(call);
}

cudaError_t cudaGetDriverEntryPointByVersion(
    const char* symbol, void** function, unsigned int, unsigned long long,
    cudaDriverEntryPointQueryResult* found) {
  const bool known = std::strcmp(symbol, "cuTensorMapEncodeTiled") == 0;
  *function = known ? reinterpret_cast<void*>(&tiletune::EncodeTiled) : nullptr;
  *found =
      known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

// What objects of nvcc call before main() and from kernel stubs.
void** __cudaRegisterFatBinary(void*) { return nullptr; }
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char*, char*, const char*, int,
                            uint3*, uint3*, dim3*, dim3*, int*) {}
cudaError_t __cudaGetKernel(cudaKernel_t*, const void*) {
  return cudaErrorNotSupported;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, size_t,
                               cudaStream_t) {
  return cudaErrorNotSupported;
}
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, size_t*, void*) {
  return cudaErrorNotSupported;
}

}  // extern "C"
