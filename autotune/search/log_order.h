// In which order the problems of a log are tuned.
//
//   LaunchCounts launches;
//   std::vector<GemmProblem> problems = *ProblemsOf(options, &launches);
//   for (const GemmProblem& p : MostTimeFirst(problems, launches, device))
//     Tune(p);  // where most of the GPU's time went, as far as one can tell
#ifndef TILETUNE_AUTOTUNE_SEARCH_LOG_ORDER_H_
#define TILETUNE_AUTOTUNE_SEARCH_LOG_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernels/device.h"
#include "kernels/problem.h"

namespace tiletune {

// The model takes a fraction of a millisecond for a problem of few waves and up
// to ten for one of thousands, and a log may have any number: so long as for so
// many of the former.
inline constexpr size_t kMostPredicted = 1000;

// Those first that took the device longest in all: launches (by ProblemKey) x
// what the cost model says of the default config, which is what ran as nobody
// had tuned. Of more than `most_predicted` problems, or fewer large ones, those
// behind are ordered by the least time that their bytes and FLOPs take.
// Problems of no launches come last, as they stand.
std::vector<GemmProblem> MostTimeFirst(
    const std::vector<GemmProblem>& problems,
    const std::map<std::string, int64_t>& launches, const DeviceFacts& device,
    size_t most_predicted = kMostPredicted);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_SEARCH_LOG_ORDER_H_
