#include "autotune/measure/paired_levels.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "autotune/measure/noise.h"

namespace tiletune {
namespace {

// The fits move little after the second.
constexpr int kIterations = 4;
// So many neighbours on either side tell the drift of a sample. Fewer are
// noisier, and to more the clock was another (docs/results/tuner_h200.md). A
// round of no more contenders is short enough to have one drift.
constexpr size_t kReach = 6;
// Of a placement with fewer samples the spread is not known.
constexpr size_t kLeastOfAPlacement = 3;

// The samples in logs, and what is fitted to them.
class Fit {
 public:
  Fit(const std::vector<PairedSample>& samples, int contenders)
      : levels_(contenders, 0), of_(contenders) {
    const int rounds = SharedRounds(samples, contenders);
    runs_in_.assign(rounds, 0);
    for (const PairedSample& s : samples) {
      if (s.round >= rounds) continue;
      of_[s.contender].push_back(samples_.size());
      samples_.push_back(s);
      samples_.back().ns = std::log(s.ns);
      ++runs_in_[s.round];
    }
    drift_.assign(samples_.size(), 0);
    SetLevels();
    // Nothing tells the drift of a contender alone from its noise.
    if (std::count_if(of_.begin(), of_.end(),
                      [](const auto& of) { return !of.empty(); }) < 2) {
      return;
    }
    for (int i = 0; i < kIterations; ++i) SetDrift(DriftOfRounds());
    for (int i = 0; i < kIterations; ++i) SetDrift(DriftOfNeighbours());
  }

  // Indices of samples, in their order.
  const std::vector<size_t>& Of(int contender) const { return of_[contender]; }
  int RoundOf(size_t i) const { return samples_[i].round; }
  double level(int contender) const { return levels_[contender]; }
  // The drift of a short round is fitted to its own samples, so residuals are
  // too small: of k contenders each lends 1 / k of its noise to the drift.
  double Widening() const {
    const double k = runs_in_.empty() ? 0 : runs_in_.back();
    return k < 2 || k > kReach ? 1 : std::sqrt(k / (k - 1));
  }
  // What neither level nor drift explains.
  double Residual(size_t i) const { return Excess(i) - drift_[i]; }

 private:
  // How many rounds at least two contenders ran; all of them if there is one.
  static int SharedRounds(const std::vector<PairedSample>& samples,
                          int contenders) {
    std::vector<int> counts(contenders, 0);
    for (const PairedSample& s : samples) {
      counts[s.contender] = std::max(counts[s.contender], s.round + 1);
    }
    std::sort(counts.rbegin(), counts.rend());
    if (counts.empty()) return 0;
    return counts.size() > 1 && counts[1] > 0 ? counts[1] : counts[0];
  }

  double Excess(size_t i) const {
    return samples_[i].ns - levels_[samples_[i].contender];
  }

  void SetLevels() {
    for (size_t c = 0; c < of_.size(); ++c) {
      std::vector<double> left;
      for (size_t i : of_[c]) left.push_back(samples_[i].ns - drift_[i]);
      levels_[c] = Midmean(std::move(left));
    }
  }

  void SetDrift(std::vector<double> drift) {
    const double middle = Median(drift);
    for (double& d : drift) d -= middle;
    drift_ = std::move(drift);
    SetLevels();
  }

  // The same for a whole round: what those who ran all rounds exceed their
  // levels by. Those who left early have no say: theirs are levels of another
  // time, and a fit to all has more than one fixed point.
  std::vector<double> DriftOfRounds() const {
    std::vector<std::vector<double>> excess(runs_in_.size());
    for (const std::vector<size_t>& of : of_) {
      if (of.size() < runs_in_.size()) continue;
      for (size_t i : of) excess[samples_[i].round].push_back(Excess(i));
    }
    std::vector<double> drift;
    for (const PairedSample& s : samples_) {
      drift.push_back(Median(excess[s.round]));
    }
    return drift;
  }

  std::vector<double> DriftOfNeighbours() const {
    std::vector<double> drift = DriftOfRounds();
    for (size_t i = 0; i < samples_.size(); ++i) {
      if (runs_in_[samples_[i].round] <= kReach) continue;
      const size_t first = i < kReach ? 0 : i - kReach;
      const size_t last = std::min(samples_.size() - 1, i + kReach);
      std::vector<double> excess;
      for (size_t j = first; j <= last; ++j) {
        if (j != i) excess.push_back(Excess(j));
      }
      drift[i] = Median(std::move(excess));
    }
    return drift;
  }

  std::vector<PairedSample> samples_;  // `ns` is its log
  std::vector<double> drift_;          // of each sample
  std::vector<double> levels_;         // of each contender, of logs
  std::vector<std::vector<size_t>> of_;
  std::vector<size_t> runs_in_;  // how many samples a round has
};

// What a contender's samples exceed its level by, by placement.
std::vector<std::vector<double>> ByPlacement(const Fit& fit, int contender,
                                             int placements) {
  std::vector<std::vector<double>> parts(placements);
  for (size_t i : fit.Of(contender)) {
    parts[fit.RoundOf(i) % placements].push_back(fit.Residual(i));
  }
  return parts;
}

double NoiseOf(const std::vector<std::vector<double>>& parts) {
  const bool are_known = std::all_of(
      parts.begin(), parts.end(),
      [](const auto& part) { return part.size() >= kLeastOfAPlacement; });
  std::vector<double> left;
  for (const std::vector<double>& part : parts) {
    const double middle = are_known ? Median(part) : 0;
    for (double residual : part) left.push_back(std::exp(residual - middle));
  }
  return RelativeNoise(left);
}

// The placements' noise of each contender in `in`: the larger of its own and
// of all of them together, as few placements say little. Placements that not
// all have met are left out.
std::vector<double> PlacementNoise(
    const std::vector<std::vector<std::vector<double>>>& in, int placements) {
  std::vector<std::vector<double>> middles(in.size());
  for (int p = 0; p < placements; ++p) {
    const bool all_met = std::all_of(
        in.begin(), in.end(), [p](const auto& x) { return !x[p].empty(); });
    if (!all_met) continue;
    std::vector<double> middle;
    for (const auto& parts : in) middle.push_back(Median(parts[p]));
    const double common = Median(middle);
    for (size_t c = 0; c < in.size(); ++c) {
      middles[c].push_back(middle[c] - common);
    }
  }
  if (in.empty() || middles[0].size() < 2) {
    return std::vector<double>(in.size(), 0.0);
  }
  const double met = static_cast<double>(middles[0].size());
  std::vector<double> sums;  // of squares
  for (const std::vector<double>& middle : middles) {
    double mean = 0, sum = 0;
    for (double m : middle) mean += m / met;
    for (double m : middle) sum += (m - mean) * (m - mean);
    sums.push_back(sum);
  }
  const double together = Median(sums);
  std::vector<double> noise;
  for (double sum : sums) {
    noise.push_back(std::sqrt(std::max(sum, together) / (met - 1) / met));
  }
  return noise;
}

}  // namespace

std::vector<Level> PairedLevels(const std::vector<PairedSample>& samples,
                                int contenders, int placements) {
  const Fit fit(samples, contenders);
  std::vector<Level> levels(contenders);
  std::vector<int> in;
  std::vector<std::vector<std::vector<double>>> parts;
  for (int c = 0; c < contenders; ++c) {
    levels[c].noise = std::numeric_limits<double>::infinity();
    if (fit.Of(c).empty()) continue;
    in.push_back(c);
    parts.push_back(ByPlacement(fit, c, placements));
  }
  const std::vector<double> placement_noise = PlacementNoise(parts, placements);
  for (size_t i = 0; i < in.size(); ++i) {
    Level& level = levels[in[i]];
    level.ns = std::exp(fit.level(in[i]));
    level.noise = NoiseOf(parts[i]) * fit.Widening();
    level.placement_noise = placement_noise[i];
  }
  return levels;
}

double DifferenceNoise(const Level& x, const Level& y) {
  return std::sqrt(x.noise * x.noise + y.noise * y.noise +
                   x.placement_noise * x.placement_noise +
                   y.placement_noise * y.placement_noise);
}

}  // namespace tiletune
