// A bench in a worker process. A candidate that hangs, crashes or corrupts the
// device context costs that process; the next call starts a new one.
//
//   RemoteBench bench({"/proc/self/exe", "worker", "--device=cuda:0"}, {});
//   bench.Prepare(problem, policy);
//   Trial t = bench.Check(config, 1);
//   // t.outcome == Outcome::kTimeout, "no answer in 10s": it hung
#ifndef TILETUNE_AUTOTUNE_WORKER_REMOTE_BENCH_H_
#define TILETUNE_AUTOTUNE_WORKER_REMOTE_BENCH_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "autotune/measure/bench.h"
#include "autotune/worker/child_process.h"
#include "autotune/worker/protocol.h"

namespace tiletune {

// Not thread-safe. This process never touches the device.
class RemoteBench : public Bench {
 public:
  struct Limits {
    absl::Duration start = absl::Seconds(120);    // and Devices()
    absl::Duration prepare = absl::Seconds(120);  // operands and reference
    absl::Duration trial = absl::Seconds(10);     // one Check or Time
  };

  RemoteBench(std::vector<std::string> command, Limits limits);

  absl::StatusOr<std::vector<BenchDevice>> Devices() override;
  Trial Prepare(const GemmProblem& problem,
                const MeasurementPolicy& policy) override;
  Trial Check(const GemmConfig& config, int repeats) override;
  Trial Time(const TimeRequest& request) override;

  // Worker processes started so far: 1 without faults.
  int starts() const { return starts_; }

 private:
  // Asks the worker, started if need be. Its end is a kCrashed or kTimeout.
  Reply Ask(const Request& request, absl::Duration limit);
  // Asks a worker that is sure to have prepared the current problem.
  Trial AskPrepared(const Request& request);

  const std::vector<std::string> command_;
  const Limits limits_;
  std::unique_ptr<ChildProcess> child_;
  std::optional<Request> problem_;  // the last Prepare
  bool prepared_ = false;           // child_ has it
  int starts_ = 0;
};

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_WORKER_REMOTE_BENCH_H_
