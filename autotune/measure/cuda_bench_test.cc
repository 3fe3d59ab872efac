// The bench on a real GPU. Skipped without one, unless TILETUNE_REQUIRE_GPU.
#include "autotune/measure/cuda_bench.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

#include "autotune/measure/noise.h"
#include "gtest/gtest.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

class CudaBenchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<std::unique_ptr<Bench>> bench = OpenCudaBench("cuda:0");
    if (!bench.ok()) {
      ASSERT_EQ(std::getenv("TILETUNE_REQUIRE_GPU"), nullptr) << bench.status();
      GTEST_SKIP() << bench.status();
    }
    bench_ = *std::move(bench);
    config_.variant = FindVariant("reference_naive");
  }

  static GemmProblem Problem(int64_t m, int64_t n, int64_t k) {
    GemmProblem p;
    p.m = m;
    p.n = n;
    p.k = k;
    return Normalized(p);
  }

  double TimeOf(const GemmProblem& problem, const MeasurementPolicy& policy) {
    EXPECT_TRUE(bench_->Prepare(problem, policy).ok());
    const Trial trial = bench_->Time({config_, Stage::kScreen, 0, 10});
    EXPECT_TRUE(trial.ok()) << trial.detail;
    return Median(trial.samples_ns);
  }

  std::unique_ptr<Bench> bench_;
  GemmConfig config_;
};

TEST_F(CudaBenchTest, NamesItsDevice) {
  const auto devices = bench_->Devices();
  ASSERT_TRUE(devices.ok()) << devices.status();
  ASSERT_EQ(devices->size(), 1u);
  EXPECT_FALSE(devices->front().facts.modelled);
  EXPECT_FALSE(devices->front().lock_name.empty());
  const auto all = (*OpenCudaBench("auto"))->Devices();
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(all->front().lock_name, devices->front().lock_name);
}

TEST_F(CudaBenchTest, ChecksAndTimesEveryKindOfProblem) {
  std::vector<GemmProblem> problems = {Problem(64, 128, 256),
                                       Problem(1, 17, 33), Problem(16, 16, 0)};
  problems.push_back(Problem(64, 64, 64));
  problems.back().epilogue.reads_c = true;
  problems.back().epilogue.bias = Bias::kPerColumn;
  problems.push_back(Problem(64, 64, 64));
  problems.back().batch = 3;
  problems.back().layout = Layout::kNT;
  for (const GemmProblem& p : problems) {
    const GemmProblem problem = Normalized(p);
    const Trial prepared = bench_->Prepare(problem, {});
    ASSERT_TRUE(prepared.ok()) << ProblemKey(problem) << prepared.detail;
    const Trial checked = bench_->Check(config_, 2);
    EXPECT_TRUE(checked.ok()) << ProblemKey(problem) << checked.detail;
    const Trial timed = bench_->Time({config_, Stage::kScreen, 0, 5});
    EXPECT_TRUE(timed.ok()) << ProblemKey(problem) << timed.detail;
    EXPECT_EQ(timed.samples_ns.size(), 5u);
    for (double ns : timed.samples_ns) EXPECT_GT(ns, 100);
  }
}

TEST_F(CudaBenchTest, TimesUnderEveryPolicy) {
  const GemmProblem problem = Problem(256, 256, 256);
  for (LaunchMode launch : {LaunchMode::kGraph, LaunchMode::kStream}) {
    for (L2State l2 : {L2State::kCold, L2State::kWarm}) {
      for (int busy : {0, 12, 25}) {
        EXPECT_GT(TimeOf(problem, {l2, launch, busy}), 100);
      }
    }
  }
}

// The same kernel over the same work, with a quarter of the SMs gone.
TEST_F(CudaBenchTest, ACoTenantTakesItsSms) {
  const GemmProblem problem = Problem(2048, 2048, 512);
  MeasurementPolicy busy;
  // The reference kernel waits for memory: it hardly misses a quarter of the
  // SMs, but it misses three quarters. Slower than the SMs explain means that
  // the co-tenant takes more than SMs.
  busy.busy_percent = 75;
  const double alone = TimeOf(problem, {});
  const double shared = TimeOf(problem, busy);
  EXPECT_GT(shared, 1.5 * alone);
  EXPECT_LT(shared, 6 * alone);
}

TEST_F(CudaBenchTest, RepeatsItself) {
  const GemmProblem problem = Problem(1024, 1024, 512);
  const double once = TimeOf(problem, {});
  const double again = TimeOf(problem, {});
  EXPECT_LT(std::abs(once / again - 1), 0.03);
}

TEST_F(CudaBenchTest, RefusesWhatWasNotPrepared) {
  EXPECT_EQ(bench_->Check(config_, 1).outcome, Outcome::kRefused);
  EXPECT_EQ(bench_->Time({config_, Stage::kScreen, 0, 1}).outcome,
            Outcome::kRefused);
}

TEST(OpenCudaBench, RefusesOtherNames) {
  EXPECT_FALSE(OpenCudaBench("cuda").ok());
  EXPECT_FALSE(OpenCudaBench("cuda:x").ok());
  EXPECT_FALSE(OpenCudaBench("hip:0").ok());
}

}  // namespace
}  // namespace tiletune
