// LaunchTimer: seconds per launch of anything that enqueues on a stream.
//
//   auto timer = LaunchTimer::Create(
//       [&](int64_t i, GpuStream s) { return LaunchGemm(..., args(i), s); },
//       {LaunchMode::kGraph, LaunchesPerReplay(copies, 20e-6)}, stream);
//   absl::StatusOr<double> seconds = (*timer)->Replay();   // one sample
//
// In graph mode the launches are captured once and replayed; the events that
// time them are nodes of the graph too, so host and graph launch cost nothing.
// Interleave candidates by calling Replay() of each in turn.
#ifndef TILETUNE_KERNELS_TIMING_LAUNCH_TIMER_H_
#define TILETUNE_KERNELS_TIMING_LAUNCH_TIMER_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernels/gemm.h"
#include "kernels/launch_mode.h"

struct CUevent_st;
struct CUgraphExec_st;

namespace tiletune {

struct TimerOptions {
  LaunchMode mode = LaunchMode::kGraph;
  int launches = 20;  // per sample
};

// Enough launches to use every copy once, and to take about `sample_seconds`
// (1 ms: the cost of the events, 1 us or so, is noise), within [copies, 1000
// or copies]. `seconds` is a rough time of one launch.
int LaunchesPerReplay(int copies, double seconds, double sample_seconds = 1e-3);

class LaunchTimer {
 public:
  // Enqueues launch `i` of a sample, 0 <= i < launches, on the stream.
  using Launch = std::function<absl::Status(int64_t i, GpuStream stream)>;

  // In graph mode captures all launches now; the stream must be capturable
  // (not the legacy default stream) and the operands must outlive the timer.
  static absl::StatusOr<std::unique_ptr<LaunchTimer>> Create(
      Launch launch, const TimerOptions& options, GpuStream stream);
  ~LaunchTimer();

  // One sample: seconds per launch, averaged over the launches. Waits for the
  // stream. A hung kernel hangs this: run it in a process with a deadline.
  absl::StatusOr<double> Replay();

  const TimerOptions& options() const { return options_; }

 private:
  LaunchTimer() = default;

  absl::Status EnqueueAll(unsigned event_flags);

  Launch launch_;
  TimerOptions options_;
  GpuStream stream_ = nullptr;
  CUevent_st* begin_ = nullptr;
  CUevent_st* end_ = nullptr;
  CUgraphExec_st* graph_ = nullptr;
};

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_TIMING_LAUNCH_TIMER_H_
