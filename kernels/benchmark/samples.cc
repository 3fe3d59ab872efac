#include "kernels/benchmark/samples.h"

#include <algorithm>
#include <cmath>

namespace tiletune {
namespace {

// Linear between neighbours; `sorted` is not empty.
double Quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const size_t below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] +
         (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

std::vector<double> Sorted(const Samples& samples) {
  std::vector<double> sorted = samples.seconds;
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace

double Median(const Samples& samples) {
  if (samples.seconds.empty()) return 0;
  return Quantile(Sorted(samples), 0.5);
}

double Spread(const Samples& samples) {
  if (samples.seconds.size() < 4) return 0;
  const std::vector<double> sorted = Sorted(samples);
  const double median = Quantile(sorted, 0.5);
  return median > 0 ? (Quantile(sorted, 0.75) - Quantile(sorted, 0.25)) / median
                    : 0;
}

double GeometricMean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  double sum = 0;
  for (double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

}  // namespace tiletune
