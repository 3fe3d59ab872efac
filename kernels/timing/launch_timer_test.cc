#include "kernels/timing/launch_timer.h"

#include "gtest/gtest.h"

namespace tiletune {
namespace {

TEST(LaunchesPerReplay, UsesEveryCopyEquallyOften) {
  for (int copies : {1, 2, 7, 25, 1024}) {
    for (double seconds : {1e-6, 20e-6, 1e-3, 1.0}) {
      const int launches = LaunchesPerReplay(copies, seconds);
      EXPECT_GE(launches, copies);
      EXPECT_EQ(launches % copies, 0);
    }
  }
}

TEST(LaunchesPerReplay, FillsAboutAMillisecond) {
  EXPECT_NEAR(LaunchesPerReplay(1, 20e-6), 50, 1);
  EXPECT_NEAR(LaunchesPerReplay(7, 20e-6), 50, 7);
  EXPECT_EQ(LaunchesPerReplay(1, 10e-3), 1);
  EXPECT_LE(LaunchesPerReplay(1, 1e-9), 1000);
  EXPECT_NEAR(LaunchesPerReplay(1, 20e-6, 0.3e-3), 15, 1);
}

}  // namespace
}  // namespace tiletune
