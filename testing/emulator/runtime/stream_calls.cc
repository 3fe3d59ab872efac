// Streams and events of the CUDA runtime API.
#include <cuda_runtime_api.h>

#include <map>
#include <memory>

#include "testing/emulator/runtime/call.h"

namespace tiletune::emulator::runtime {
namespace {

std::map<const void*, std::shared_ptr<Event>>& Events() {
  static auto* const events =
      new std::map<const void*, std::shared_ptr<Event>>();
  return *events;
}

std::shared_ptr<Event> FindEvent(cudaEvent_t handle) {
  const auto it = Events().find(handle);
  return it == Events().end() ? nullptr : it->second;
}

// Runs `body` with the stream, or says that it is none.
template <typename Body>
cudaError_t WithStream(cudaStream_t handle, const Body& body) {
  return Call([&](Session& session) -> cudaError_t {
    Stream* const stream = session.FindStream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    return body(session, *stream);
  });
}

}  // namespace
}  // namespace tiletune::emulator::runtime

using namespace tiletune::emulator::runtime;  // NOLINT: the entry points

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags,
                                         int priority) {
  return Call([&](Session& s) {
    Stream* const added = s.AddStream();
    added->flags = flags;
    added->priority = priority;
    *stream = reinterpret_cast<cudaStream_t>(added);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return Call([&](Session& s) {
    return s.RemoveStream(reinterpret_cast<Stream*>(stream))
               ? cudaSuccess
               : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return WithStream(stream, [](Session& s, Stream& which) -> cudaError_t {
    if (which.is_capturing()) return cudaErrorStreamCaptureUnsupported;
    return s.failure();
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return cudaStreamSynchronize(stream);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return WithStream(stream, [&](Session&, Stream& which) {
    *flags = which.flags;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return WithStream(stream, [&](Session&, Stream& which) {
    *priority = which.priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return WithStream(stream, [&](Session&, Stream&) {
    *device = 0;
    return cudaSuccess;
  });
}

// An access policy is advice to the L2 cache, which is not modelled.
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID,
                                   const cudaStreamAttrValue*) {
  return WithStream(stream, [](Session&, Stream&) { return cudaSuccess; });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function,
                               void* data) {
  return WithStream(stream, [&](Session&, Stream& which) {
    return which.Submit([=] {
      function(data);
      return cudaSuccess;
    });
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                  cudaStreamCallback_t function, void* data,
                                  unsigned) {
  return WithStream(stream, [&](Session&, Stream& which) {
    return which.Submit([=] {
      function(stream, cudaSuccess, data);
      return cudaSuccess;
    });
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return Call([&](Session&) {
    auto created = std::make_shared<Event>();
    *event = reinterpret_cast<cudaEvent_t>(created.get());
    Events()[created.get()] = std::move(created);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return Call([&](Session&) {
    return Events().erase(event) == 1 ? cudaSuccess
                                      : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream,
                                     unsigned) {
  return WithStream(stream, [&](Session& s, Stream& which) -> cudaError_t {
    const std::shared_ptr<Event> event = FindEvent(handle);
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    event->capture = which.capture();
    return which.Submit([&s, event] {
      event->recorded = true;
      event->microseconds = s.microseconds();
      return cudaSuccess;
    });
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

// All earlier work is done; only a capture has to spread.
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t handle,
                                unsigned) {
  return WithStream(stream, [&](Session&, Stream& which) -> cudaError_t {
    const std::shared_ptr<Event> event = FindEvent(handle);
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    const auto capture = event->capture.lock();
    if (capture == nullptr || capture->origin == nullptr) return cudaSuccess;
    if (which.is_capturing() && which.capture() != capture) {
      return cudaErrorStreamCaptureMerge;
    }
    which.Join(capture);
    return cudaSuccess;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return Call([&](Session& s) -> cudaError_t {
    if (FindEvent(event) == nullptr) return cudaErrorInvalidResourceHandle;
    return s.failure();
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return cudaEventSynchronize(event);
}

// Of the emulated clock (Session::Advance): no model of any GPU's speed.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start,
                                 cudaEvent_t end) {
  return Call([&](Session&) -> cudaError_t {
    const std::shared_ptr<Event> from = FindEvent(start);
    const std::shared_ptr<Event> to = FindEvent(end);
    if (from == nullptr || to == nullptr || !from->recorded || !to->recorded) {
      return cudaErrorInvalidResourceHandle;
    }
    *milliseconds =
        static_cast<float>((to->microseconds - from->microseconds) / 1000);
    return cudaSuccess;
  });
}

}  // extern "C"

TILETUNE_ALSO_CALLED(cudaStreamSynchronize, cudaStreamSynchronize_ptsz);
TILETUNE_ALSO_CALLED(cudaStreamQuery, cudaStreamQuery_ptsz);
TILETUNE_ALSO_CALLED(cudaStreamGetFlags, cudaStreamGetFlags_ptsz);
TILETUNE_ALSO_CALLED(cudaStreamGetPriority, cudaStreamGetPriority_ptsz);
TILETUNE_ALSO_CALLED(cudaStreamGetDevice, cudaStreamGetDevice_ptsz);
TILETUNE_ALSO_CALLED(cudaStreamSetAttribute, cudaStreamSetAttribute_ptsz);
TILETUNE_ALSO_CALLED(cudaLaunchHostFunc, cudaLaunchHostFunc_ptsz);
TILETUNE_ALSO_CALLED(cudaStreamAddCallback, cudaStreamAddCallback_ptsz);
TILETUNE_ALSO_CALLED(cudaEventRecordWithFlags, cudaEventRecordWithFlags_ptsz);
TILETUNE_ALSO_CALLED(cudaEventRecord, cudaEventRecord_ptsz);
TILETUNE_ALSO_CALLED(cudaStreamWaitEvent, cudaStreamWaitEvent_ptsz);
