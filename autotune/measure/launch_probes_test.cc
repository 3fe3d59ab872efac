#include "autotune/measure/launch_probes.h"

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

class LaunchProbesTest : public ::testing::Test {
 protected:
  LaunchProbesTest() {
    problem_.m = problem_.n = problem_.k = 512;
    problem_ = Normalized(problem_);
    config_.variant = FindVariant("reference_naive");
  }

  // What a launch of the next look takes: the count of looks.
  absl::StatusOr<LaunchProbes::Probe> Ask() {
    return probes_.Of(problem_, policy_, config_,
                      [this] { return absl::StatusOr<double>(++looks_); });
  }

  LaunchProbes probes_;
  GemmProblem problem_;
  MeasurementPolicy policy_;
  GemmConfig config_;
  int looks_ = 0;
};

TEST_F(LaunchProbesTest, LooksOnce) {
  EXPECT_TRUE(Ask()->is_new);
  const LaunchProbes::Probe again = Ask().value();
  EXPECT_FALSE(again.is_new);
  EXPECT_EQ(again.seconds, 1);
  EXPECT_EQ(looks_, 1);
}

TEST_F(LaunchProbesTest, LooksAgainAtAnotherConfig) {
  ASSERT_TRUE(Ask().ok());
  config_.swizzle_offset = 2;
  EXPECT_EQ(Ask()->seconds, 2);
}

TEST_F(LaunchProbesTest, LooksAgainAtAnotherProblem) {
  ASSERT_TRUE(Ask().ok());
  problem_.k = 1024;
  problem_ = Normalized(problem_);
  EXPECT_EQ(Ask()->seconds, 2);
}

TEST_F(LaunchProbesTest, LooksAgainUnderOtherConditions) {
  ASSERT_TRUE(Ask().ok());
  policy_.busy_percent = 25;
  EXPECT_EQ(Ask()->seconds, 2);
}

TEST_F(LaunchProbesTest, DoesNotRememberAFailure) {
  const auto failed = probes_.Of(
      problem_, policy_, config_,
      []() -> absl::StatusOr<double> { return absl::InternalError("no"); });
  EXPECT_EQ(failed.status().message(), "no");
  EXPECT_TRUE(Ask()->is_new);
}

}  // namespace
}  // namespace tiletune
