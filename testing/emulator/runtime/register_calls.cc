// What nvcc's host code calls before main: see crt/host_runtime.h of the CUDA
// Toolkit.
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <vector>

#include "testing/emulator/runtime/call.h"

namespace tiletune::emulator::runtime {
namespace {

struct CallConfiguration {
  dim3 grid;
  dim3 block;
  size_t dynamic_shared;
  cudaStream_t stream;
};

// Between <<<...>>> and the stub that it calls, on one thread.
std::vector<CallConfiguration>& Configurations() {
  thread_local std::vector<CallConfiguration> configurations;
  return configurations;
}

struct ManagedVariable {
  void** host_pointer;  // also what the variable is registered under
  Code* code;
  size_t bytes;
};

std::vector<ManagedVariable>& ManagedVariables() {
  static auto* const variables = new std::vector<ManagedVariable>();
  return *variables;
}

// A managed variable is one block of memory with two addresses: the kernel's
// and the host's, at which kernels may use it too.
cudaError_t Publish(Session& session, const ManagedVariable& variable) {
  uint64_t address = 0;
  uint64_t bytes = 0;
  const cudaError_t error =
      session.FindVariable(variable.host_pointer, &address, &bytes);
  if (error != cudaSuccess) {
    // No kernel can run; the host's own use of the variable still works.
    *variable.host_pointer = std::calloc(1, variable.bytes);
    return error;
  }
  GlobalMemory::Allocation* allocation = session.memory().Find(address, bytes);
  if (allocation == nullptr) return cudaErrorInvalidSymbol;
  uint8_t* const data = allocation->data;
  session.memory().Register(data, bytes, allocation->name);
  *variable.host_pointer = data;
  return cudaSuccess;
}

Code* CodeOf(void** handle) { return reinterpret_cast<Code*>(handle); }

}  // namespace
}  // namespace tiletune::emulator::runtime

using tiletune::emulator::runtime::Call;
using tiletune::emulator::runtime::Code;
using tiletune::emulator::runtime::CodeOf;
using tiletune::emulator::runtime::Configurations;
using tiletune::emulator::runtime::Kernel;
using tiletune::emulator::runtime::ManagedVariables;
using tiletune::emulator::runtime::Publish;
using tiletune::emulator::runtime::Session;

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  Code* code = nullptr;
  Call([&](Session& session) {
    code = session.AddCode(wrapper);
    return cudaSuccess;
  });
  return reinterpret_cast<void**>(code);
}

void __cudaRegisterFatBinaryEnd(void**) {}

// The code stays: other objects' destructors may still launch.
void __cudaUnregisterFatBinary(void**) {}

void __cudaRegisterFunction(void** handle, const char* host_function, char*,
                            const char* name, int, uint3*, uint3*, dim3*, dim3*,
                            int*) {
  Call([&](Session& session) {
    Kernel* const kernel = CodeOf(handle)->FindKernel(name);
    session.RegisterKernel(host_function, kernel);
    session.RegisterKernel(kernel, kernel);  // its handle
    return cudaSuccess;
  });
}

void __cudaRegisterVar(void** handle, char* host_variable, char*,
                       const char* name, int, size_t bytes, int, int) {
  Call([&](Session& session) {
    session.RegisterVariable(host_variable, CodeOf(handle), name, bytes);
    return cudaSuccess;
  });
}

void __cudaRegisterManagedVar(void** handle, void** host_pointer, char*,
                              const char* name, int, size_t bytes, int, int) {
  Call([&](Session& session) {
    session.RegisterVariable(host_pointer, CodeOf(handle), name, bytes);
    ManagedVariables().push_back({host_pointer, CodeOf(handle), bytes});
    return cudaSuccess;
  });
}

// Called before the first use of a managed variable in each file.
char __cudaInitModule(void** handle) {
  const cudaError_t error = Call([&](Session& session) {
    for (const auto& variable : ManagedVariables()) {
      if (variable.code != CodeOf(handle)) continue;
      const cudaError_t published = Publish(session, variable);
      if (published != cudaSuccess) return published;
    }
    return cudaSuccess;
  });
  return error == cudaSuccess ? 1 : 0;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block,
                                     size_t dynamic_shared,
                                     cudaStream_t stream) {
  Configurations().push_back({grid, block, dynamic_shared, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block,
                                       size_t* dynamic_shared, void* stream) {
  auto& configurations = Configurations();
  if (configurations.empty()) return cudaErrorMissingConfiguration;
  *grid = configurations.back().grid;
  *block = configurations.back().block;
  *dynamic_shared = configurations.back().dynamic_shared;
  *static_cast<cudaStream_t*>(stream) = configurations.back().stream;
  configurations.pop_back();
  return cudaSuccess;
}

}  // extern "C"
