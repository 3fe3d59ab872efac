// Modules, libraries, functions and launches of the CUDA driver API.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "testing/emulator/runtime/driver_call.h"
#include "testing/emulator/runtime/launch.h"

using tiletune::emulator::LoadedModule;
using tiletune::emulator::Program;
using namespace tiletune::emulator::runtime;  // NOLINT: the entry points

namespace {

// A module is loaded at once: the caller may free its image afterwards.
template <typename Handle>
CUresult LoadImage(Handle* handle, const void* image,
                   uint64_t limit = UINT64_MAX) {
  return DriverCall([&](Session& session) {
    Code* const code = session.AddCode(image, limit);
    LoadedModule* module = nullptr;
    const cudaError_t error = session.Load(code, &module);
    if (error == cudaSuccess) *handle = reinterpret_cast<Handle>(code);
    return error;
  });
}

template <typename Handle>
CUresult LoadFile(Handle* handle, const char* name) {
  std::error_code unreadable;
  std::ifstream file(name, std::ios::binary);
  // A folder opens, and throws when it is read.
  if (!file || std::filesystem::is_directory(name, unreadable)) {
    return CUDA_ERROR_FILE_NOT_FOUND;
  }
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  return LoadImage(handle, bytes.data(), bytes.size());
}

template <typename Handle>
CUresult FindFunction(Handle* handle, Code* code, const char* name) {
  return DriverCall([&](Session& session) -> cudaError_t {
    LoadedModule* module = nullptr;
    const cudaError_t error = session.Load(code, &module);
    if (error != cudaSuccess) return error;
    const bool found = std::any_of(
        module->ptx.functions.begin(), module->ptx.functions.end(),
        [&](const auto& f) { return f.is_entry && f.name == name; });
    if (!found) return cudaErrorSymbolNotFound;
    Kernel* const kernel = code->FindKernel(name);
    session.RegisterKernel(kernel, kernel);
    *handle = reinterpret_cast<Handle>(kernel);
    return cudaSuccess;
  });
}

CUresult FindGlobal(CUdeviceptr* pointer, size_t* bytes, Code* code,
                    const char* name) {
  return DriverCall([&](Session& session) -> cudaError_t {
    LoadedModule* module = nullptr;
    const cudaError_t error = session.Load(code, &module);
    if (error != cudaSuccess) return error;
    const auto symbol = module->symbols.find(name);
    if (symbol == module->symbols.end()) return cudaErrorSymbolNotFound;
    if (pointer != nullptr) *pointer = symbol->second;
    if (bytes != nullptr) {
      const auto* allocation = session.memory().Find(symbol->second, 1);
      *bytes = allocation == nullptr ? 0 : allocation->bytes;
    }
    return cudaSuccess;
  });
}

// The attributes of both APIs are the same structure under two names.
static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute));
static_assert(static_cast<int>(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) ==
              static_cast<int>(cudaLaunchAttributeClusterDimension));

// The other way to pass arguments: one packed buffer. See cuLaunchKernel.
const char* PackedArguments(void** extra) {
  for (; extra != nullptr && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) {
      return static_cast<const char*>(extra[1]);
    }
  }
  return nullptr;
}

CUresult LaunchFunction(const CUlaunchConfig& config, CUfunction function,
                        void** arguments, void** extra) {
  return DriverCall([&](Session& session) -> cudaError_t {
    LaunchRequest request;
    request.kernel = session.FindKernel(function);
    if (request.kernel == nullptr) return cudaErrorInvalidResourceHandle;
    request.grid = {config.gridDimX, config.gridDimY, config.gridDimZ};
    request.block = {config.blockDimX, config.blockDimY, config.blockDimZ};
    request.dynamic_shared = config.sharedMemBytes;
    request.stream = session.FindStream(config.hStream);
    ApplyAttributes(reinterpret_cast<const cudaLaunchAttribute*>(config.attrs),
                    config.numAttrs, &request);
    const char* const packed = PackedArguments(extra);
    std::vector<void*> unpacked;
    if (packed != nullptr) {
      const Program* program = nullptr;
      const cudaError_t error = session.Load(request.kernel, &program);
      if (error != cudaSuccess) {
        session.CountUnrun();
        return error;
      }
      for (const uint32_t offset : program->parameter_offsets) {
        unpacked.push_back(const_cast<char*>(packed) + offset);
      }
      arguments = unpacked.data();
    }
    return LaunchKernel(session, request, arguments);
  });
}

}  // namespace

extern "C" {

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return LoadImage(module, image);
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned,
                            CUjit_option*, void**) {
  return LoadImage(module, image);
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  return LoadImage(module, image);
}

CUresult cuModuleLoad(CUmodule* module, const char* name) {
  return LoadFile(module, name);
}

CUresult cuModuleUnload(CUmodule) { return CUDA_SUCCESS; }

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module,
                             const char* name) {
  return FindFunction(function, reinterpret_cast<Code*>(module), name);
}

CUresult cuModuleGetGlobal(CUdeviceptr* pointer, size_t* bytes, CUmodule module,
                           const char* name) {
  return FindGlobal(pointer, bytes, reinterpret_cast<Code*>(module), name);
}

CUresult cuLibraryLoadData(CUlibrary* library, const void* image, CUjit_option*,
                           void**, unsigned, CUlibraryOption*, void**,
                           unsigned) {
  return LoadImage(library, image);
}

CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* name,
                               CUjit_option*, void**, unsigned,
                               CUlibraryOption*, void**, unsigned) {
  return LoadFile(library, name);
}

CUresult cuLibraryUnload(CUlibrary) { return CUDA_SUCCESS; }

CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  *module = reinterpret_cast<CUmodule>(library);
  return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library,
                            const char* name) {
  return FindFunction(kernel, reinterpret_cast<Code*>(library), name);
}

CUresult cuLibraryGetGlobal(CUdeviceptr* pointer, size_t* bytes,
                            CUlibrary library, const char* name) {
  return FindGlobal(pointer, bytes, reinterpret_cast<Code*>(library), name);
}

CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  *function = reinterpret_cast<CUfunction>(kernel);
  return CUDA_SUCCESS;
}

CUresult cuFuncGetName(const char** name, CUfunction function) {
  return Driver(cudaFuncGetName(name, function));
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute name,
                            int value) {
  return Driver(cudaFuncSetAttribute(
      function, static_cast<cudaFuncAttribute>(name), value));
}

CUresult cuKernelSetAttribute(CUfunction_attribute name, int value,
                              CUkernel kernel, CUdevice) {
  return cuFuncSetAttribute(reinterpret_cast<CUfunction>(kernel), name, value);
}

CUresult cuFuncSetCacheConfig(CUfunction, CUfunc_cache) { return CUDA_SUCCESS; }

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute name,
                            CUfunction function) {
  cudaFuncAttributes a;
  const cudaError_t error = cudaFuncGetAttributes(&a, function);
  if (error != cudaSuccess) return Driver(error);
  switch (name) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = a.maxThreadsPerBlock;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = static_cast<int>(a.sharedSizeBytes);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = static_cast<int>(a.localSizeBytes);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = a.ptxVersion;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = a.maxDynamicSharedSizeBytes;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
      *value = a.clusterDimMustBeSet;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
      *value = a.requiredClusterWidth;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
      *value = a.requiredClusterHeight;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      *value = a.requiredClusterDepth;
      return CUDA_SUCCESS;
    default:
      *value = 0;  // registers and the like are not modelled
      return CUDA_SUCCESS;
  }
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                        unsigned grid_z, unsigned block_x, unsigned block_y,
                        unsigned block_z, unsigned dynamic_shared,
                        CUstream stream, void** arguments, void** extra) {
  CUlaunchConfig config = {};
  config.gridDimX = grid_x;
  config.gridDimY = grid_y;
  config.gridDimZ = grid_z;
  config.blockDimX = block_x;
  config.blockDimY = block_y;
  config.blockDimZ = block_z;
  config.sharedMemBytes = dynamic_shared;
  config.hStream = stream;
  return LaunchFunction(config, function, arguments, extra);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function,
                          void** arguments, void** extra) {
  return LaunchFunction(*config, function, arguments, extra);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks,
                                                     CUfunction function,
                                                     int threads,
                                                     size_t dynamic_shared) {
  return Driver(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      blocks, function, threads, dynamic_shared));
}

}  // extern "C"
