#include "kernels/benchmark/samples.h"

#include "gtest/gtest.h"

namespace tiletune {
namespace {

TEST(Samples, MedianIsBetweenTheMiddleTwo) {
  EXPECT_EQ(Median({"", {}}), 0);
  EXPECT_EQ(Median({"", {3, 1, 2}}), 2);
  EXPECT_EQ(Median({"", {4, 1, 2, 3}}), 2.5);
}

TEST(Samples, SpreadIgnoresOneOutlier) {
  EXPECT_EQ(Spread({"", {1, 1, 1, 1, 1, 100}}), 0);
  EXPECT_EQ(Spread({"", {1, 2, 3, 4, 5}}), 2.0 / 3);
}

TEST(GeometricMean, OfARatioAndItsInverseIsOne) {
  EXPECT_NEAR(GeometricMean({0.5, 2}), 1, 1e-15);
  EXPECT_EQ(GeometricMean({}), 0);
}

}  // namespace
}  // namespace tiletune
