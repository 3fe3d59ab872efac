// Streams, events and graphs. Work runs at once and in the order in which it
// is submitted, which is one of the orders that CUDA allows; a stream that is
// being captured appends to a graph instead, and a graph is that list.
//
//   stream->Submit([=] { return Copy(to, from, bytes); });
//   stream->BeginCapture();
//   stream->Submit(kernel);             // not run
//   std::unique_ptr<Graph> graph = stream->EndCapture();
//   cudaError_t error = graph->Run();   // as often as one likes
#ifndef TILETUNE_TESTING_EMULATOR_RUNTIME_STREAM_H_
#define TILETUNE_TESTING_EMULATOR_RUNTIME_STREAM_H_

#include <driver_types.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace tiletune::emulator::runtime {

// One piece of device work.
using Work = std::function<cudaError_t()>;

struct Graph {
  std::vector<Work> works;

  // In order, up to the first that fails.
  cudaError_t Run() const {
    for (const Work& work : works) {
      const cudaError_t error = work();
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  }
};

class Stream {
 public:
  // Streams that wait for each other's events share one capture.
  struct Capture {
    Graph graph;
    const Stream* origin = nullptr;
  };

  cudaError_t Submit(Work work) {
    if (!is_capturing()) return work();
    capture_->graph.works.push_back(std::move(work));
    return cudaSuccess;
  }

  cudaError_t BeginCapture() {
    if (is_capturing()) return cudaErrorIllegalState;
    capture_ = std::make_shared<Capture>();
    capture_->origin = this;
    return cudaSuccess;
  }

  // Null when this stream did not begin a capture.
  std::unique_ptr<Graph> EndCapture() {
    if (capture_ == nullptr || capture_->origin != this) return nullptr;
    auto graph = std::make_unique<Graph>(std::move(capture_->graph));
    // Streams that joined see that their capture has ended.
    capture_->origin = nullptr;
    capture_ = nullptr;
    return graph;
  }

  bool is_capturing() {
    if (capture_ != nullptr && capture_->origin == nullptr) capture_ = nullptr;
    return capture_ != nullptr;
  }
  const std::shared_ptr<Capture>& capture() {
    is_capturing();
    return capture_;
  }
  void Join(const std::shared_ptr<Capture>& capture) { capture_ = capture; }

  unsigned flags = 0;
  int priority = 0;

 private:
  std::shared_ptr<Capture> capture_;
};

struct Event {
  bool recorded = false;
  double microseconds = 0;  // of the emulated clock, when recorded
  // The capture that it was last recorded in.
  std::weak_ptr<Stream::Capture> capture;
};

}  // namespace tiletune::emulator::runtime

#endif  // TILETUNE_TESTING_EMULATOR_RUNTIME_STREAM_H_
