#include "autotune/study/calibration.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "autotune/measure/noise.h"
#include "kernels/cost_model/cost_model.h"

namespace tiletune {
namespace {

// Errors up to this are squared.
constexpr double kLargeError = 0.15;
// Steps of the descent, as factors: from 1.3 down to 1.005.
constexpr double kFirstStep = 0.3;
constexpr double kLastStep = 0.005;
constexpr double kShrink = 0.6;
// A round that gains less than this shortens the step.
constexpr double kLeastGain = 1e-4;
constexpr size_t kShortlist = 8;

double Huber(double error) {
  const double e = std::fabs(error);
  return e < kLargeError ? e * e / (2 * kLargeError) : e - kLargeError / 2;
}

std::vector<double> Ranks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t place = 0; place < order.size(); ++place) {
    ranks[order[place]] = static_cast<double>(place);
  }
  return ranks;
}

// Spearman's rho of two lists of at least two values.
double RankCorrelation(const std::vector<double>& x,
                       const std::vector<double>& y) {
  const std::vector<double> rank_x = Ranks(x), rank_y = Ranks(y);
  const double n = static_cast<double>(x.size());
  double squares = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    squares += (rank_x[i] - rank_y[i]) * (rank_x[i] - rank_y[i]);
  }
  return 1 - 6 * squares / (n * (n * n - 1));
}

// Further stages first, then newer ones.
bool IsBetterEvidence(const Measurement& x, const Measurement& y) {
  return std::make_pair(x.stage == Stage::kFinal, x.recorded_at_us) >
         std::make_pair(y.stage == Stage::kFinal, y.recorded_at_us);
}

}  // namespace

std::vector<TimedProblem> TimedProblems(
    const std::vector<Measurement>& measurements) {
  std::map<std::string, std::map<std::string, const Measurement*>> chosen;
  for (const Measurement& m : measurements) {
    if (m.outcome != Outcome::kOk || m.median_ns <= 0) continue;
    const Measurement*& slot = chosen[ProblemKey(m.problem)][m.config.key];
    if (slot == nullptr || IsBetterEvidence(m, *slot)) slot = &m;
  }
  std::vector<TimedProblem> problems;
  for (const auto& [problem_key, configs] : chosen) {
    TimedProblem problem;
    for (const auto& [config_key, m] : configs) {
      problem.problem = Normalized(m->problem);
      const absl::StatusOr<GemmConfig> config = ParseConfig(config_key);
      if (!config.ok() || config->variant->architecture == Architecture::kAny) {
        continue;
      }
      problem.configs.push_back({*config, m->median_ns * 1e-9});
    }
    if (!problem.configs.empty()) problems.push_back(std::move(problem));
  }
  return problems;
}

Calibration::Calibration(const std::vector<TimedProblem>& problems,
                         const DeviceFacts& device)
    : device_(device) {
  for (const TimedProblem& problem : problems) {
    Problem counted;
    for (const TimedConfig& timed : problem.configs) {
      const std::optional<CostCounts> counts =
          CountCosts(problem.problem, timed.config, device);
      if (counts.has_value()) counted.push_back({*counts, timed.seconds});
    }
    if (!counted.empty()) problems_.push_back(std::move(counted));
  }
}

double Calibration::Predicted(const Counted& config,
                              const CostParameters& q) const {
  return Price(config.counts, device_, q).seconds;
}

double Calibration::Misfit(const std::vector<size_t>& problems,
                           const CostParameters& q) const {
  double sum = 0;
  for (const size_t index : problems) {
    const Problem& problem = problems_[index];
    double best = problem.front().seconds;
    for (const Counted& config : problem) best = std::min(best, config.seconds);
    double misfit = 0, weights = 0;
    for (const Counted& config : problem) {
      const double weight = std::pow(best / config.seconds, 2);
      misfit += weight * Huber(std::log(Predicted(config, q) / config.seconds));
      weights += weight;
    }
    sum += misfit / weights;
  }
  return sum / static_cast<double>(problems.size());
}

CostParameters Calibration::FitTo(const std::vector<size_t>& problems,
                                  const CostParameters& start) const {
  CostParameters best = start;
  if (problems.empty()) return best;
  double least = Misfit(problems, best);
  double step = kFirstStep;
  while (step > kLastStep) {
    const double before = least;
    for (const CostParameterField& field : CostParameterFields()) {
      for (const double factor : {1 + step, 1 / (1 + step)}) {
        // On and on in a direction that helps.
        while (true) {
          CostParameters next = best;
          next.*field.value =
              std::clamp(best.*field.value * factor, field.least, field.most);
          const double misfit = Misfit(problems, next);
          if (misfit >= least * (1 - 1e-9)) break;
          best = next;
          least = misfit;
        }
      }
    }
    if (before - least < kLeastGain) step *= kShrink;
  }
  return best;
}

CostParameters Calibration::Fit(const CostParameters& start) const {
  std::vector<size_t> all(problems_.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return FitTo(all, start);
}

ModelFit Calibration::FitOf(const CostParameters& parameters) const {
  return Summary(std::vector<CostParameters>(problems_.size(), parameters));
}

ModelFit Calibration::HeldOutFit(const CostParameters& start, int folds) const {
  std::vector<CostParameters> of_problem(problems_.size(), start);
  for (size_t fold = 0; fold < static_cast<size_t>(folds); ++fold) {
    std::vector<size_t> others;
    for (size_t i = 0; i < problems_.size(); ++i) {
      if (i % static_cast<size_t>(folds) != fold) others.push_back(i);
    }
    const CostParameters fitted = FitTo(others, start);
    for (size_t i = fold; i < problems_.size();
         i += static_cast<size_t>(folds)) {
      of_problem[i] = fitted;
    }
  }
  return Summary(of_problem);
}

ModelFit Calibration::Summary(
    const std::vector<CostParameters>& of_problem) const {
  ModelFit fit;
  std::vector<double> errors, correlations, losses, losses_of_8;
  for (size_t i = 0; i < problems_.size(); ++i) {
    std::vector<double> predicted, measured;
    for (const Counted& config : problems_[i]) {
      predicted.push_back(Predicted(config, of_problem[i]));
      measured.push_back(config.seconds);
      errors.push_back(std::fabs(std::log(predicted.back() / config.seconds)));
    }
    ++fit.problems;
    fit.configs += static_cast<int>(measured.size());
    if (measured.size() <= kShortlist) continue;
    correlations.push_back(RankCorrelation(predicted, measured));
    const double best = *std::min_element(measured.begin(), measured.end());
    const std::vector<double> places = Ranks(predicted);
    double first = best, of_8 = 0;
    for (size_t c = 0; c < measured.size(); ++c) {
      if (places[c] == 0) first = measured[c];
      if (places[c] >= kShortlist) continue;
      if (of_8 == 0 || measured[c] < of_8) of_8 = measured[c];
    }
    losses.push_back(first / best - 1);
    losses_of_8.push_back(of_8 / best - 1);
  }
  fit.median_error = Percentile(errors, 50);
  fit.p90_error = Percentile(errors, 90);
  fit.rank_correlation = Percentile(correlations, 50);
  fit.median_loss = Percentile(losses, 50);
  fit.p90_loss = Percentile(losses, 90);
  fit.median_loss_of_8 = Percentile(losses_of_8, 50);
  fit.p90_loss_of_8 = Percentile(losses_of_8, 90);
  fit.worst_loss_of_8 = Percentile(losses_of_8, 100);
  return fit;
}

}  // namespace tiletune
