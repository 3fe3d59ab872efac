#include "autotune/measure/sample_guard.h"

#include "gtest/gtest.h"

namespace tiletune {
namespace {

NvmlState State(int32_t clock, uint64_t reasons) {
  NvmlState state;
  state.sm_clock_mhz = clock;
  state.throttle_reasons = reasons;
  return state;
}

TEST(Judge, DiscardsWhatHeatOrTheHardwareSlowedDown) {
  for (uint64_t reason : {kThrottleHardwareSlowdown, kThrottleThermalSoftware,
                          kThrottleThermalHardware, kThrottlePowerBrake}) {
    EXPECT_EQ(Judge(State(1980, reason), 1980), Verdict::kSlowedDown);
    EXPECT_EQ(Judge(State(1980, reason | kThrottlePowerCap), 1980),
              Verdict::kSlowedDown);
  }
}

TEST(Judge, DiscardsUnderThreeQuartersOfTheUsualClock) {
  EXPECT_EQ(Judge(State(1484, 0), 1980), Verdict::kSlowedDown);
  EXPECT_EQ(Judge(State(1485, 0), 1980), Verdict::kGood);
}

TEST(Judge, APowerCapIsAConditionAndNoFault) {
  EXPECT_EQ(Judge(State(1200, kThrottlePowerCap), 1980), Verdict::kGood);
}

TEST(Judge, WhatIsUnknownIsGood) {
  EXPECT_EQ(Judge(State(0, 0), 1980), Verdict::kGood);
  EXPECT_EQ(Judge(State(300, 0), 0), Verdict::kGood);
}

}  // namespace
}  // namespace tiletune
