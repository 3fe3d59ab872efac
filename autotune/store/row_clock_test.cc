// Clocks that were wrong once.
#include "autotune/store/row_clock.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "autotune/store/convert.h"
#include "autotune/store/export.h"
#include "autotune/store/store.h"
#include "autotune/store/store_testing.h"

namespace tiletune {
namespace {

class RowClockTest : public ::testing::Test {
 protected:
  std::unique_ptr<Store> Open(const std::string& name) {
    auto opened = Store::Open(folder_.File(name), Store::Mode::kReadWrite);
    if (!opened.ok()) ADD_FAILURE() << opened.status();
    return *std::move(opened);
  }

  static void Record(Store* store, double median_ns, const ConfigRecord& config,
                     int64_t recorded_at_us = 0) {
    Measurement m = MeasuredAt(median_ns, config);
    m.recorded_at_us = recorded_at_us;
    const absl::Status recorded = store->RecordMeasurement(m);
    EXPECT_TRUE(recorded.ok()) << recorded;
  }

  static void Predict(Store* store, const std::string& model, double ns,
                      int64_t recorded_at_us = 0) {
    Prediction p;
    p.problem = TestProblem();
    p.config = TestConfig("v");
    p.device = TestDevice();
    p.model = model;
    p.predicted_ns = ns;
    p.recorded_at_us = recorded_at_us;
    const absl::Status recorded = store->RecordPrediction(p);
    EXPECT_TRUE(recorded.ok()) << recorded;
  }

  const int64_t next_year_ = NowMicros() + int64_t{365} * 24 * 3600 * 1000000;
  TemporaryFolder folder_;
};

TEST_F(RowClockTest, ANewMeasurementReplacesOneOfNextYear) {
  auto store = Open("x.db");
  Record(store.get(), 50, TestConfig("v"), next_year_);
  Record(store.get(), 100, TestConfig("v"));
  EXPECT_EQ(store->Winners({})->front().median_ns, 100);
  Record(store.get(), 70, TestConfig("v"));
  EXPECT_EQ(store->Winners({})->front().median_ns, 70);
}

TEST_F(RowClockTest, ANewBuildReplacesOneOfNextYear) {
  auto store = Open("x.db");
  Measurement m = MeasuredAt(50, TestConfig("v", "static", "old"));
  m.problem = TestProblem(7);  // of another problem: the kernel is the same
  m.recorded_at_us = next_year_;
  ASSERT_TRUE(store->RecordMeasurement(m).ok());
  Record(store.get(), 100, TestConfig("v", "static", "new"));
  ASSERT_EQ(store->Winners({})->size(), 1u);
  EXPECT_EQ(store->Winners({})->front().build, "new");
}

TEST_F(RowClockTest, ANewPredictionReplacesOneOfNextYear) {
  auto store = Open("x.db");
  Predict(store.get(), "model2", 50, next_year_);
  Predict(store.get(), "model1", 100);
  EXPECT_EQ(store->PredictedWinners({})->front().model, "model1");
  Predict(store.get(), "model2", 80);
  EXPECT_EQ(store->PredictedWinners({})->front().predicted_ns, 80);
}

TEST_F(RowClockTest, WhatAMergeBroughtIsReplacedToo) {
  auto wrong = Open("wrong.db"), store = Open("x.db");
  Measurement m = MeasuredAt(50, TestConfig("v", "static", "old"));
  m.problem = TestProblem(7);
  m.recorded_at_us = next_year_;
  ASSERT_TRUE(wrong->RecordMeasurement(m).ok());
  Record(store.get(), 90, TestConfig("v", "static", "new"));
  ASSERT_TRUE(store->Merge(*wrong).ok());
  EXPECT_EQ(store->Winners({})->front().build, "old");
  Record(store.get(), 100, TestConfig("v", "static", "new"));
  EXPECT_EQ(store->Winners({})->front().median_ns, 100);
}

TEST_F(RowClockTest, WhatAnotherProcessWroteMeanwhileIsReplacedToo) {
  auto store = Open("x.db"), other = Open("x.db");
  Record(store.get(), 90, TestConfig("v"));
  Record(other.get(), 50, TestConfig("v"), next_year_);
  Record(store.get(), 100, TestConfig("v"));
  EXPECT_EQ(store->Winners({})->front().median_ns, 100);
}

TEST_F(RowClockTest, AMergeChangesNoTimes) {
  auto wrong = Open("wrong.db"), store = Open("x.db");
  Record(wrong.get(), 50, TestConfig("v"), next_year_);
  ASSERT_TRUE(store->Merge(*wrong).ok());
  ASSERT_TRUE(store->Merge(*wrong).ok());
  std::ostringstream one, other;
  ASSERT_TRUE(Export(*wrong, TextFormat::kJsonl, one).ok());
  ASSERT_TRUE(Export(*store, TextFormat::kJsonl, other).ok());
  EXPECT_EQ(one.str(), other.str());
}

TEST_F(RowClockTest, WhatReplacesTheLatestRowThatIsTakenIsTakenElsewhereToo) {
  auto wrong = Open("wrong.db"), store = Open("x.db"), third = Open("y.db");
  const int64_t latest = NowMicros() + kMostAheadMicros;
  Record(wrong.get(), 50, TestConfig("v"), latest);
  ASSERT_EQ(store->Merge(*wrong)->impossible, 0);
  for (double ns : {90, 80, 70}) {
    Record(store.get(), ns, TestConfig("v"));
    ASSERT_EQ(store->Winners({})->front().median_ns, ns);
    EXPECT_GT(store->Winners({})->front().recorded_at_us, latest);
  }
  EXPECT_EQ(third->Merge(*store)->impossible, 0);
  EXPECT_EQ(third->Winners({})->front().median_ns, 70);
}

TEST_F(RowClockTest, NoRowComesFromMoreThanACenturyAhead) {
  auto wrong = Open("wrong.db"), store = Open("x.db");
  const int64_t hour = int64_t{3600} * 1000000;
  Record(wrong.get(), 50, TestConfig("v"),
         NowMicros() + kMostAheadMicros + hour);
  Record(wrong.get(), 50, TestConfig("w"), std::numeric_limits<int64_t>::max());
  const absl::StatusOr<TakenRows> taken = store->Merge(*wrong);
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(taken->read, 0);
  EXPECT_EQ(taken->impossible, 2);
  std::stringstream text;
  ASSERT_TRUE(Export(*wrong, TextFormat::kJsonl, text).ok());
  const auto imported = Import(text, TextFormat::kJsonl, store.get());
  EXPECT_EQ(imported.status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tiletune
