// What the samples of one contender say.
//
//   Samples s = {"ours", seconds_of_each_round};
//   printf("%.2f us, spread %.1f %%\n", Median(s) * 1e6, 100 * Spread(s));
#ifndef TILETUNE_KERNELS_BENCHMARK_SAMPLES_H_
#define TILETUNE_KERNELS_BENCHMARK_SAMPLES_H_

#include <string>
#include <vector>

namespace tiletune {

struct Samples {
  std::string name;
  std::vector<double> seconds;  // per launch, one a round
};

// 0 without samples.
double Median(const Samples& samples);
// The interquartile range over the median; 0 with fewer than 4 samples.
double Spread(const Samples& samples);
// exp of the mean of logs; 0 for none. All values must be positive.
double GeometricMean(const std::vector<double>& values);

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_BENCHMARK_SAMPLES_H_
