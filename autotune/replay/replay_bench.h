// A fake GPU whose configs take what a recorded sweep says they take, and that
// is as rough as rough_bench.h: a search that runs on it a hundred times says
// what one that runs on a GPU twice cannot.
//
//   auto record = SweepRecord::Read(*Store::Open("r.db.oracle", kReadOnly));
//   ReplayBench bench(&*record, /*process=*/1);
//   options.runnable = [&](const GemmConfig& c) { return bench.Knows(c); };
//   Search(&bench, &journal, options).Run(record->problems()[0], policy);
//   double seconds = bench.gpu_ns() * 1e-9;      // what that would have cost
#ifndef TILETUNE_AUTOTUNE_REPLAY_REPLAY_BENCH_H_
#define TILETUNE_AUTOTUNE_REPLAY_REPLAY_BENCH_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "autotune/store/store.h"
#include "autotune/study/rough_bench.h"
#include "kernels/device.h"
#include "kernels/problem.h"

namespace tiletune {

// DB.oracle of `autotune regret`: what all configs of some problems took.
class SweepRecord {
 public:
  // InvalidArgument if it holds measurements of no device, or of several.
  static absl::StatusOr<SweepRecord> Read(const Store& swept);

  const DeviceFacts& device() const { return device_; }
  const std::vector<GemmProblem>& problems() const { return problems_; }
  // By config key, in ns. A finalist of the sweep counts with what it took in
  // the final, at the clock of the screen.
  const std::map<std::string, double>& TimesOf(const GemmProblem& p) const;

 private:
  DeviceFacts device_;
  std::vector<GemmProblem> problems_;
  std::map<std::string, std::map<std::string, double>> times_;
};

class ReplayBench : public RoughBench {
 public:
  // `record` must outlive this object. Benches with other `process` numbers are
  // other runs on the same GPU.
  ReplayBench(const SweepRecord* record, uint64_t process)
      : RoughBench(/*silicon=*/0, process), record_(*record) {}

  Trial Prepare(const GemmProblem& problem,
                const MeasurementPolicy& policy) override;
  Trial Check(const GemmConfig& config, int repeats) override;
  Trial Time(const TimeRequest& request) override;
  double SteadyTime(const GemmConfig& config) const override;

  // Whether the sweep timed it; the problem must be prepared.
  bool Knows(const GemmConfig& config) const;
  // What the GPU would have been kept busy for, in ns: checks, samples, and
  // what a new timer costs (cuda_bench.cc). Fitted to two tunes on an H200.
  double gpu_ns() const { return gpu_ns_; }

 protected:
  double FastestTime(const GemmProblem& problem) const override;

 private:
  const SweepRecord& record_;
  const std::map<std::string, double>* times_ = nullptr;
  std::set<std::string> timers_;
  std::set<std::string> probed_;
  double gpu_ns_ = 0;
};

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_REPLAY_REPLAY_BENCH_H_
