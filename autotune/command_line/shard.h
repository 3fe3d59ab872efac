// Which problems each of several GPUs tunes: shares that cost about the same.
//
//   std::vector<GemmProblem> mine = ShardOf(all, /*shard=*/0, /*shards=*/8);
//   // every process computes the same shares from the same list
#ifndef TILETUNE_AUTOTUNE_COMMAND_LINE_SHARD_H_
#define TILETUNE_AUTOTUNE_COMMAND_LINE_SHARD_H_

#include <vector>

#include "kernels/problem.h"

namespace tiletune {

// Seconds that tuning a problem takes on a GPU like an H200, roughly: a fixed
// part, the reference at 2.5 TFLOP/s and some 500 launches at 650 TFLOP/s
// (docs/results/tuner_h200.md). Only ratios matter.
double TuningSeconds(const GemmProblem& problem);

// The `shard`-th of `shards` shares of `problems`, in their order: the dearest
// problem first, each goes to the share that costs least so far (Graham's LPT
// rule: the dearest share is at most 4/3 of the best possible one).
std::vector<GemmProblem> ShardOf(const std::vector<GemmProblem>& problems,
                                 int shard, int shards);

// The same problems, those first that take longest to tune. At its power limit
// a GPU's clock depends on what ran shortly before: so large problems follow
// large ones, whichever of them are in the list.
std::vector<GemmProblem> DearestFirst(std::vector<GemmProblem> problems);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_COMMAND_LINE_SHARD_H_
