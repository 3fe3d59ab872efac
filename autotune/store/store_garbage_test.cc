// What can no longer win, counted and dropped.
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "autotune/store/store.h"
#include "autotune/store/store_testing.h"

namespace tiletune {
namespace {

class GarbageTest : public ::testing::Test {
 protected:
  // One of an older build, one stale, one that is neither; and predictions of
  // the first and the last.
  void SetUp() override {
    auto opened = Store::Open(folder_.File("x.db"), Store::Mode::kReadWrite);
    ASSERT_TRUE(opened.ok()) << opened.status();
    store_ = *std::move(opened);
    Measurement old = MeasuredAt(1, TestConfig("v", "static", "old"));
    old.recorded_at_us = 1;
    Measurement stale = MeasuredAt(2, TestConfig("w"));
    stale.uid = "stale";
    const Measurement good = MeasuredAt(3, TestConfig("v", "static", "new"));
    for (const Measurement& m : {old, stale, good}) {
      ASSERT_TRUE(store_->RecordMeasurement(m).ok());
    }
    for (const Measurement& m : {old, good}) {
      Prediction p;
      p.problem = TestProblem(1);
      p.config = m.config;
      p.device = TestDevice();
      p.model = "m";
      p.predicted_ns = 1;
      p.recorded_at_us = m.recorded_at_us;
      ASSERT_TRUE(store_->RecordPrediction(p).ok());
    }
    ASSERT_TRUE(store_->MarkMeasurement("stale", Mark::kStale, "").ok());
  }

  size_t Measurements() { return store_->Measurements({})->size(); }
  size_t Predictions() { return store_->Predictions({})->size(); }

  TemporaryFolder folder_;
  std::unique_ptr<Store> store_;
};

TEST_F(GarbageTest, StaleRowsGoAndOtherBuildsStay) {
  EXPECT_EQ(*store_->StaleMeasurements(), 1);
  EXPECT_EQ(*store_->CollectGarbage({}), 1);
  EXPECT_EQ(*store_->StaleMeasurements(), 0);
  EXPECT_TRUE(store_->Marks()->empty());
  EXPECT_EQ(Measurements(), 2u);
  EXPECT_EQ(Predictions(), 2u);
  EXPECT_EQ(store_->OtherBuilds({})->measurements, 1);
}

TEST_F(GarbageTest, OtherBuildsGoWhereTheyAreNamed) {
  EXPECT_EQ(*store_->CollectGarbage({/*other_builds=*/true}), 2);
  ASSERT_EQ(Measurements(), 1u);
  EXPECT_EQ(store_->Measurements({})->front().config.build, "new");
  ASSERT_EQ(Predictions(), 1u);
  EXPECT_EQ(store_->Predictions({})->front().config.build, "new");
}

TEST_F(GarbageTest, OtherBuildsAreCountedAsTheFilterSays) {
  const auto count = [this](const Filter& filter) {
    const RowCounts counts = *store_->OtherBuilds(filter);
    return std::make_pair(counts.measurements, counts.predictions);
  };
  EXPECT_EQ(count({}), std::make_pair(int64_t{1}, int64_t{1}));
  Filter filter;
  filter.problem = ProblemKey(TestProblem());
  EXPECT_EQ(count(filter), std::make_pair(int64_t{1}, int64_t{0}));
  filter.problem = ProblemKey(TestProblem(1));
  EXPECT_EQ(count(filter), std::make_pair(int64_t{0}, int64_t{1}));
  filter = {};
  filter.device = "another";
  EXPECT_EQ(count(filter), std::make_pair(int64_t{0}, int64_t{0}));
  filter = {};
  filter.policy = *ParsePolicy("warm-graph-busy0");
  EXPECT_EQ(count(filter), std::make_pair(int64_t{0}, int64_t{1}));
}

TEST_F(GarbageTest, AProgramKnowsItsOwnBuilds) {
  ASSERT_TRUE(store_->UseBuilds({{"v", "old"}}).ok());
  const RowCounts counts = *store_->OtherBuilds({});
  EXPECT_EQ(counts.measurements, 1) << "not the stale one of w";
  EXPECT_EQ(*store_->CollectGarbage({/*other_builds=*/true}), 2);
  EXPECT_EQ(store_->Measurements({})->front().config.build, "old");
}

}  // namespace
}  // namespace tiletune
