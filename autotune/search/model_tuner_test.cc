#include "autotune/search/model_tuner.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "autotune/store/store_testing.h"
#include "gtest/gtest.h"

namespace tiletune {
namespace {

class ModelTunerTest : public ::testing::Test {
 protected:
  ModelTunerTest()
      : store_(
            Store::Open(folder_.File("x.db"), Store::Mode::kReadWrite).value()),
        b200_(ModelledDevice("b200").value()) {}

  TemporaryFolder folder_;
  std::unique_ptr<Store> store_;
  DeviceFacts b200_;
};

TEST_F(ModelTunerTest, StoresPredictionsAndNoMeasurements) {
  const auto row = PredictWinner(TestProblem(), b200_, "*", store_.get());
  ASSERT_TRUE(row.ok()) << row.status();
  EXPECT_GT(row->predicted_ns, 0);
  EXPECT_TRUE(store_->Winners({})->empty());
  EXPECT_TRUE(store_->Measurements({})->empty());
  const auto stored = store_->PredictedWinners({});
  ASSERT_TRUE(stored.ok());
  ASSERT_EQ(stored->size(), 1u);
  EXPECT_EQ(stored->front().config, row->config);
  EXPECT_EQ(stored->front().device, b200_.Fingerprint());
}

TEST_F(ModelTunerTest, TheBestIsNoSlowerThanTheDefault) {
  const auto row = PredictWinner(TestProblem(), b200_, "*", store_.get());
  ASSERT_TRUE(row.ok()) << row.status();
  ASSERT_TRUE(row->default_ns.has_value());
  EXPECT_LE(row->predicted_ns, *row->default_ns);
}

TEST_F(ModelTunerTest, TheDefaultIsStoredHoweverSlow) {
  ASSERT_TRUE(
      PredictWinner(TestProblem(4096, 4096), b200_, "*", store_.get()).ok());
  const auto stored = store_->Predictions({});
  ASSERT_TRUE(stored.ok());
  EXPECT_EQ(std::count_if(stored->begin(), stored->end(),
                          [](const Prediction& p) { return p.is_default; }),
            1);
}

TEST_F(ModelTunerTest, OnlyKernelsWithSuchNamesAreRanked) {
  const std::string glob = "sm100_16b_128x*_static";
  const auto row = PredictWinner(TestProblem(), b200_, glob, store_.get());
  ASSERT_TRUE(row.ok()) << row.status();
  EXPECT_EQ(row->config.rfind("sm100_16b_128x", 0), 0u) << row->config;
  EXPECT_TRUE(row->default_ns.has_value());
  for (const char* none : {"nope*", "sm90*"}) {
    const auto refused =
        PredictWinner(TestProblem(), b200_, none, store_.get());
    EXPECT_TRUE(absl::IsNotFound(refused.status())) << none;
    EXPECT_NE(refused.status().message().find(none), absl::string_view::npos);
  }
}

// Beside 128x128 at tensor cores the naive kernel is predicted to be fast.
TEST_F(ModelTunerTest, TheBestOfFewKernelsIsNotStored) {
  const GemmProblem small = TestProblem(128, 128, 128);
  for (const bool is_first : {true, false}) {
    const auto few =
        PredictWinner(small, b200_, "reference_naive", store_.get());
    ASSERT_TRUE(few.ok()) << few.status();
    EXPECT_EQ(few->config.rfind("reference_naive", 0), 0u) << few->config;
    EXPECT_EQ(store_->Predictions({})->empty(), is_first);
    const auto all = PredictWinner(small, b200_, "*", store_.get());
    ASSERT_TRUE(all.ok()) << all.status();
    EXPECT_EQ(store_->PredictedWinners({})->front().config, all->config);
  }
  EXPECT_NE(store_->PredictedWinners({})->front().config.rfind("ref", 0), 0u);
}

TEST_F(ModelTunerTest, TheBestOfEachKernelIsStored) {
  ASSERT_TRUE(
      PredictWinner(TestProblem(4096, 7168, 2048), b200_, "*", store_.get())
          .ok());
  std::set<std::string> kernels;
  const std::vector<Prediction> stored = *store_->Predictions({});
  for (const Prediction& p : stored) {
    if (p.is_default) continue;
    EXPECT_TRUE(kernels.insert(p.config.variant).second) << p.config.key;
  }
  EXPECT_GE(kernels.size(), kStoredPredictions - 1);
}

TEST_F(ModelTunerTest, RepeatingItChangesNothing) {
  const auto one = PredictWinner(TestProblem(), b200_, "*", store_.get());
  const size_t rows = store_->Predictions({})->size();
  const auto two = PredictWinner(TestProblem(), b200_, "*", store_.get());
  EXPECT_EQ(one->config, two->config);
  EXPECT_EQ(store_->Predictions({})->size(), rows);
}

}  // namespace
}  // namespace tiletune
