// What contenders that were timed in turn take, with what drifted under them
// taken out: a power-capped GPU changes its clock by some percent every few
// tens of milliseconds, and whoever is on then would look slow.
//
//   // rounds[c][r]: what contender c took in round r, one after another
//   std::vector<Level> levels = PairedLevels(rounds, /*placements=*/1);
//   if (levels[0].ns < levels[1].ns * (1 - DifferenceNoise(levels[0],
//                                                          levels[1])))
//     puts("the first is faster");
//
// The model is log t(c, r) = level(c) + placement(c, r mod placements) +
// drift(r) + noise, fitted by median polish (Tukey, Exploratory Data Analysis,
// 1977, chapter 11): of two contenders, their levels differ by the median of
// their paired differences. Placements are operands elsewhere in memory: where
// they lie makes some kernels faster and others slower by up to some percent,
// and the next program that runs them will have others.
#ifndef TILETUNE_AUTOTUNE_MEASURE_PAIRED_LEVELS_H_
#define TILETUNE_AUTOTUNE_MEASURE_PAIRED_LEVELS_H_

#include <vector>

namespace tiletune {

struct Level {
  // At the drift of the median round, the geometric mean over the placements; 0
  // without samples.
  double ns = 0;
  // The standard error of log ns, as of RelativeNoise in noise.h, of what the
  // drift leaves. Infinite with fewer than 3 samples.
  double noise = 0;
  // The standard error of log ns that the placements add: their standard
  // deviation over the root of their count. 0 where there is one placement.
  double placement_noise = 0;
};

// A contender that left early has fewer rounds than the others: its samples
// are those of the first ones. Rounds that only one ran are left out, if others
// ran at all. All samples must be positive.
std::vector<Level> PairedLevels(const std::vector<std::vector<double>>& rounds,
                                int placements);

// The standard error of the relative difference of two levels.
double DifferenceNoise(const Level& x, const Level& y);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_MEASURE_PAIRED_LEVELS_H_
