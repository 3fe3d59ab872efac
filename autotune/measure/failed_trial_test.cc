#include "autotune/measure/failed_trial.h"

#include "gtest/gtest.h"

namespace tiletune {
namespace {

Outcome OutcomeOf(absl::StatusCode code) {
  const Trial trial = FailedTrial(absl::Status(code, "why"));
  EXPECT_EQ(trial.detail, "why");
  EXPECT_TRUE(trial.samples_ns.empty());
  return trial.outcome;
}

// Nothing of these bars a config.
TEST(FailedTrial, WhatWasRefusedDidNotFitOrLostItsCoTenantIsNoFault) {
  EXPECT_EQ(OutcomeOf(absl::StatusCode::kResourceExhausted),
            Outcome::kOutOfMemory);
  EXPECT_EQ(OutcomeOf(absl::StatusCode::kDeadlineExceeded), Outcome::kUnstable);
  for (absl::StatusCode code :
       {absl::StatusCode::kInvalidArgument,
        absl::StatusCode::kFailedPrecondition, absl::StatusCode::kUnimplemented,
        absl::StatusCode::kNotFound}) {
    EXPECT_EQ(OutcomeOf(code), Outcome::kRefused);
  }
}

TEST(FailedTrial, OtherBitsAreWrongAndTheRestIsACrash) {
  EXPECT_EQ(OutcomeOf(absl::StatusCode::kDataLoss), Outcome::kWrong);
  EXPECT_EQ(OutcomeOf(absl::StatusCode::kInternal), Outcome::kCrashed);
  EXPECT_EQ(OutcomeOf(absl::StatusCode::kUnknown), Outcome::kCrashed);
}

}  // namespace
}  // namespace tiletune
