#include "autotune/measure/paired_levels.h"

#include <cmath>
#include <random>
#include <vector>

#include "autotune/measure/noise.h"
#include "gtest/gtest.h"

namespace tiletune {
namespace {

// The second takes 1 % longer than the first, and so on; everyone takes up to
// `drift` longer in some rounds than in others, for five rounds at a time.
std::vector<std::vector<double>> Drifting(int contenders, int rounds,
                                          double drift, double noise) {
  std::mt19937 engine(7);
  std::normal_distribution<double> normal(0, noise);
  std::uniform_real_distribution<double> uniform(0, drift);
  std::vector<std::vector<double>> samples(contenders);
  double now = 0;
  for (int r = 0; r < rounds; ++r) {
    if (r % 5 == 0) now = uniform(engine);
    for (int c = 0; c < contenders; ++c) {
      samples[c].push_back(1000 * (1 + 0.01 * c) * (1 + now) *
                           (1 + normal(engine)));
    }
  }
  return samples;
}

TEST(PairedLevels, AreTheMediansWhereNothingDrifts) {
  const auto samples = Drifting(3, 40, 0, 0.001);
  const std::vector<Level> levels = PairedLevels(samples, 1);
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(levels[c].ns, 1000 * (1 + 0.01 * c), 0.6);
  }
}

TEST(PairedLevels, TellOnePercentApartUnderSixPercentOfDrift) {
  for (int contenders : {2, 3, 8}) {
    const std::vector<Level> levels =
        PairedLevels(Drifting(contenders, 20, 0.06, 0.002), 1);
    for (int c = 1; c < contenders; ++c) {
      EXPECT_NEAR(levels[c].ns / levels[c - 1].ns,
                  (1 + 0.01 * c) / (1 + 0.01 * (c - 1)), 0.003)
          << c << " of " << contenders;
    }
  }
}

TEST(PairedLevels, KnowHowMuchNoiseTheDriftLeaves) {
  for (int contenders : {2, 8}) {
    for (const Level& level :
         PairedLevels(Drifting(contenders, 900, 0.06, 0.01), 1)) {
      // 1.2533 * 1 % / sqrt(900)
      EXPECT_NEAR(level.noise, 0.000418, 0.00008);
    }
  }
}

TEST(PairedLevels, AContenderThatLeftIsComparedInItsOwnRounds) {
  auto samples = Drifting(3, 30, 0.06, 0.001);
  samples[2].resize(6);
  const std::vector<Level> levels = PairedLevels(samples, 1);
  EXPECT_NEAR(levels[2].ns / levels[0].ns, 1.02, 0.003);
}

// The clock falls by a tenth for good after 6 rounds, when most have left.
TEST(PairedLevels, WhoLeftBeforeTheClockFellDoesNotLookFast) {
  std::vector<std::vector<double>> samples = Drifting(7, 24, 0, 0.0005);
  for (auto& row : samples) {
    for (size_t r = 5; r < row.size(); ++r) row[r] *= 1.1;
  }
  for (int c = 2; c < 7; ++c) samples[c].resize(6);
  const std::vector<Level> levels = PairedLevels(samples, 1);
  for (int c = 1; c < 7; ++c) {
    EXPECT_NEAR(levels[c].ns / levels[0].ns, 1 + 0.01 * c, 0.003) << c;
  }
}

TEST(PairedLevels, RoundsOfOneAloneAreLeftOut) {
  std::vector<std::vector<double>> samples = Drifting(2, 30, 0, 0.0005);
  for (size_t r = 10; r < 30; ++r) samples[0][r] *= 1.1;
  samples[1].resize(10);
  const std::vector<Level> levels = PairedLevels(samples, 1);
  EXPECT_NEAR(levels[1].ns / levels[0].ns, 1.01, 0.002);
  EXPECT_NEAR(levels[0].ns, 1000, 2);
}

TEST(PairedLevels, AverageOverThePlacementsAndKnowTheirSpread) {
  // The second contender is 1 % slower, and up to 3 % more where it lies badly.
  std::vector<std::vector<double>> samples = Drifting(3, 30, 0.06, 0.0005);
  for (int r = 0; r < 30; ++r) samples[1][r] *= 1 + 0.015 * (r % 3);
  const std::vector<Level> levels = PairedLevels(samples, 3);
  EXPECT_NEAR(levels[1].ns / levels[0].ns, 1.01 * 1.015, 0.002);
  // A standard deviation of 1.5 %, over the root of 3.
  EXPECT_NEAR(levels[1].placement_noise, 0.0087, 0.001);
  EXPECT_LT(levels[0].placement_noise, 0.001);
  EXPECT_LT(levels[1].noise, 0.001);
}

TEST(PairedLevels, APlacementThatNotAllHaveMetSaysNothing) {
  std::vector<std::vector<double>> samples = Drifting(2, 2, 0, 0);
  samples[1].resize(1);
  const std::vector<Level> levels = PairedLevels(samples, 3);
  EXPECT_NEAR(levels[1].ns / levels[0].ns, 1.01, 1e-6);
}

TEST(PairedLevels, OneContenderAloneKeepsItsMedian) {
  const auto samples = Drifting(1, 9, 0.06, 0.001);
  const Level level = PairedLevels(samples, 1)[0];
  EXPECT_NEAR(level.ns, Median(samples[0]), 1e-6);
  EXPECT_NEAR(level.noise, RelativeNoise(samples[0]), 1e-6);
}

TEST(PairedLevels, WithoutSamplesThereIsNoLevel) {
  const std::vector<Level> levels = PairedLevels({{}, {5, 5}}, 1);
  EXPECT_EQ(levels[0].ns, 0);
  EXPECT_TRUE(std::isinf(levels[1].noise));
}

TEST(DifferenceNoise, AddsVariances) {
  EXPECT_DOUBLE_EQ(DifferenceNoise({1, 0.003, 0}, {1, 0.004, 0}), 0.005);
  EXPECT_DOUBLE_EQ(DifferenceNoise({1, 0, 0.003}, {1, 0.004, 0}), 0.005);
}

}  // namespace
}  // namespace tiletune
