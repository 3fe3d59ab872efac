#include "autotune/study/calibration.h"

#include <cmath>

#include "gtest/gtest.h"
#include "kernels/cost_model/cost_model.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

GemmProblem Problem(int64_t m, int64_t n, int64_t k) {
  GemmProblem p;
  p.m = m;
  p.n = n;
  p.k = k;
  return Normalized(p);
}

// What a device would measure whose truth is the model with `truth`.
std::vector<TimedProblem> MeasuredWith(const CostParameters& truth,
                                       const DeviceFacts& device) {
  std::vector<TimedProblem> problems;
  for (const auto& [m, n, k] :
       {std::make_tuple(16, 4096, 4096), std::make_tuple(64, 7168, 2048),
        std::make_tuple(512, 512, 512), std::make_tuple(1024, 1024, 1024),
        std::make_tuple(2048, 2048, 2048), std::make_tuple(4096, 4096, 1024),
        std::make_tuple(4096, 7168, 2048), std::make_tuple(128, 128, 16384),
        std::make_tuple(8192, 1024, 4096)}) {
    TimedProblem timed{Problem(m, n, k), {}};
    const std::vector<GemmConfig> legal =
        LegalConfigs(timed.problem, device, {});
    for (size_t i = 0; i < legal.size(); i += 1 + legal.size() / 40) {
      timed.configs.push_back(
          {legal[i], Predict(timed.problem, legal[i], device, truth).seconds});
    }
    problems.push_back(timed);
  }
  return problems;
}

class CalibrationTest : public ::testing::Test {
 protected:
  CalibrationTest()
      : device_(*ModelledDevice("h200")), truth_(ParametersOf(device_)) {
    truth_.launch *= 1.7;
    truth_.mainloop_efficiency *= 0.8;
    truth_.dram_efficiency *= 0.8;
    truth_.epilogue_fixed *= 1.5;
  }

  const DeviceFacts device_;
  CostParameters truth_;
};

TEST_F(CalibrationTest, FindsTheParametersBehindTheTimes) {
  const Calibration calibration(MeasuredWith(truth_, device_), device_);
  const CostParameters& start = ParametersOf(device_);
  const ModelFit before = calibration.FitOf(start);
  ASSERT_GT(before.median_error, 0.05);
  const CostParameters fitted = calibration.Fit(start);
  const ModelFit after = calibration.FitOf(fitted);
  EXPECT_LT(after.median_error, 0.01);
  EXPECT_LT(after.p90_error, 0.03);
  EXPECT_NEAR(fitted.dram_efficiency, truth_.dram_efficiency,
              0.03 * truth_.dram_efficiency);
  EXPECT_EQ(fitted.clc_latency, start.clc_latency);  // nothing depends on it
}

TEST_F(CalibrationTest, TheTruthItselfFitsPerfectly) {
  const Calibration calibration(MeasuredWith(truth_, device_), device_);
  const ModelFit fit = calibration.FitOf(truth_);
  EXPECT_EQ(fit.problems, 9);
  EXPECT_LT(fit.p90_error, 1e-12);
  EXPECT_DOUBLE_EQ(fit.rank_correlation, 1);
  EXPECT_EQ(fit.median_loss, 0);
  EXPECT_EQ(fit.worst_loss_of_8, 0);
}

// Times without any law: what was fitted to other problems cannot know them.
TEST_F(CalibrationTest, HeldOutProblemsDoNotBetrayTheirTimes) {
  std::vector<TimedProblem> problems = MeasuredWith(truth_, device_);
  double factor = 1;
  for (TimedProblem& problem : problems) {
    factor = factor == 1 ? 3 : 1;
    for (TimedConfig& config : problem.configs) config.seconds *= factor;
  }
  const Calibration calibration(problems, device_);
  const CostParameters& start = ParametersOf(device_);
  EXPECT_GT(calibration.HeldOutFit(start, 9).median_error,
            calibration.FitOf(calibration.Fit(start)).median_error);
}

TEST(TimedProblems, KeepsTheBestEvidenceOfEachConfig) {
  const DeviceFacts device = *ModelledDevice("h200");
  Measurement m;
  m.problem = Problem(4096, 4096, 4096);
  const std::vector<GemmConfig> legal = LegalConfigs(m.problem, device, {});
  ASSERT_GE(legal.size(), 2u);
  m.config = RecordOf(legal[0]);
  m.stage = Stage::kFinal;
  m.median_ns = 100;
  m.recorded_at_us = 1;
  Measurement screened = m;
  screened.stage = Stage::kScreen;
  screened.median_ns = 200;
  screened.recorded_at_us = 2;
  Measurement wrong = m;
  wrong.outcome = Outcome::kWrong;
  wrong.median_ns = 50;
  wrong.recorded_at_us = 3;
  Measurement other = m;
  other.config = RecordOf(legal[1]);
  other.median_ns = 300;
  Measurement unknown = m;
  unknown.config.key = "sm90_of_another_age o1zn k1";
  const std::vector<TimedProblem> timed =
      TimedProblems({m, screened, wrong, other, unknown});
  ASSERT_EQ(timed.size(), 1u);
  ASSERT_EQ(timed[0].configs.size(), 2u);
  double sum = 0;
  for (const TimedConfig& c : timed[0].configs) sum += c.seconds;
  EXPECT_NEAR(sum, 400e-9, 1e-15);
}

}  // namespace
}  // namespace tiletune
