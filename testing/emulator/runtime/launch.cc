#include "testing/emulator/runtime/launch.h"

#include <algorithm>
#include <utility>

#include "testing/emulator/machine/address_space.h"

namespace tiletune::emulator::runtime {
namespace {

uint32_t SharedBytes(const Program& program, size_t dynamic_shared) {
  return program.dynamic_shared_offset - kSharedBase +
         static_cast<uint32_t>(dynamic_shared);
}

// The errors that CUDA finds before anything runs.
cudaError_t CheckRequest(const Session& session, const Program& program,
                         const LaunchRequest& request, const Dim3& cluster) {
  const Kernel& kernel = *request.kernel;
  if (request.grid.Count() == 0 || request.block.Count() == 0) {
    return cudaErrorInvalidConfiguration;
  }
  if (request.dynamic_shared > static_cast<size_t>(kernel.max_dynamic_shared)) {
    return cudaErrorInvalidValue;
  }
  const uint64_t size = cluster.Count();
  if (size == 0 || size > kMaxCluster ||
      (size > kMaxPortableCluster && !kernel.non_portable_cluster) ||
      size > static_cast<uint64_t>(session.settings().sms)) {
    return cudaErrorInvalidClusterSize;
  }
  if (request.cooperative) {
    const int each =
        MaxActiveCtas(program, static_cast<int>(request.block.Count()),
                      request.dynamic_shared);
    if (request.grid.Count() >
        static_cast<uint64_t>(each) *
            static_cast<uint64_t>(session.settings().sms)) {
      return cudaErrorCooperativeLaunchTooLarge;
    }
  }
  return cudaSuccess;
}

}  // namespace

void ApplyAttributes(const cudaLaunchAttribute* attributes, unsigned count,
                     LaunchRequest* request) {
  for (unsigned i = 0; i < count; ++i) {
    const cudaLaunchAttribute& attribute = attributes[i];
    if (attribute.id == cudaLaunchAttributeClusterDimension) {
      const auto& shape = attribute.val.clusterDim;
      request->cluster = {shape.x, shape.y, shape.z};
      request->has_cluster = true;
    } else if (attribute.id == cudaLaunchAttributeCooperative) {
      request->cooperative = attribute.val.cooperative != 0;
    } else if (attribute.id ==
               cudaLaunchAttributeProgrammaticStreamSerialization) {
      request->programmatic =
          attribute.val.programmaticStreamSerializationAllowed != 0;
    }
  }
}

cudaError_t LaunchKernel(Session& session, const LaunchRequest& request,
                         void** arguments) {
  if (request.kernel == nullptr) return cudaErrorInvalidDeviceFunction;
  if (request.stream == nullptr) return cudaErrorInvalidResourceHandle;
  Launch launch;
  const Program* program = nullptr;
  cudaError_t error = session.Load(request.kernel, &program, &launch.module);
  if (error != cudaSuccess) {
    session.CountUnrun();
    return error;
  }
  Dim3 cluster = request.cluster;
  const uint32_t* required = program->entry->required_cluster;
  if (!request.has_cluster && required[0] != 0) {
    cluster = {required[0], required[1], required[2]};
  }
  error = CheckRequest(session, *program, request, cluster);
  if (error != cudaSuccess) return error;

  launch.entry = request.kernel->name;
  launch.grid = request.grid;
  launch.block = request.block;
  launch.cluster = cluster;
  launch.dynamic_shared = static_cast<uint32_t>(request.dynamic_shared);
  const auto& parameters = program->entry->parameters;
  if (arguments == nullptr && !parameters.empty()) return cudaErrorInvalidValue;
  for (size_t i = 0; i < parameters.size(); ++i) {
    launch.Add(arguments[i], parameters[i].bytes);
  }
  launch.programmatic = request.programmatic;
  const Stream* const stream = request.stream;
  return request.stream->Submit(
      [&session, stream, program, launch = std::move(launch)] {
        return session.Launch(stream, launch, *program);
      });
}

int MaxActiveCtas(const Program& program, int threads, size_t dynamic_shared) {
  if (threads <= 0) return 0;
  const int warps = (threads + 31) / 32;
  const int by_threads = kMaxThreadsPerSm / (32 * warps);
  const int by_shared =
      kSharedBytesPerSm /
      (static_cast<int>(SharedBytes(program, dynamic_shared)) +
       kReservedSharedBytes);
  return std::min({by_threads, by_shared, kMaxCtasPerSm});
}

}  // namespace tiletune::emulator::runtime
