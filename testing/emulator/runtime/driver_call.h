// What the driver API's entry points share with the runtime's. Error codes,
// device attributes, launch attributes and handles of streams, events, graphs
// and kernels have the same values in both, so most calls are the runtime's.
//
//   CUresult cuMemAlloc(CUdeviceptr* pointer, size_t bytes) {
//     return Driver(cudaMalloc(reinterpret_cast<void**>(pointer), bytes));
//   }
//   CUresult cuFoo(...) {
//     return DriverCall([&](Session& session) { return cudaSuccess; });
//   }
#ifndef TILETUNE_TESTING_EMULATOR_RUNTIME_DRIVER_CALL_H_
#define TILETUNE_TESTING_EMULATOR_RUNTIME_DRIVER_CALL_H_

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "testing/emulator/runtime/call.h"

namespace tiletune::emulator::runtime {

static_assert(static_cast<int>(cudaErrorLaunchFailure) ==
              static_cast<int>(CUDA_ERROR_LAUNCH_FAILED));
static_assert(static_cast<int>(cudaErrorInvalidPtx) ==
              static_cast<int>(CUDA_ERROR_INVALID_PTX));

// The result of a runtime call as a driver call's. (The runtime's last error is
// then set too; on a GPU the driver would leave it alone.)
inline CUresult Driver(cudaError_t error) {
  return static_cast<CUresult>(error);
}

template <typename Body>
CUresult DriverCall(const Body& body) {
  return Driver(Call(body));
}

}  // namespace tiletune::emulator::runtime

#endif  // TILETUNE_TESTING_EMULATOR_RUNTIME_DRIVER_CALL_H_
