#include "autotune/store/store.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>

#include "autotune/store/connection.h"
#include "autotune/store/convert.h"
#include "autotune/store/store_testing.h"

namespace tiletune {
namespace {

class StoreTest : public ::testing::Test {
 protected:
  StoreTest() {
    auto opened = Store::Open(folder_.File("x.db"), Store::Mode::kReadWrite);
    if (!opened.ok()) ADD_FAILURE() << opened.status();
    store_ = *std::move(opened);
  }

  TemporaryFolder folder_;
  std::unique_ptr<Store> store_;
};

Measurement Detailed() {
  Measurement m = MeasuredAt(1234.5, TestConfig("v", "queue"));
  m.uid = "0123456789abcdef0123456789abcdef";
  m.problem.batch = 3;
  m.problem.layout = Layout::kNT;
  m.problem.d_type = DataType::kFp32;
  m.problem.epilogue.bias = Bias::kPerColumn;
  m.config.swizzle_offset = 8;
  m.config.swizzle_direction = 1;
  m.config.split_k = 4;
  m.policy = {L2State::kWarm, LaunchMode::kStream, 25};
  m.stage = Stage::kScreen;
  m.outcome = Outcome::kTimeout;
  m.detail = "hung for 5 s, \"quoted\", with, commas";
  m.is_default = true;
  m.samples_ns = {1.5f, 1234.5f, 1e9f / 3};
  m.sample_count = 3;
  m.mean_ns = 1.0 / 3;
  m.min_ns = 1.5;
  m.relative_spread = 0.25;
  m.noise = 0.0042;
  m.soak_repeats = 77;
  m.sm_clock_mhz = 1755;
  m.memory_clock_mhz = 2619;
  m.temperature_c = 61;
  m.power_limit_w = 650;
  m.power_capped = true;
  m.input_kind = "zeros";
  m.run_uid = "run";
  m.recorded_at_us = 1767225600123456;
  return m;
}

TEST_F(StoreTest, KeepsEveryFieldOfAMeasurement) {
  const Measurement m = Detailed();
  ASSERT_TRUE(store_->RecordMeasurement(m).ok());
  auto all = store_->Measurements({});
  ASSERT_TRUE(all.ok()) << all.status();
  ASSERT_EQ(all->size(), 1u);
  const Measurement& r = all->front();
  // Rows of the two must agree column by column, ...
  const Row wrote = ToRow(m), read = ToRow(r);
  ASSERT_EQ(wrote.columns().size(), read.columns().size());
  for (size_t i = 0; i < wrote.columns().size(); ++i) {
    EXPECT_TRUE(wrote.columns()[i] == read.columns()[i])
        << wrote.columns()[i].first;
  }
  // ... and a sample of fields must have arrived as what they are.
  EXPECT_EQ(r.samples_ns, m.samples_ns);
  EXPECT_EQ(r.outcome, Outcome::kTimeout);
  EXPECT_EQ(r.stage, Stage::kScreen);
  EXPECT_TRUE(r.policy == m.policy);
  EXPECT_TRUE(r.problem == Normalized(m.problem));
  EXPECT_EQ(r.device.Fingerprint(), m.device.Fingerprint());
  EXPECT_EQ(r.device.driver, "1.2");
  EXPECT_EQ(r.detail, m.detail);
  EXPECT_EQ(r.config.split_k, 4u);
}

TEST_F(StoreTest, EveryOutcomeReadsBackAsItself) {
  const std::vector<Outcome> outcomes = {
      Outcome::kOk,      Outcome::kWrong,       Outcome::kCrashed,
      Outcome::kTimeout, Outcome::kOutOfMemory, Outcome::kUnstable,
      Outcome::kRefused};
  for (size_t i = 0; i < outcomes.size(); ++i) {
    Measurement m = MeasuredAt(10, TestConfig("v"));
    m.outcome = outcomes[i];
    m.recorded_at_us = static_cast<int64_t>(i) + 1;
    ASSERT_TRUE(store_->RecordMeasurement(m).ok());
  }
  auto all = store_->Measurements({});
  ASSERT_TRUE(all.ok());
  ASSERT_EQ(all->size(), outcomes.size());
  for (size_t i = 0; i < outcomes.size(); ++i) {
    EXPECT_EQ((*all)[i].outcome, outcomes[i]);
  }
}

TEST_F(StoreTest, RecordingAUidAgainChangesNothing) {
  Measurement m = MeasuredAt(100, TestConfig("v"));
  m.uid = "same";
  ASSERT_TRUE(store_->RecordMeasurement(m).ok());
  m.median_ns = 5;
  ASSERT_TRUE(store_->RecordMeasurement(m).ok());
  auto all = store_->Measurements({});
  ASSERT_EQ(all->size(), 1u);
  EXPECT_EQ(all->front().median_ns, 100);
}

TEST_F(StoreTest, NothingIsMeasuredOnAModelledDevice) {
  Measurement m = MeasuredAt(100, TestConfig("v"));
  m.device.modelled = true;
  EXPECT_EQ(store_->RecordMeasurement(m).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(store_->Measurements({})->empty());
}

TEST_F(StoreTest, AnOkMeasurementNeedsAMedian) {
  for (double bad :
       {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    Measurement m = MeasuredAt(100, TestConfig("v"));
    m.median_ns = bad;
    EXPECT_FALSE(store_->RecordMeasurement(m).ok()) << bad;
  }
}

TEST_F(StoreTest, AnAttemptStaysUntilItIsMeasuredOrEnded) {
  Attempt attempt;
  attempt.problem = TestProblem();
  attempt.config = TestConfig("v");
  attempt.device = TestDevice();
  auto first = store_->RecordStarted(attempt);
  attempt.config = TestConfig("w");
  auto second = store_->RecordStarted(attempt);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(store_->UnfinishedAttempts({})->size(), 2u);

  Measurement m = MeasuredAt(100, TestConfig("v"));
  m.uid = *first;
  ASSERT_TRUE(store_->RecordMeasurement(m).ok());
  auto left = store_->UnfinishedAttempts({});
  ASSERT_EQ(left->size(), 1u);
  EXPECT_EQ(left->front().uid, *second);
  EXPECT_EQ(left->front().config.variant, "w");

  ASSERT_TRUE(store_->EndAttempt(*second).ok());
  EXPECT_TRUE(store_->UnfinishedAttempts({})->empty());
}

TEST_F(StoreTest, FiltersByDeviceProblemPolicyAndRun) {
  Measurement m = MeasuredAt(100, TestConfig("v"));
  m.run_uid = "r1";
  ASSERT_TRUE(store_->RecordMeasurement(m).ok());
  m.device = TestDevice(50);
  ASSERT_TRUE(store_->RecordMeasurement(m).ok());
  m.problem = TestProblem(1);
  ASSERT_TRUE(store_->RecordMeasurement(m).ok());
  m.policy.busy_percent = 12;
  m.run_uid = "r2";
  ASSERT_TRUE(store_->RecordMeasurement(m).ok());

  const auto count = [this](const Filter& filter) {
    return store_->Measurements(filter)->size();
  };
  Filter filter;
  EXPECT_EQ(count(filter), 4u);
  filter.device = TestDevice(50).Fingerprint();
  EXPECT_EQ(count(filter), 3u);
  filter.problem = ProblemKey(TestProblem(1));
  EXPECT_EQ(count(filter), 2u);
  filter.policy = MeasurementPolicy{L2State::kCold, LaunchMode::kGraph, 12};
  EXPECT_EQ(count(filter), 1u);
  filter.policy.reset();
  filter.run_uid = "r1";
  EXPECT_EQ(count(filter), 1u);
}

TEST_F(StoreTest, OfAPolicyIsBarredWhatIsBarredUnderItOrUnderEveryOne) {
  const auto bar = [this](const char* name,
                          const std::optional<MeasurementPolicy>& policy) {
    ASSERT_TRUE(store_
                    ->Quarantine(TestProblem(), TestConfig(name), TestDevice(),
                                 "hung", policy)
                    .ok());
  };
  const auto barred = [this](const Filter& filter) {
    std::set<std::string> names;
    const auto rows = store_->Quarantined(filter).value();
    for (const QuarantineRow& row : rows) {
      names.insert(row.config.substr(0, row.config.find(' ')));
    }
    return names;
  };
  Filter idle, busy;
  idle.policy = MeasurementPolicy();
  busy.policy = *ParsePolicy("cold-graph-busy12");
  bar("each", std::nullopt);
  bar("idle", idle.policy);
  bar("busy", busy.policy);
  using Names = std::set<std::string>;
  EXPECT_EQ(barred({}), (Names{"each", "idle", "busy"}));
  EXPECT_EQ(barred(idle), (Names{"each", "idle"}));
  EXPECT_EQ(barred(busy), (Names{"each", "busy"}));
  // Of a newer program: what bars nothing in the view does not here.
  ASSERT_TRUE(store_->connection()
                  ->Execute("UPDATE quarantine SET policy = 'hot-graph-busy0'"
                            " WHERE policy = 'cold-graph-busy0'")
                  .ok());
  EXPECT_EQ(barred(idle), (Names{"each"}));
}

TEST_F(StoreTest, AFailedTransactionLeavesNothing) {
  const absl::Status status = store_->Transaction([this] {
    EXPECT_TRUE(store_->RecordMeasurement(MeasuredAt(1, TestConfig("v"))).ok());
    return absl::AbortedError("no");
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(store_->Measurements({})->empty());
  EXPECT_TRUE(store_->RecordMeasurement(MeasuredAt(1, TestConfig("v"))).ok());
}

TEST_F(StoreTest, DevicesCountsWhatEachHas) {
  ASSERT_TRUE(store_->RecordMeasurement(MeasuredAt(1, TestConfig("v"))).ok());
  Prediction p;
  p.problem = TestProblem();
  p.config = TestConfig("v");
  p.device = TestDevice();
  p.device.modelled = true;
  p.device.name = "model:test";
  p.model = "model 1";
  p.predicted_ns = 5;
  ASSERT_TRUE(store_->RecordPrediction(p).ok());
  auto devices = store_->Devices();
  ASSERT_TRUE(devices.ok()) << devices.status();
  ASSERT_EQ(devices->size(), 2u);
  EXPECT_EQ((*devices)[0].facts.name, "Test GPU");
  EXPECT_EQ((*devices)[0].measurements, 1);
  EXPECT_EQ((*devices)[0].predictions, 0);
  EXPECT_EQ((*devices)[0].problems, 1);
  EXPECT_TRUE((*devices)[1].facts.modelled);
  EXPECT_EQ((*devices)[1].predictions, 1);
  EXPECT_EQ((*devices)[1].fingerprint, p.device.Fingerprint());
}

TEST_F(StoreTest, RunsAndMarksReadBack) {
  tiletune::Run run;  // ::testing::Test has a Run too
  run.host = "h";
  run.command = "autotune tune";
  auto uid = store_->StartRun(run);
  ASSERT_TRUE(uid.ok());
  EXPECT_EQ(uid->size(), 32u);
  ASSERT_TRUE(store_->MarkMeasurement("m", Mark::kStale, "slower now").ok());
  EXPECT_EQ(store_->Runs()->front().command, "autotune tune");
  EXPECT_EQ(store_->Marks()->front().mark, Mark::kStale);
}

}  // namespace
}  // namespace tiletune
