// What contenders that were timed in turn take, with what drifted under them
// taken out: a power-capped GPU changes its clock by some percent every few
// tens of milliseconds, and whoever is on then would look slow.
//
//   // who took what in which round, in the order of time
//   std::vector<PairedSample> samples = {{0, 0, 5e3}, {1, 0, 6e3}, ...};
//   std::vector<Level> levels = PairedLevels(samples, 2, /*placements=*/1);
//   if (levels[0].ns < levels[1].ns * (1 - DifferenceNoise(levels[0],
//                                                          levels[1])))
//     puts("the first is faster");
//
// The model is log t = level(contender) + drift(time) + noise. A round of many
// contenders takes as long as the clock takes to change, so the drift is not a
// round's: that of a sample is the median of what its neighbours in time exceed
// their own contenders' levels by. A level is the midmean of what its samples
// exceed their drifts by. Both are fitted in turn, as by median polish (Tukey,
// Exploratory Data Analysis, 1977, chapter 11). Whoever has the same neighbours
// in each round shares their errors: let each round have another order.
// Placements are operands elsewhere in memory: where they lie makes some
// kernels faster and others slower by up to some percent, and the next program
// that runs them will have others.
#ifndef TILETUNE_AUTOTUNE_MEASURE_PAIRED_LEVELS_H_
#define TILETUNE_AUTOTUNE_MEASURE_PAIRED_LEVELS_H_

#include <vector>

namespace tiletune {

struct PairedSample {
  int contender;
  int round;  // its placement is this modulo their count
  double ns;
};

struct Level {
  double ns = 0;  // at the drift of the median sample; 0 without samples
  // The standard error of log ns, as of RelativeNoise in noise.h, of what the
  // drift leaves. Infinite with fewer than 3 samples.
  double noise = 0;
  // The standard error of log ns that the placements add: their standard
  // deviation over the root of their count. 0 where there is one placement.
  double placement_noise = 0;
};

// One level for each of `contenders`; who has no sample takes no part. Rounds
// that only one ran are left out, if others ran at all. Samples are in the
// order of time, and positive.
std::vector<Level> PairedLevels(const std::vector<PairedSample>& samples,
                                int contenders, int placements);

// The standard error of the relative difference of two levels.
double DifferenceNoise(const Level& x, const Level& y);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_MEASURE_PAIRED_LEVELS_H_
