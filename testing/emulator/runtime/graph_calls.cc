// Stream capture and graphs of the CUDA runtime API. A graph is what one
// capture recorded; graphs built node by node are not supported.
#include <cuda_runtime_api.h>

#include <map>
#include <memory>

#include "testing/emulator/runtime/call.h"

namespace tiletune::emulator::runtime {
namespace {

// Graphs and instantiated graphs, by handle. Both are the same thing: a list
// of work, which is never changed once it exists.
std::map<const void*, std::shared_ptr<Graph>>& Graphs() {
  static auto* const graphs =
      new std::map<const void*, std::shared_ptr<Graph>>();
  return *graphs;
}

// Null when the handle is none.
std::shared_ptr<Graph> FindGraph(const void* handle) {
  const auto it = Graphs().find(handle);
  return it == Graphs().end() ? nullptr : it->second;
}

template <typename Handle>
void AddGraph(std::shared_ptr<Graph> graph, Handle* handle) {
  *handle = reinterpret_cast<Handle>(graph.get());
  Graphs()[graph.get()] = std::move(graph);
}

cudaError_t RemoveGraph(const void* handle) {
  return Graphs().erase(handle) == 1 ? cudaSuccess : cudaErrorInvalidValue;
}

bool IsDefaultStream(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy;
}

}  // namespace
}  // namespace tiletune::emulator::runtime

using namespace tiletune::emulator::runtime;  // NOLINT: the entry points

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode) {
  return Call([&](Session& s) -> cudaError_t {
    if (IsDefaultStream(handle)) return cudaErrorStreamCaptureUnsupported;
    Stream* const stream = s.FindStream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    return stream->BeginCapture();
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return Call([&](Session& s) -> cudaError_t {
    Stream* const stream = s.FindStream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    std::shared_ptr<Graph> captured = stream->EndCapture();
    if (captured == nullptr) return cudaErrorIllegalState;
    AddGraph(std::move(captured), graph);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle,
                                  cudaStreamCaptureStatus* status) {
  return Call([&](Session& s) -> cudaError_t {
    Stream* const stream = s.FindStream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    *status = stream->is_capturing() ? cudaStreamCaptureStatusActive
                                     : cudaStreamCaptureStatusNone;
    return cudaSuccess;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) {
  return cudaSuccess;
}

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  return Call([&](Session&) {
    AddGraph(std::make_shared<Graph>(), graph);
    return cudaSuccess;
  });
}

// Programs ask only how many nodes there are: each piece of work counts.
cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes,
                              size_t* count) {
  return Call([&](Session&) -> cudaError_t {
    const std::shared_ptr<Graph> graph = FindGraph(handle);
    if (graph == nullptr) return cudaErrorInvalidValue;
    if (nodes != nullptr) return cudaErrorNotSupported;
    *count = graph->works.size();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t handle,
                                 unsigned long long) {
  return Call([&](Session&) -> cudaError_t {
    const std::shared_ptr<Graph> graph = FindGraph(handle);
    if (graph == nullptr) return cudaErrorInvalidValue;
    AddGraph(std::make_shared<Graph>(*graph), exec);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec,
                                          cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(exec, graph, flags);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t) {
  return Call([&](Session&) {
    return FindGraph(exec) == nullptr ? cudaErrorInvalidValue : cudaSuccess;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle) {
  return Call([&](Session& s) -> cudaError_t {
    const std::shared_ptr<Graph> graph = FindGraph(exec);
    Stream* const stream = s.FindStream(handle);
    if (graph == nullptr) return cudaErrorInvalidValue;
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    return stream->Submit([graph] { return graph->Run(); });
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return Call([&](Session&) { return RemoveGraph(exec); });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return Call([&](Session&) { return RemoveGraph(graph); });
}

}  // extern "C"

TILETUNE_ALSO_CALLED(cudaStreamBeginCapture, cudaStreamBeginCapture_ptsz);
TILETUNE_ALSO_CALLED(cudaStreamEndCapture, cudaStreamEndCapture_ptsz);
TILETUNE_ALSO_CALLED(cudaStreamIsCapturing, cudaStreamIsCapturing_ptsz);
TILETUNE_ALSO_CALLED(cudaGraphUpload, cudaGraphUpload_ptsz);
TILETUNE_ALSO_CALLED(cudaGraphLaunch, cudaGraphLaunch_ptsz);
