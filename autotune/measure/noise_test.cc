#include "autotune/measure/noise.h"

#include <cmath>
#include <random>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

std::vector<double> Normal(int count, double mean, double deviation,
                           unsigned seed = 1) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> distribution(mean, deviation);
  std::vector<double> samples(count);
  for (double& sample : samples) sample = distribution(engine);
  return samples;
}

TEST(Midmean, IsTheMeanOfTheMiddleHalf) {
  EXPECT_EQ(Midmean({}), 0);
  EXPECT_EQ(Midmean({7}), 7);
  EXPECT_EQ(Midmean({9, 7}), 8);
  EXPECT_EQ(Midmean({90, 1, 7}), 7);
  EXPECT_EQ(Midmean({90, 1, 7, 8}), 7.5);
  EXPECT_EQ(Midmean({90, 1, 3, 5, 2, 4, -80, 6}), 3.5);
}

TEST(Median, IsTheMiddleOrTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(Median({3, 1, 2}), 2);
  EXPECT_EQ(Median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(Median({}), 0);
}

TEST(Percentile, IsTheValueAtTheNearestRank) {
  const std::vector<double> values = {50, 10, 40, 20, 30};
  EXPECT_EQ(Percentile(values, 0), 10);
  EXPECT_EQ(Percentile(values, 12), 10);
  EXPECT_EQ(Percentile(values, 13), 20) << "from half a rank on";
  EXPECT_EQ(Percentile(values, 50), 30);
  EXPECT_EQ(Percentile(values, 95), 50);
  EXPECT_EQ(Percentile(values, 100), 50);
  EXPECT_EQ(Percentile({}, 50), 0);
}

TEST(RelativeNoise, IsTheStandardErrorOfTheMedian) {
  // sd 2 % of the mean, 400 samples: 1.2533 * 2 % / 20 = 0.125 %.
  EXPECT_NEAR(RelativeNoise(Normal(400, 1000, 20)), 0.00125, 0.0003);
}

TEST(RelativeNoise, IgnoresAFewOutliers) {
  std::vector<double> samples = Normal(100, 1000, 5);
  const double quiet = RelativeNoise(samples);
  for (int i = 0; i < 5; ++i) samples[i] = 50000;
  EXPECT_LT(RelativeNoise(samples), 2 * quiet);
}

TEST(RelativeNoise, IsUnknownForTooFewSamples) {
  EXPECT_TRUE(std::isinf(RelativeNoise({5, 5})));
}

}  // namespace
}  // namespace tiletune
