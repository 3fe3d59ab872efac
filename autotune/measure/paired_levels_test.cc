#include "autotune/measure/paired_levels.h"

#include <algorithm>
#include <cmath>
#include <numeric>
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

// As rounds take them: every second one runs backwards.
std::vector<Level> LevelsOf(const std::vector<std::vector<double>>& samples,
                            int placements) {
  const int contenders = static_cast<int>(samples.size());
  size_t rounds = 0;
  for (const auto& row : samples) rounds = std::max(rounds, row.size());
  std::vector<PairedSample> in_turn;
  for (size_t r = 0; r < rounds; ++r) {
    for (int i = 0; i < contenders; ++i) {
      const int c = r % 2 == 0 ? i : contenders - 1 - i;
      if (r >= samples[c].size()) continue;
      in_turn.push_back({c, static_cast<int>(r), samples[c][r]});
    }
  }
  return PairedLevels(in_turn, contenders, placements);
}

TEST(PairedLevels, AreTheMediansWhereNothingDrifts) {
  const auto samples = Drifting(3, 40, 0, 0.001);
  const std::vector<Level> levels = LevelsOf(samples, 1);
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(levels[c].ns, 1000 * (1 + 0.01 * c), 0.6);
  }
}

TEST(PairedLevels, TellOnePercentApartUnderSixPercentOfDrift) {
  for (int contenders : {2, 3, 8}) {
    const std::vector<Level> levels =
        LevelsOf(Drifting(contenders, 20, 0.06, 0.002), 1);
    for (int c = 1; c < contenders; ++c) {
      EXPECT_NEAR(levels[c].ns / levels[c - 1].ns,
                  (1 + 0.01 * c) / (1 + 0.01 * (c - 1)), 0.003)
          << c << " of " << contenders;
    }
  }
}

// A round of 36 kernels of 0.7 ms takes 50 ms, in which an H200 at its power
// limit changes its clock by percents.
TEST(PairedLevels, TakeOutADriftThatIsFasterThanARound) {
  std::mt19937 engine(7);
  std::normal_distribution<double> normal(0, 1);
  double now = 0;
  std::vector<int> order(36);
  std::iota(order.begin(), order.end(), 0);
  std::vector<PairedSample> samples;
  for (int r = 0; r < 8; ++r) {
    std::shuffle(order.begin(), order.end(), engine);
    for (int c : order) {
      now = 0.97 * now + 0.006 * normal(engine);  // 2.5 % in the long run
      samples.push_back({c, r, 700 * (1 + now) * (1 + 0.003 * normal(engine))});
    }
  }
  double mean = 0, squares = 0;
  const std::vector<Level> levels = PairedLevels(samples, 36, 1);
  for (const Level& level : levels) mean += level.ns / 36;
  for (const Level& level : levels) {
    squares += std::pow(level.ns / mean - 1, 2) / 36;
  }
  // With one drift for a round they are 0.43 % off.
  EXPECT_LT(std::sqrt(squares), 0.0035);
}

TEST(PairedLevels, KnowHowMuchNoiseTheDriftLeaves) {
  for (int contenders : {2, 8}) {
    for (const Level& level :
         LevelsOf(Drifting(contenders, 900, 0.06, 0.01), 1)) {
      // 1.2533 * 1 % / sqrt(900), and what the neighbours' noise adds: of two
      // contenders there are four.
      EXPECT_GE(level.noise, 0.00038);
      EXPECT_LE(level.noise, 0.00055);
    }
  }
}

TEST(PairedLevels, AContenderThatLeftIsComparedInItsOwnRounds) {
  auto samples = Drifting(3, 30, 0.06, 0.001);
  samples[2].resize(6);
  const std::vector<Level> levels = LevelsOf(samples, 1);
  EXPECT_NEAR(levels[2].ns / levels[0].ns, 1.02, 0.003);
}

// The clock falls by a tenth for good after 6 rounds, when most have left.
TEST(PairedLevels, WhoLeftBeforeTheClockFellDoesNotLookFast) {
  std::vector<std::vector<double>> samples = Drifting(7, 24, 0, 0.0005);
  for (auto& row : samples) {
    for (size_t r = 5; r < row.size(); ++r) row[r] *= 1.1;
  }
  for (int c = 2; c < 7; ++c) samples[c].resize(6);
  const std::vector<Level> levels = LevelsOf(samples, 1);
  for (int c = 1; c < 7; ++c) {
    EXPECT_NEAR(levels[c].ns / levels[0].ns, 1 + 0.01 * c, 0.003) << c;
  }
}

TEST(PairedLevels, RoundsOfOneAloneAreLeftOut) {
  std::vector<std::vector<double>> samples = Drifting(2, 30, 0, 0.0005);
  for (size_t r = 10; r < 30; ++r) samples[0][r] *= 1.1;
  samples[1].resize(10);
  const std::vector<Level> levels = LevelsOf(samples, 1);
  EXPECT_NEAR(levels[1].ns / levels[0].ns, 1.01, 0.002);
  EXPECT_NEAR(levels[0].ns, 1000, 2);
}

TEST(PairedLevels, AverageOverThePlacementsAndKnowTheirSpread) {
  // The second contender is 1 % slower, and up to 3 % more where it lies badly.
  std::vector<std::vector<double>> samples = Drifting(3, 30, 0.06, 0.0005);
  for (int r = 0; r < 30; ++r) samples[1][r] *= 1 + 0.015 * (r % 3);
  const std::vector<Level> levels = LevelsOf(samples, 3);
  EXPECT_NEAR(levels[1].ns / levels[0].ns, 1.01 * 1.015, 0.002);
  // A standard deviation of 1.5 %, over the root of 3.
  EXPECT_NEAR(levels[1].placement_noise, 0.0087, 0.001);
  EXPECT_LT(levels[0].placement_noise, 0.001);
  EXPECT_LT(levels[1].noise, 0.001);
}

TEST(PairedLevels, APlacementThatNotAllHaveMetSaysNothing) {
  std::vector<std::vector<double>> samples = Drifting(2, 2, 0, 0);
  samples[1].resize(1);
  const std::vector<Level> levels = LevelsOf(samples, 3);
  EXPECT_NEAR(levels[1].ns / levels[0].ns, 1.01, 1e-6);
}

TEST(PairedLevels, OneContenderAloneKeepsItsMidmean) {
  const auto samples = Drifting(1, 9, 0.06, 0.001);
  const Level level = LevelsOf(samples, 1)[0];
  EXPECT_NEAR(level.ns, Midmean(samples[0]), 0.1);
  EXPECT_NEAR(level.noise, RelativeNoise(samples[0]), 1e-5);
}

TEST(PairedLevels, WithoutSamplesThereIsNoLevel) {
  const std::vector<Level> levels = LevelsOf({{}, {5, 5}}, 1);
  EXPECT_EQ(levels[0].ns, 0);
  EXPECT_TRUE(std::isinf(levels[1].noise));
}

TEST(DifferenceNoise, AddsVariances) {
  EXPECT_DOUBLE_EQ(DifferenceNoise({1, 0.003, 0}, {1, 0.004, 0}), 0.005);
  EXPECT_DOUBLE_EQ(DifferenceNoise({1, 0, 0.003}, {1, 0.004, 0}), 0.005);
}

}  // namespace
}  // namespace tiletune
