// Candidates timed against one another: a few samples of each in turn, round
// after round, until each is settled. What drifts (clock, heat) hits all alike.
//
//   std::vector<Contender> contenders = {{config_a}, {config_b}};
//   RunRounds(bench, Stage::kFinal, {}, absl::InfiniteFuture(), &contenders);
//   if (contenders[0].trial.ok()) Use(contenders[0].trial.samples_ns);
#ifndef TILETUNE_AUTOTUNE_PAIRED_ROUNDS_H_
#define TILETUNE_AUTOTUNE_PAIRED_ROUNDS_H_

#include <functional>
#include <vector>

#include "absl/time/time.h"
#include "autotune/bench.h"
#include "autotune/noise.h"

namespace tiletune {

struct Contender {
  GemmConfig config;
  int instance = 0;  // see TimeRequest
  // Samples are appended; a contender that is not ok takes no part.
  Trial trial;
};

// How many of how many contenders are settled.
using RoundsProgress = std::function<void(int done, int of)>;

// Samples until every contender is Settled by `rule` or has failed; past
// `deadline` the least count of samples is enough. Each round starts with
// another contender.
void RunRounds(Bench* bench, Stage stage, const StopRule& rule,
               absl::Time deadline, std::vector<Contender>* contenders,
               const RoundsProgress& progress = nullptr);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_PAIRED_ROUNDS_H_
