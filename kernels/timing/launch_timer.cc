#include "kernels/timing/launch_timer.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <utility>

#include "kernels/cuda_status.h"

namespace tiletune {

int LaunchesPerReplay(int copies, double seconds, double sample_seconds) {
  constexpr int kMostLaunches = 1000;
  const double wanted = sample_seconds / std::max(seconds, 1e-7);
  const int launches =
      static_cast<int>(std::min<double>(wanted, kMostLaunches));
  // Whole passes, so that every copy counts alike.
  const int passes = std::max(1, (launches + copies - 1) / copies);
  return passes * copies;
}

absl::StatusOr<std::unique_ptr<LaunchTimer>> LaunchTimer::Create(
    Launch launch, const TimerOptions& options, GpuStream stream) {
  std::unique_ptr<LaunchTimer> timer(new LaunchTimer);
  timer->launch_ = std::move(launch);
  timer->options_ = options;
  timer->stream_ = stream;
  TILETUNE_RETURN_IF_CUDA_ERROR(cudaEventCreate(&timer->begin_));
  TILETUNE_RETURN_IF_CUDA_ERROR(cudaEventCreate(&timer->end_));
  if (options.mode == LaunchMode::kStream) return timer;

  TILETUNE_RETURN_IF_CUDA_ERROR(
      cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  const absl::Status enqueued = timer->EnqueueAll(cudaEventRecordExternal);
  cudaGraph_t graph = nullptr;
  // Ended in any case: a stream left in capture mode is of no use to anyone.
  const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
  if (!enqueued.ok() || ended != cudaSuccess) {
    if (graph != nullptr) cudaGraphDestroy(graph);
    return enqueued.ok() ? CudaStatus(ended, "cudaStreamEndCapture") : enqueued;
  }
  const cudaError_t made = cudaGraphInstantiate(&timer->graph_, graph, 0);
  cudaGraphDestroy(graph);
  if (made != cudaSuccess) return CudaStatus(made, "cudaGraphInstantiate");
  // Else the first replay would do it.
  TILETUNE_RETURN_IF_CUDA_ERROR(cudaGraphUpload(timer->graph_, stream));
  return timer;
}

LaunchTimer::~LaunchTimer() {
  if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
  if (begin_ != nullptr) cudaEventDestroy(begin_);
  if (end_ != nullptr) cudaEventDestroy(end_);
}

absl::Status LaunchTimer::EnqueueAll(unsigned event_flags) {
  TILETUNE_RETURN_IF_CUDA_ERROR(
      cudaEventRecordWithFlags(begin_, stream_, event_flags));
  for (int64_t i = 0; i < options_.launches; ++i) {
    const absl::Status status = launch_(i, stream_);
    if (!status.ok()) return status;
  }
  TILETUNE_RETURN_IF_CUDA_ERROR(
      cudaEventRecordWithFlags(end_, stream_, event_flags));
  return absl::OkStatus();
}

absl::StatusOr<double> LaunchTimer::Replay() {
  if (graph_ != nullptr) {
    TILETUNE_RETURN_IF_CUDA_ERROR(cudaGraphLaunch(graph_, stream_));
  } else {
    const absl::Status status = EnqueueAll(cudaEventRecordDefault);
    if (!status.ok()) return status;
  }
  TILETUNE_RETURN_IF_CUDA_ERROR(cudaStreamSynchronize(stream_));
  float milliseconds = 0;
  TILETUNE_RETURN_IF_CUDA_ERROR(
      cudaEventElapsedTime(&milliseconds, begin_, end_));
  return milliseconds * 1e-3 / options_.launches;
}

}  // namespace tiletune
