#include "autotune/measure/noise.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace tiletune {

double Median(std::vector<double> samples) {
  if (samples.empty()) return 0;
  const size_t middle = samples.size() / 2;
  std::nth_element(samples.begin(), samples.begin() + middle, samples.end());
  const double upper = samples[middle];
  if (samples.size() % 2 == 1) return upper;
  const double lower =
      *std::max_element(samples.begin(), samples.begin() + middle);
  return (lower + upper) / 2;
}

double Midmean(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const size_t cut = (samples.size() + 1) / 4;
  double sum = 0;
  for (size_t i = cut; i + cut < samples.size(); ++i) sum += samples[i];
  return samples.empty() ? 0 : sum / (samples.size() - 2 * cut);
}

double Percentile(std::vector<double> values, int percent) {
  if (values.empty()) return 0;
  const size_t rank = ((values.size() - 1) * percent + 50) / 100;
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[rank];
}

double RelativeNoise(const std::vector<double>& samples) {
  const double median = Median(samples);
  if (samples.size() < 3 || median <= 0) {
    return std::numeric_limits<double>::infinity();
  }
  std::vector<double> deviations;
  deviations.reserve(samples.size());
  for (double sample : samples) deviations.push_back(std::abs(sample - median));
  const double deviation = 1.4826 * Median(deviations);
  return 1.2533 * deviation / std::sqrt(samples.size()) / median;
}

}  // namespace tiletune
