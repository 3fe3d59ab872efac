// Errors: names, sentences and the thread's last one.
#include <cuda_runtime_api.h>

#include "testing/emulator/runtime/call.h"

namespace tiletune::emulator::runtime {
namespace {

struct ErrorText {
  cudaError_t error;
  const char* name;
  const char* sentence;
};

#define TILETUNE_ERROR(name, sentence) \
  { name, #name, sentence }

// The errors that this runtime can return, and those that programs ask about.
constexpr ErrorText kErrors[] = {
    TILETUNE_ERROR(cudaSuccess, "no error"),
    TILETUNE_ERROR(cudaErrorInvalidValue, "a parameter is outside its range"),
    TILETUNE_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    TILETUNE_ERROR(cudaErrorInitializationError, "initialization error"),
    TILETUNE_ERROR(cudaErrorInvalidConfiguration,
                   "the grid, block or cluster cannot be launched"),
    TILETUNE_ERROR(cudaErrorInvalidPitchValue, "invalid pitch value"),
    TILETUNE_ERROR(cudaErrorInvalidSymbol, "there is no such variable"),
    TILETUNE_ERROR(cudaErrorInvalidHostPointer, "invalid host pointer"),
    TILETUNE_ERROR(cudaErrorInvalidDevicePointer, "invalid device pointer"),
    TILETUNE_ERROR(cudaErrorInvalidMemcpyDirection, "invalid memcpy direction"),
    TILETUNE_ERROR(cudaErrorInsufficientDriver, "insufficient driver"),
    TILETUNE_ERROR(cudaErrorMissingConfiguration, "missing configuration"),
    TILETUNE_ERROR(cudaErrorInvalidDeviceFunction, "there is no such kernel"),
    TILETUNE_ERROR(cudaErrorNoDevice, "no device"),
    TILETUNE_ERROR(cudaErrorInvalidDevice, "invalid device"),
    TILETUNE_ERROR(cudaErrorInvalidKernelImage, "invalid kernel image"),
    TILETUNE_ERROR(cudaErrorDeviceUninitialized, "device uninitialized"),
    TILETUNE_ERROR(cudaErrorNoKernelImageForDevice,
                   "the program has no PTX that this GPU can run"),
    TILETUNE_ERROR(cudaErrorUnsupportedLimit, "unsupported limit"),
    TILETUNE_ERROR(cudaErrorPeerAccessUnsupported, "peer access unsupported"),
    TILETUNE_ERROR(cudaErrorInvalidPtx,
                   "the PTX cannot be read or has an instruction that the "
                   "emulator does not know"),
    TILETUNE_ERROR(cudaErrorUnsupportedPtxVersion, "unsupported ptx version"),
    TILETUNE_ERROR(cudaErrorInvalidSource, "invalid source"),
    TILETUNE_ERROR(cudaErrorFileNotFound, "file not found"),
    TILETUNE_ERROR(cudaErrorSharedObjectSymbolNotFound,
                   "shared object symbol not found"),
    TILETUNE_ERROR(cudaErrorInvalidResourceHandle, "the handle is not valid"),
    TILETUNE_ERROR(cudaErrorIllegalState, "illegal state"),
    TILETUNE_ERROR(cudaErrorSymbolNotFound, "symbol not found"),
    TILETUNE_ERROR(cudaErrorNotReady, "work is not complete yet"),
    TILETUNE_ERROR(cudaErrorIllegalAddress, "illegal address"),
    TILETUNE_ERROR(cudaErrorLaunchOutOfResources, "launch out of resources"),
    TILETUNE_ERROR(cudaErrorLaunchTimeout, "launch timeout"),
    TILETUNE_ERROR(cudaErrorPeerAccessAlreadyEnabled,
                   "peer access already enabled"),
    TILETUNE_ERROR(cudaErrorPeerAccessNotEnabled, "peer access not enabled"),
    TILETUNE_ERROR(cudaErrorAssert, "assert"),
    TILETUNE_ERROR(cudaErrorHostMemoryAlreadyRegistered,
                   "host memory already registered"),
    TILETUNE_ERROR(cudaErrorHostMemoryNotRegistered,
                   "host memory not registered"),
    TILETUNE_ERROR(cudaErrorIllegalInstruction, "illegal instruction"),
    TILETUNE_ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    TILETUNE_ERROR(cudaErrorLaunchFailure,
                   "the emulator found something wrong in a kernel"),
    TILETUNE_ERROR(cudaErrorCooperativeLaunchTooLarge,
                   "cooperative launch too large"),
    TILETUNE_ERROR(cudaErrorNotPermitted, "not permitted"),
    TILETUNE_ERROR(cudaErrorNotSupported,
                   "the emulated runtime does not have this call"),
    TILETUNE_ERROR(cudaErrorStreamCaptureUnsupported,
                   "stream capture unsupported"),
    TILETUNE_ERROR(cudaErrorStreamCaptureInvalidated,
                   "stream capture invalidated"),
    TILETUNE_ERROR(cudaErrorStreamCaptureMerge, "stream capture merge"),
    TILETUNE_ERROR(cudaErrorStreamCaptureUnmatched, "stream capture unmatched"),
    TILETUNE_ERROR(cudaErrorStreamCaptureUnjoined, "stream capture unjoined"),
    TILETUNE_ERROR(cudaErrorStreamCaptureIsolation, "stream capture isolation"),
    TILETUNE_ERROR(cudaErrorStreamCaptureImplicit, "stream capture implicit"),
    TILETUNE_ERROR(cudaErrorCapturedEvent, "captured event"),
    TILETUNE_ERROR(cudaErrorStreamCaptureWrongThread,
                   "stream capture wrong thread"),
    TILETUNE_ERROR(cudaErrorTimeout, "timeout"),
    TILETUNE_ERROR(cudaErrorGraphExecUpdateFailure,
                   "graph exec update failure"),
    TILETUNE_ERROR(cudaErrorInvalidClusterSize, "the cluster is too large"),
    TILETUNE_ERROR(cudaErrorUnknown, "unknown"),
};

const ErrorText* Find(cudaError_t error) {
  for (const ErrorText& text : kErrors) {
    if (text.error == error) return &text;
  }
  return nullptr;
}

}  // namespace

cudaError_t& LastError() {
  thread_local cudaError_t error = cudaSuccess;
  return error;
}

}  // namespace tiletune::emulator::runtime

using namespace tiletune::emulator::runtime;  // NOLINT: the entry points

extern "C" {

const char* cudaGetErrorName(cudaError_t error) {
  const auto* text = Find(error);
  return text == nullptr ? "unrecognized error code" : text->name;
}

const char* cudaGetErrorString(cudaError_t error) {
  const auto* text = Find(error);
  return text == nullptr ? "unrecognized error code" : text->sentence;
}

cudaError_t cudaPeekAtLastError() { return LastError(); }

cudaError_t cudaGetLastError() {
  const cudaError_t error = LastError();
  LastError() = cudaSuccess;
  return error;
}

}  // extern "C"
