#include "autotune/measure/paired_levels.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "autotune/measure/noise.h"

namespace tiletune {
namespace {

// The polish moves little after the second.
constexpr int kIterations = 4;

using Matrix = std::vector<std::vector<double>>;

// How many rounds at least two contenders ran; all of them if there is one.
size_t SharedRounds(const Matrix& rounds) {
  std::vector<size_t> counts;
  for (const std::vector<double>& row : rounds) counts.push_back(row.size());
  std::sort(counts.rbegin(), counts.rend());
  if (counts.empty()) return 0;
  return counts.size() > 1 && counts[1] > 0 ? counts[1] : counts[0];
}

// One placement: levels (of logs) and what is left of each sample.
struct Fit {
  std::vector<double> levels;
  Matrix residuals;
};

// The drift of each round: what those who ran all rounds exceed their levels
// by. Those who left early have no say: theirs are levels of another time, and
// a polish over both has more than one fixed point.
std::vector<double> DriftOf(const Matrix& logs,
                            const std::vector<double>& levels, size_t rounds) {
  std::vector<double> drift;
  for (size_t r = 0; r < rounds; ++r) {
    std::vector<double> excess;
    for (size_t c = 0; c < logs.size(); ++c) {
      if (logs[c].size() == rounds) excess.push_back(logs[c][r] - levels[c]);
    }
    // Nothing tells the drift of a contender alone from its noise.
    drift.push_back(excess.size() < 2 ? 0 : Median(std::move(excess)));
  }
  const double middle = Median(drift);
  for (double& d : drift) d -= middle;
  return drift;
}

Fit Polish(const Matrix& logs) {
  const size_t rounds = SharedRounds(logs);
  Fit fit;
  for (const std::vector<double>& row : logs) {
    fit.levels.push_back(Median(row));
  }
  fit.residuals = logs;
  for (int i = 0; i < kIterations; ++i) {
    const std::vector<double> drift = DriftOf(logs, fit.levels, rounds);
    for (size_t c = 0; c < logs.size(); ++c) {
      std::vector<double> left(logs[c]);
      for (size_t r = 0; r < left.size(); ++r) left[r] -= drift[r];
      fit.levels[c] = Median(left);
      for (double& sample : left) sample -= fit.levels[c];
      fit.residuals[c] = std::move(left);
    }
  }
  return fit;
}

// The drift is fitted to the same samples, so residuals are too small: of k
// contenders in a round, each lends 1 / k of its noise to the drift.
double Widening(const Matrix& logs) {
  const size_t rounds = SharedRounds(logs);
  const size_t k = std::count_if(
      logs.begin(), logs.end(),
      [&](const std::vector<double>& l) { return l.size() == rounds; });
  return k < 2 ? 1 : std::sqrt(k / (k - 1.0));
}

// The placements' noise of each contender: the larger of its own and of all of
// them together, as few placements say little. `fits` are of contenders that
// are all in each of them.
std::vector<double> PlacementNoise(const std::vector<Fit>& fits) {
  const size_t count = fits[0].levels.size();
  const double placements = static_cast<double>(fits.size());
  std::vector<double> sums(count, 0.0);  // of squares
  std::vector<double> means(count, 0.0);
  std::vector<double> shared;  // what a placement's moment adds to all
  for (const Fit& fit : fits) {
    for (size_t c = 0; c < count; ++c) means[c] += fit.levels[c] / placements;
  }
  for (const Fit& fit : fits) {
    std::vector<double> excess;
    for (size_t c = 0; c < count; ++c) {
      excess.push_back(fit.levels[c] - means[c]);
    }
    const double common = Median(excess);
    for (size_t c = 0; c < count; ++c) {
      sums[c] += (excess[c] - common) * (excess[c] - common);
    }
  }
  const double together = Median(sums);
  std::vector<double> noise;
  for (double sum : sums) {
    const double variance = std::max(sum, together) / (placements - 1);
    noise.push_back(std::sqrt(variance / placements));
  }
  return noise;
}

}  // namespace

std::vector<Level> PairedLevels(const std::vector<std::vector<double>>& rounds,
                                int placements) {
  const size_t count = rounds.size();
  Matrix logs(rounds);
  const size_t shared = SharedRounds(rounds);
  for (std::vector<double>& row : logs) {
    row.resize(std::min(row.size(), shared));
    for (double& sample : row) sample = std::log(sample);
  }
  // Who has no sample takes no part.
  std::vector<size_t> in;
  for (size_t c = 0; c < count; ++c) {
    if (!logs[c].empty()) in.push_back(c);
  }
  std::vector<Fit> fits;
  for (int p = 0; p < placements; ++p) {
    Matrix part;
    bool whole = !in.empty();
    for (size_t c : in) {
      part.emplace_back();
      for (size_t r = p; r < logs[c].size(); r += placements) {
        part.back().push_back(logs[c][r]);
      }
      whole = whole && !part.back().empty();
    }
    // Before everyone has met a placement it says nothing.
    if (whole) fits.push_back(Polish(part));
  }
  std::vector<Level> result(count);
  for (Level& level : result) {
    level.noise = std::numeric_limits<double>::infinity();
  }
  if (fits.empty()) return result;
  const std::vector<double> placement_noise =
      fits.size() > 1 ? PlacementNoise(fits)
                      : std::vector<double>(in.size(), 0.0);
  const double widening = Widening(logs);
  for (size_t i = 0; i < in.size(); ++i) {
    double mean = 0;
    std::vector<double> corrected;
    for (const Fit& fit : fits) {
      mean += fit.levels[i] / static_cast<double>(fits.size());
      for (double residual : fit.residuals[i]) {
        corrected.push_back(std::exp(residual));
      }
    }
    Level& level = result[in[i]];
    level.ns = std::exp(mean);
    level.noise = RelativeNoise(corrected) * widening;
    level.placement_noise = placement_noise[i];
  }
  return result;
}

double DifferenceNoise(const Level& x, const Level& y) {
  return std::sqrt(x.noise * x.noise + y.noise * y.noise +
                   x.placement_noise * x.placement_noise +
                   y.placement_noise * y.placement_noise);
}

}  // namespace tiletune
