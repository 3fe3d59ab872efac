// Fits the cost model's parameters to measurements, and says how well they fit.
//
//   Calibration calibration(TimedProblems(measurements), device);
//   ModelFit before = calibration.FitOf(ParametersOf(device));
//   CostParameters fitted = calibration.Fit(ParametersOf(device));
//   ModelFit honest = calibration.HeldOutFit(ParametersOf(device), 4);
//   printf("%.1f %%\n", 100 * honest.median_error);
//
// What is minimised is the error of the logarithm, mean over the configs of a
// problem and then over problems: quadratic up to 15 % and linear beyond, so
// that no freak decides; a config that is twice as slow as its problem's best
// counts a quarter, because a ranking is made at its top. The method is descent
// along one parameter at a time, by factors, until nothing helps.
#ifndef TILETUNE_AUTOTUNE_STUDY_CALIBRATION_H_
#define TILETUNE_AUTOTUNE_STUDY_CALIBRATION_H_

#include <vector>

#include "autotune/store/measurement.h"
#include "kernels/config.h"
#include "kernels/cost_model/cost_counts.h"
#include "kernels/cost_model/cost_parameters.h"
#include "kernels/device.h"
#include "kernels/problem.h"

namespace tiletune {

struct TimedConfig {
  GemmConfig config;
  double seconds = 0;
};

struct TimedProblem {
  GemmProblem problem;
  std::vector<TimedConfig> configs;
};

// Of each problem and config the newest good measurement of the furthest stage,
// in the order of their keys. Of any build: a parameter outlives a kernel's
// polish. Configs that this program does not know, and the reference kernel,
// are left out. The measurements must be of one device and one policy.
std::vector<TimedProblem> TimedProblems(
    const std::vector<Measurement>& measurements);

// Losses and errors are fractions: 0.01 is 1 %.
struct ModelFit {
  int problems = 0;
  int configs = 0;
  double median_error = 0, p90_error = 0;  // of |log(predicted / measured)|
  // Of problems with more than 8 configs:
  double rank_correlation = 0;  // Spearman's, median
  // How much slower than the best measured config the model's first choice is,
  // and the best of its first 8.
  double median_loss = 0, p90_loss = 0;
  double median_loss_of_8 = 0, p90_loss_of_8 = 0, worst_loss_of_8 = 0;
};

class Calibration {
 public:
  Calibration(const std::vector<TimedProblem>& problems,
              const DeviceFacts& device);

  // Parameters that no measurement depends on stay as they are in `start`.
  CostParameters Fit(const CostParameters& start) const;
  ModelFit FitOf(const CostParameters& parameters) const;
  // Every problem is predicted by parameters that were fitted without it: by
  // those of the other folds. 2 <= folds.
  ModelFit HeldOutFit(const CostParameters& start, int folds) const;

  size_t problems() const { return problems_.size(); }

 private:
  struct Counted {
    CostCounts counts;
    double seconds;
  };
  using Problem = std::vector<Counted>;

  double Predicted(const Counted& config, const CostParameters& q) const;
  double Misfit(const std::vector<size_t>& problems,
                const CostParameters& q) const;
  CostParameters FitTo(const std::vector<size_t>& problems,
                       const CostParameters& start) const;
  ModelFit Summary(const std::vector<CostParameters>& of_problem) const;

  const DeviceFacts device_;
  std::vector<Problem> problems_;
};

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STUDY_CALIBRATION_H_
