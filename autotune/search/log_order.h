// In which order the problems of a log are tuned.
//
//   LaunchCounts launches;
//   std::vector<GemmProblem> problems = *ProblemsOf(options, &launches);
//   for (const GemmProblem& p : MostTimeFirst(problems, launches, device))
//     Tune(p);  // where most of the GPU's time went, as far as one can tell
#ifndef TILETUNE_AUTOTUNE_SEARCH_LOG_ORDER_H_
#define TILETUNE_AUTOTUNE_SEARCH_LOG_ORDER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernels/device.h"
#include "kernels/problem.h"

namespace tiletune {

// Those first that took the device longest in all: launches (by ProblemKey) x
// what the cost model says of the default config, which is what ran as nobody
// had tuned. FLOPs would not do: one row of 4096x4096 has as few as 64 of
// 512x512, and takes longer. Problems of no launches come last, as they stand.
std::vector<GemmProblem> MostTimeFirst(
    const std::vector<GemmProblem>& problems,
    const std::map<std::string, int64_t>& launches, const DeviceFacts& device);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_SEARCH_LOG_ORDER_H_
