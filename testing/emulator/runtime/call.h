// What every entry point does around its own work: it locks the session, turns
// exceptions into errors and keeps the thread's last error.
//
//   cudaError_t cudaFree(void* pointer) {
//     return Call([&](Session& session) {
//       return Free(session, pointer);
//     });
//   }
#ifndef TILETUNE_TESTING_EMULATOR_RUNTIME_CALL_H_
#define TILETUNE_TESTING_EMULATOR_RUNTIME_CALL_H_

#include <driver_types.h>

#include <mutex>
#include <new>

#include "testing/emulator/runtime/session.h"

namespace tiletune::emulator::runtime {

// Of this thread; cudaGetLastError clears it.
cudaError_t& LastError();

template <typename Body>
cudaError_t Call(const Body& body) {
  Session& session = Session::Get();
  const std::lock_guard<std::recursive_mutex> lock(session.mutex());
  cudaError_t error = cudaSuccess;
  try {
    error = body(session);
  } catch (const std::bad_alloc&) {
    error = cudaErrorMemoryAllocation;
  }
  // "Not ready" answers a question; it is no error.
  if (error != cudaSuccess && error != cudaErrorNotReady) LastError() = error;
  return error;
}

}  // namespace tiletune::emulator::runtime

// A second name for an entry point, for programs that were compiled with
// --default-stream per-thread. One default stream serves both.
#define TILETUNE_ALSO_CALLED(name, other) \
  extern "C" __attribute__((alias(#name))) decltype(name) other

#endif  // TILETUNE_TESTING_EMULATOR_RUNTIME_CALL_H_
