// Contest: several ways to launch one problem, timed side by side.
//
//   auto samples = RunContest(contenders, {copies, /*rounds=*/15}, stream);
//   // (*samples)[i] belongs to contenders[i]
//
// Every round replays each contender's graph once, in turn, so that clocks and
// temperature are the same for all.
#ifndef TILETUNE_KERNELS_BENCHMARK_CONTEST_H_
#define TILETUNE_KERNELS_BENCHMARK_CONTEST_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kernels/benchmark/samples.h"
#include "kernels/gemm.h"
#include "kernels/launch_mode.h"
#include "kernels/timing/launch_timer.h"

namespace tiletune {

struct Contender {
  std::string name;
  LaunchTimer::Launch launch;
};

struct ContestOptions {
  int copies = 1;  // of the operands; each is used equally often
  int rounds = 15;
  double warm_up_seconds = 0.1;  // all contenders in turn, before round one
  LaunchMode mode = LaunchMode::kGraph;
};

// A rough time of each contender, in seconds: the lower of two samples of one
// pass over the copies. 0 for a contender that cannot launch.
std::vector<double> RoughTimes(const std::vector<Contender>& contenders,
                               int copies, GpuStream stream);

absl::StatusOr<std::vector<Samples>> RunContest(
    const std::vector<Contender>& contenders, const ContestOptions& options,
    GpuStream stream);

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_BENCHMARK_CONTEST_H_
