// Candidates timed against one another: one sample of each in turn, round
// after round, until their levels are known. What drifts (clock, heat) hits all
// alike, and paired_levels.h takes it out.
//
//   std::vector<Contender> contenders = {{config_a}, {config_b}};
//   RunRounds(bench, Stage::kFinal, {}, absl::InfiniteFuture(), &contenders);
//   if (contenders[0].trial.ok()) Use(contenders[0].level.ns);
#ifndef TILETUNE_AUTOTUNE_MEASURE_PAIRED_ROUNDS_H_
#define TILETUNE_AUTOTUNE_MEASURE_PAIRED_ROUNDS_H_

#include <functional>
#include <vector>

#include "absl/time/time.h"
#include "autotune/measure/bench.h"
#include "autotune/measure/paired_levels.h"

namespace tiletune {

struct Contender {
  GemmConfig config;
  int instance = 0;  // see TimeRequest
  // Samples are appended; a contender that is not ok takes no part.
  Trial trial;
  Level level;         // set by RunRounds
  bool stays = false;  // to the end, however slow
  // Of those that tie, the lowest is wanted: see RoundsRule::cuts.
  int preference = 0;
};

// Where the noise that a run can see says less: what the difference of two
// kernels changes by, from one process to the next, in 19 of 20 pairs
// (docs/results/tuner_h200.md).
inline constexpr double kLeastTieWidth = 0.009;
// However noisy: what costs more is no tie.
inline constexpr double kMostTieWidth = 0.015;

// How much slower than the fastest each contender may be and still not be told
// apart from it: twice the noise of their difference, and at least `self`, by
// which a config and its twin (another instance of it) differed in this run;
// between kLeastTieWidth and kMostTieWidth. 0.01 is 1 %.
std::vector<double> TieWidths(const std::vector<Contender>& contenders,
                              double self);

struct RoundsRule {
  int least_rounds = 10;
  int most_rounds = 200;
  double noise = 0.001;  // stop when every Level::noise is this or less
  // Stop, too, where twice as many rounds did not bring the worst noise below
  // this share of what it was: more of them will not help either.
  double plateau = 0.9;
  // Stop, too, when the samples took so long in all: long kernels are dear.
  // The rounds are then at least `fewest_rounds`.
  double most_ns = 400e6;
  int fewest_rounds = 6;
  // A contender leaves when it is slower than the fastest by more than this
  // and by more than four times the noise of the difference; 0: nobody does.
  double hopeless = 0.01;
  // After so many rounds, so many stay at most: half of them the fastest, the
  // others the first by preference among those that may yet tie with it.
  struct Cut {
    int rounds;
    int left;
  };
  std::vector<Cut> cuts;
  // Rounds before the first, whose samples nobody keeps, until they took so
  // long in all; 0: none. A GPU that rested takes some tens of milliseconds to
  // come down to the clock that its power limit sustains: the fall hits some
  // contenders and not others, and above it others are the fastest than below.
  double warm_up_ns = 0;
  // Operands elsewhere in memory, one round each in turn (paired_levels.h).
  int placements = 1;
};

// How many rounds of at most how many are done.
using RoundsProgress = std::function<void(int done, int of)>;

// Past `deadline`, of SteadyNow(), the least count of rounds is enough. Every
// second round takes the contenders in an order of its own, drawn by lot, and
// the one after it in the reverse, so that what follows whom averages out, and
// a steady drift favours nobody.
void RunRounds(Bench* bench, Stage stage, const RoundsRule& rule,
               absl::Time deadline, std::vector<Contender>* contenders,
               const RoundsProgress& progress = nullptr);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_MEASURE_PAIRED_ROUNDS_H_
