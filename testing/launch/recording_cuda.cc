#include "testing/launch/recording_cuda.h"

#include <cuda.h>

#include <cstdint>
#include <cstring>
#include <utility>

namespace tiletune {

RecordingCuda& RecordingCuda::Get() {
  static auto& cuda = *new RecordingCuda();
  return cuda;
}

void RecordingCuda::Reset() {
  calls_.clear();
  failing_.clear();
  context = 1;
  last_error = cudaSuccess;
}

bool RecordingCuda::Record(const RecordedCall& call) {
  calls_.push_back(call);
  if (context == 0) context = 1;
  if (call.name != failing_ || failures_left_ == 0) return true;
  if (successes_left_ > 0) {
    --successes_left_;
    return true;
  }
  --failures_left_;
  return false;
}

namespace {

cudaError_t Answer(const RecordedCall& call) {
  return RecordingCuda::Get().Record(call) ? cudaSuccess
                                           : cudaErrorInvalidValue;
}

CUresult EncodeTiled(CUtensorMap* map, CUtensorMapDataType, cuuint32_t,
                     void* address, const cuuint64_t*, const cuuint64_t*,
                     const cuuint32_t*, const cuuint32_t*,
                     CUtensorMapInterleave, CUtensorMapSwizzle,
                     CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  std::memset(map, 0, sizeof(*map));
  std::memcpy(map, &address, sizeof(address));
  RecordedCall call;
  call.name = "cuTensorMapEncodeTiled";
  return RecordingCuda::Get().Record(call) ? CUDA_SUCCESS
                                           : CUDA_ERROR_INVALID_VALUE;
}

CUresult ReplaceAddress(CUtensorMap* map, void* address) {
  std::memcpy(map, &address, sizeof(address));
  RecordedCall call;
  call.name = "cuTensorMapReplaceAddress";
  return RecordingCuda::Get().Record(call) ? CUDA_SUCCESS
                                           : CUDA_ERROR_INVALID_VALUE;
}

CUresult ContextId(CUcontext, unsigned long long* id) {
  *id = RecordingCuda::Get().context;
  return *id != 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

RecordedCall pushed;

struct DriverFunction {
  const char* name;
  void* function;
};

const DriverFunction kDriverFunctions[] = {
    {"cuTensorMapEncodeTiled", reinterpret_cast<void*>(&EncodeTiled)},
    {"cuTensorMapReplaceAddress", reinterpret_cast<void*>(&ReplaceAddress)},
    {"cuCtxGetId", reinterpret_cast<void*>(&ContextId)},
};

}  // namespace
}  // namespace tiletune

using tiletune::Answer;
using tiletune::RecordedCall;

extern "C" {

cudaError_t cudaGetLastError() {
  return std::exchange(tiletune::RecordingCuda::Get().last_error, cudaSuccess);
}

const char* cudaGetErrorName(cudaError_t) { return "as the test wants"; }

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

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute name,
                                 int value) {
  RecordedCall call;
  call.name = "cudaFuncSetAttribute";
  call.function = function;
  call.function_attribute = name;
  call.bytes = static_cast<size_t>(value);
  return Answer(call);
}

cudaError_t cudaGetDriverEntryPointByVersion(
    const char* symbol, void** function, unsigned int, unsigned long long,
    cudaDriverEntryPointQueryResult* found) {
  *function = nullptr;
  for (const tiletune::DriverFunction& known : tiletune::kDriverFunctions) {
    if (std::strcmp(symbol, known.name) == 0) *function = known.function;
  }
  *found = *function != nullptr ? cudaDriverEntryPointSuccess
                                : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

// What objects of nvcc call before main() and from kernel stubs.
void** __cudaRegisterFatBinary(void*) { return nullptr; }
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char*, char*, const char*, int,
                            uint3*, uint3*, dim3*, dim3*, int*) {}
char __cudaInitModule(void**) { return 0; }
// f<<<grid, block, bytes, stream>>>(...) pushes a configuration, which the stub
// of f pops and launches with.
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t bytes,
                                     cudaStream_t stream) {
  tiletune::pushed = {"",      nullptr, grid, block, bytes,
                      nullptr, stream,  {},   {},    -1};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* bytes,
                                       void* stream) {
  *grid = tiletune::pushed.grid;
  *block = tiletune::pushed.block;
  *bytes = tiletune::pushed.bytes;
  *static_cast<cudaStream_t*>(stream) = tiletune::pushed.stream;
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                               void** arguments, size_t bytes,
                               cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, bytes, stream);
}

}  // extern "C"
