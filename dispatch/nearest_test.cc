#include "dispatch/nearest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "dispatch/dispatch_testing.h"
#include "kernels/cost_model/cost_model.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

// The reference kernel: as a fallback, so slow that any neighbour passes.
GemmConfig Naive() {
  GemmConfig naive;
  naive.variant = FindVariant("reference_naive");
  return naive;
}

class NearestTest : public ::testing::Test {
 protected:
  std::optional<GemmConfig> Guess(const GemmProblem& asked) {
    const ChoiceTable table(entries_);
    return NearestIndex(table, device_).Guess(Normalized(asked), Naive());
  }

  void Tuned(const GemmProblem& problem, const GemmConfig& config,
             Why why = Why::kTuned) {
    entries_.push_back({Normalized(problem), {config, why, 0, 100}});
  }

  DeviceFacts device_ = TestDevice();
  std::vector<TableEntry> entries_;
};

TEST_F(NearestTest, TakesTheConfigOfANeighbour) {
  const GemmProblem tuned = TestProblem(4096, 4096, 4096);
  const GemmConfig config = LegalNonDefaults(tuned, device_, 1)[0];
  Tuned(tuned, config);
  std::optional<GemmConfig> guess = Guess(TestProblem(4096, 5120, 4096));
  ASSERT_TRUE(guess.has_value());
  EXPECT_TRUE(*guess == config);
}

// 112 tiles were tuned; 128 of the same kernel fill no launch clusters of 4,
// but would run without them.
TEST_F(NearestTest, ANeighbourInLaunchClustersIsOneWithoutThem) {
  device_ = *ModelledDevice("h200");
  const GemmProblem asked = TestProblem(16, 8192, 2048);
  for (const char* launch : {"", " g4"}) {
    entries_.clear();
    Tuned(TestProblem(16, 7168, 2048),
          *ParseConfig(std::string("sm90_16b_t64x16x256_c1x1_s5_coop_static "
                                   "o1zn k1") +
                       launch));
    const std::optional<GemmConfig> guess = Guess(asked);
    ASSERT_TRUE(guess.has_value()) << launch;
    EXPECT_EQ(ConfigKey(*guess),
              "sm90_16b_t64x16x256_c1x1_s5_coop_static o1zn k1");
  }
}

TEST_F(NearestTest, NothingIsGuessedFromFarAway) {
  const GemmProblem tuned = TestProblem(4096, 4096, 4096);
  Tuned(tuned, LegalNonDefaults(tuned, device_, 1)[0]);
  EXPECT_TRUE(Guess(TestProblem(8192, 4096, 4096)).has_value());
  EXPECT_FALSE(Guess(TestProblem(8200, 4096, 4096)).has_value());
  EXPECT_FALSE(Guess(TestProblem(6144, 6144, 8192)).has_value());
  EXPECT_FALSE(Guess(TestProblem(4096, 4096, 0)).has_value());
}

TEST_F(NearestTest, NothingIsGuessedFromAnotherFamily) {
  const GemmProblem tuned = TestProblem(4096, 4096, 4096);
  Tuned(tuned, LegalNonDefaults(tuned, device_, 1)[0]);
  const auto expect_no_guess = [&](auto change) {
    GemmProblem asked = TestProblem(4096, 4096, 4096);
    change(asked);
    EXPECT_FALSE(Guess(asked).has_value()) << ProblemKey(asked);
  };
  expect_no_guess([](GemmProblem& p) { p.d_type = DataType::kFp32; });
  expect_no_guess([](GemmProblem& p) { p.layout = Layout::kNN; });
  expect_no_guess([](GemmProblem& p) { p.epilogue.bias = Bias::kPerRow; });
  expect_no_guess([](GemmProblem& p) { p.batch = 2; });
  expect_no_guess([](GemmProblem& p) { p.pointer_alignment = 8; });
  expect_no_guess([](GemmProblem& p) { p.lda = 4098; });  // not 16 bytes
  GemmProblem padded = TestProblem(4096, 4096, 4096);
  padded.lda = 4104;  // another stride, as well aligned
  EXPECT_TRUE(Guess(padded).has_value());
}

TEST_F(NearestTest, OnlyWhatWasMeasuredIsANeighbour) {
  const GemmProblem tuned = TestProblem(4096, 4096, 4096);
  const GemmConfig config = LegalNonDefaults(tuned, device_, 1)[0];
  Tuned(tuned, config, Why::kPinned);
  EXPECT_FALSE(Guess(TestProblem(4096, 4096, 4160)).has_value());
  entries_.clear();
  Tuned(tuned, config, Why::kSystem);
  EXPECT_TRUE(Guess(TestProblem(4096, 4096, 4160)).has_value());
}

TEST_F(NearestTest, TheCostModelRanksTheNeighbours) {
  const GemmProblem asked = Normalized(TestProblem(4096, 4096, 4096));
  const std::vector<GemmConfig> configs = LegalNonDefaults(asked, device_, 6);
  double best = Predict(asked, configs[0], device_).seconds;
  for (const GemmConfig& config : configs) {
    // Each a little further away than the one before.
    const int64_t k = 4096 + 64 * static_cast<int64_t>(entries_.size() + 1);
    Tuned(TestProblem(4096, 4096, k), config);
    best = std::min(best, Predict(asked, config, device_).seconds);
  }
  std::optional<GemmConfig> guess = Guess(asked);
  ASSERT_TRUE(guess.has_value());
  EXPECT_EQ(Predict(asked, *guess, device_).seconds, best);
  std::reverse(entries_.begin(), entries_.end());
  EXPECT_TRUE(*Guess(asked) == *guess);
}

TEST_F(NearestTest, AConfigTheModelThinksLittleOfIsNotTaken) {
  const GemmProblem tuned = TestProblem(4096, 4096, 4096);
  const GemmConfig config = LegalNonDefaults(tuned, device_, 1)[0];
  Tuned(tuned, config);
  const ChoiceTable table(entries_);
  const NearestIndex index(table, device_);
  const GemmProblem asked = Normalized(TestProblem(4096, 4096, 4160));
  // Against a fallback that is as good as itself it passes; the reference
  // kernel as the neighbour's winner does not pass against it.
  EXPECT_TRUE(index.Guess(asked, config).has_value());
  const GemmConfig naive = Naive();
  entries_.clear();
  Tuned(tuned, naive);
  const ChoiceTable slow_table(entries_);
  const NearestIndex slow(slow_table, device_);
  ASSERT_GT(Predict(asked, naive, device_).seconds,
            NearestIndex::kMostPredictedLoss *
                Predict(asked, config, device_).seconds);
  EXPECT_FALSE(slow.Guess(asked, config).has_value());
}

TEST_F(NearestTest, AnIllegalConfigIsNotGuessed) {
  // As many slices as K has tiles; the neighbour with half of K has fewer.
  const GemmProblem tuned = TestProblem(4096, 4096, 4096);
  GemmConfig config = LegalNonDefaults(tuned, device_, 1)[0];
  config.split_k = static_cast<uint32_t>(4096 / config.variant->tile_k);
  ASSERT_TRUE(CheckLegal(Normalized(tuned), config, device_).ok());
  Tuned(tuned, config);
  EXPECT_TRUE(Guess(tuned).has_value());
  EXPECT_FALSE(Guess(TestProblem(4096, 4096, 2048)).has_value());
}

TEST(Distance, IsLogarithmic) {
  const GemmProblem x = TestProblem(100, 100, 100);
  EXPECT_DOUBLE_EQ(Distance(x, TestProblem(200, 100, 100)), 1);
  EXPECT_DOUBLE_EQ(Distance(x, TestProblem(50, 100, 400)), std::sqrt(5.0));
  EXPECT_DOUBLE_EQ(Distance(x, x), 0);
}

}  // namespace
}  // namespace tiletune
