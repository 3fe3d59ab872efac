#include "autotune/paired_levels.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "autotune/noise.h"

namespace tiletune {
namespace {

// The polish moves little after the second.
constexpr int kIterations = 4;

using Matrix = std::vector<std::vector<double>>;

// The drift of each round: what its samples exceed their levels by. Nothing
// tells the drift of a round with one contender from its noise.
std::vector<double> DriftOf(const Matrix& logs,
                            const std::vector<double>& levels) {
  std::vector<double> drift;
  for (size_t r = 0;; ++r) {
    std::vector<double> excess;
    for (size_t c = 0; c < logs.size(); ++c) {
      if (r < logs[c].size()) excess.push_back(logs[c][r] - levels[c]);
    }
    if (excess.empty()) break;
    drift.push_back(excess.size() == 1 ? 0 : Median(std::move(excess)));
  }
  const double middle = Median(drift);
  for (double& d : drift) d -= middle;
  return drift;
}

std::vector<double> Without(const std::vector<double>& drift,
                            const std::vector<double>& logs) {
  std::vector<double> left(logs);
  for (size_t r = 0; r < left.size(); ++r) left[r] -= drift[r];
  return left;
}

// The drift is fitted to the same samples, so residuals are too small: of k
// contenders in a round, each lends 1 / k of its noise to the drift.
double Widening(const Matrix& logs, size_t rounds) {
  const size_t k = std::count_if(
      logs.begin(), logs.end(),
      [&](const std::vector<double>& l) { return l.size() >= rounds; });
  return k < 2 ? 1 : std::sqrt(k / (k - 1.0));
}

}  // namespace

std::vector<Level> PairedLevels(
    const std::vector<std::vector<double>>& rounds) {
  Matrix logs(rounds);
  for (std::vector<double>& row : logs) {
    for (double& sample : row) sample = std::log(sample);
  }
  std::vector<double> levels;
  for (const std::vector<double>& row : logs) levels.push_back(Median(row));
  std::vector<double> drift;
  for (int i = 0; i < kIterations; ++i) {
    drift = DriftOf(logs, levels);
    for (size_t c = 0; c < logs.size(); ++c) {
      levels[c] = Median(Without(drift, logs[c]));
    }
  }
  std::vector<Level> result(rounds.size());
  for (size_t c = 0; c < rounds.size(); ++c) {
    Level& level = result[c];
    level.noise = std::numeric_limits<double>::infinity();
    if (rounds[c].empty()) continue;
    level.ns = std::exp(levels[c]);
    std::vector<double> corrected = Without(drift, logs[c]);
    for (double& sample : corrected) sample = std::exp(sample);
    level.noise = RelativeNoise(corrected) * Widening(logs, rounds[c].size());
  }
  return result;
}

double DifferenceNoise(const Level& x, const Level& y) {
  return std::sqrt(x.noise * x.noise + y.noise * y.noise);
}

}  // namespace tiletune
