// Every other call of the two libraries: it says its name, once, and returns
// cudaErrorNotSupported. Without them a program that names one, and perhaps
// never calls it, would not even start.
//
// No CUDA header here: it would declare these functions with their parameters,
// which do not matter.
#include <mutex>
#include <string>

#include "testing/emulator/runtime/session.h"

namespace {

int Unsupported(const char* name) {
  using tiletune::emulator::runtime::Session;
  Session& session = Session::Get();
  const std::lock_guard<std::recursive_mutex> lock(session.mutex());
  session.Say(std::string("the emulated runtime has no ") + name);
  return cudaErrorNotSupported;
}

}  // namespace

#define TILETUNE_UNSUPPORTED(name) \
  extern "C" int name() { return Unsupported(#name); }

#include "testing/emulator/runtime/unsupported_driver_calls.inc"
#include "testing/emulator/runtime/unsupported_runtime_calls.inc"
