#include "autotune/search/journal.h"

#include "autotune/measure/fake_bench.h"
#include "autotune/store/store_testing.h"
#include "gtest/gtest.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

class JournalTest : public ::testing::Test {
 protected:
  JournalTest()
      : store_(Store::Open(folder_.File("x.db"), Store::Mode::kReadWrite)
                   .value()) {
    config_.variant = FindVariant("reference_naive");
  }

  Journal Open(const std::string& run, bool reuse) {
    Journal journal(store_.get(), FakeDevice(), run, reuse);
    EXPECT_TRUE(journal.Open(TestProblem(), {}, config_).ok());
    return journal;
  }

  static Trial Good() {
    Trial trial;
    trial.samples_ns = {100, 101, 102};
    return trial;
  }

  TemporaryFolder folder_;
  std::unique_ptr<Store> store_;
  GemmConfig config_;
};

TEST_F(JournalTest, RemembersAcrossRuns) {
  Journal first = Open("run1", true);
  EXPECT_EQ(first.Find(config_, Stage::kScreen), nullptr);
  const std::string uid = first.Started(config_).value();
  ASSERT_TRUE(first.Record(uid, config_, Stage::kScreen, Good(), {}).ok());
  ASSERT_NE(first.Find(config_, Stage::kScreen), nullptr);

  const Journal second = Open("run2", true);
  ASSERT_NE(second.Find(config_, Stage::kScreen), nullptr);
  EXPECT_EQ(second.Find(config_, Stage::kScreen)->median_ns, 101);
  EXPECT_EQ(second.Find(config_, Stage::kFinal), nullptr);
}

TEST_F(JournalTest, ForgetsOtherRunsWhenAskedToMeasureAgain) {
  Journal first = Open("run1", true);
  const std::string uid = first.Started(config_).value();
  ASSERT_TRUE(first.Record(uid, config_, Stage::kScreen, Good(), {}).ok());
  EXPECT_EQ(Open("run2", false).Find(config_, Stage::kScreen), nullptr);
  EXPECT_NE(Open("run1", false).Find(config_, Stage::kScreen), nullptr);
}

TEST_F(JournalTest, KnowsNothingOfOtherPoliciesAndDevices) {
  Journal journal = Open("run1", true);
  const std::string uid = journal.Started(config_).value();
  ASSERT_TRUE(journal.Record(uid, config_, Stage::kScreen, Good(), {}).ok());
  MeasurementPolicy warm;
  warm.l2 = L2State::kWarm;
  ASSERT_TRUE(journal.Open(TestProblem(), warm, config_).ok());
  EXPECT_EQ(journal.Find(config_, Stage::kScreen), nullptr);
  DeviceFacts other = FakeDevice();
  other.sm_count = 64;
  Journal elsewhere(store_.get(), other, "run1", true);
  ASSERT_TRUE(elsewhere.Open(TestProblem(), {}, config_).ok());
  EXPECT_EQ(elsewhere.Find(config_, Stage::kScreen), nullptr);
}

TEST_F(JournalTest, BarsWhatWasWrongCrashedOrHung) {
  for (Outcome outcome :
       {Outcome::kWrong, Outcome::kCrashed, Outcome::kTimeout}) {
    config_.swizzle_offset += 1;
    Journal journal = Open("run1", true);
    Trial bad;
    bad.outcome = outcome;
    bad.detail = "because";
    const std::string uid = journal.Started(config_).value();
    ASSERT_TRUE(journal.Record(uid, config_, Stage::kScreen, bad, {}).ok());
    const Journal later = Open("run2", true);
    ASSERT_NE(later.Quarantined(config_), nullptr);
    EXPECT_NE(later.Quarantined(config_)->find("because"), std::string::npos);
  }
}

// A launch cluster that waits for SMs that another kernel holds says nothing of
// an idle GPU; what hangs there, hangs everywhere, and so it is with what is
// wrong or crashes.
TEST_F(JournalTest, WhatHungBesideACoTenantIsBarredThereAlone) {
  const MeasurementPolicy idle, busy = *ParsePolicy("cold-graph-busy12");
  const auto barred = [&](Outcome outcome, const MeasurementPolicy& where,
                          const MeasurementPolicy& asked) {
    config_.swizzle_offset += 1;
    Journal journal(store_.get(), FakeDevice(), "run1", true);
    EXPECT_TRUE(journal.Open(TestProblem(), where, config_).ok());
    Trial bad;
    bad.outcome = outcome;
    const std::string uid = journal.Started(config_).value();
    EXPECT_TRUE(journal.Record(uid, config_, Stage::kScreen, bad, {}).ok());
    EXPECT_NE(journal.Quarantined(config_), nullptr);
    Journal later(store_.get(), FakeDevice(), "run2", true);
    EXPECT_TRUE(later.Open(TestProblem(), asked, config_).ok());
    return later.Quarantined(config_) != nullptr;
  };
  EXPECT_TRUE(barred(Outcome::kTimeout, busy, busy));
  EXPECT_FALSE(barred(Outcome::kTimeout, busy, idle));
  EXPECT_TRUE(barred(Outcome::kTimeout, idle, busy));
  EXPECT_TRUE(barred(Outcome::kWrong, busy, idle));
  EXPECT_TRUE(barred(Outcome::kCrashed, busy, idle));
}

TEST_F(JournalTest, TriesAgainWhatOnlyDidNotFit) {
  Journal journal = Open("run1", true);
  Trial full;
  full.outcome = Outcome::kOutOfMemory;
  const std::string uid = journal.Started(config_).value();
  ASSERT_TRUE(journal.Record(uid, config_, Stage::kScreen, full, {}).ok());
  EXPECT_EQ(journal.Quarantined(config_), nullptr);
  EXPECT_EQ(journal.Find(config_, Stage::kScreen), nullptr);
}

TEST_F(JournalTest, AStaleMeasurementIsTakenAgain) {
  Journal journal = Open("run1", true);
  const std::string uid = journal.Started(config_).value();
  ASSERT_TRUE(journal.Record(uid, config_, Stage::kScreen, Good(), {}).ok());
  ASSERT_TRUE(store_->MarkMeasurement(uid, Mark::kStale, "slower now").ok());
  EXPECT_EQ(Open("run2", true).Find(config_, Stage::kScreen), nullptr);
}

// A row of an old file, from before imports looked.
TEST_F(JournalTest, WhatCannotBeTrueDoesNotWin) {
  Measurement truth = MeasuredAt(100, RecordOf(config_));
  truth.device = FakeDevice();
  Measurement impossible = truth;
  impossible.config.key = "garbage";
  impossible.median_ns = 50;
  ASSERT_TRUE(store_->RecordMeasurement(truth).ok());
  ASSERT_TRUE(store_->RecordMeasurement(impossible).ok());
  ASSERT_EQ(store_->Winners({})->front().config, impossible.config.key);
  for (bool reuse : {true, false}) Open("run2", reuse);
  EXPECT_EQ(store_->Winners({})->front().config, truth.config.key);
  ASSERT_EQ(store_->Marks()->size(), 1u);
  EXPECT_NE(store_->Marks()->front().reason.find("cannot be true"),
            std::string::npos);
}

TEST_F(JournalTest, AMeasurementOfAnotherBuildIsTakenAgain) {
  Measurement old = MeasuredAt(100, RecordOf(config_));
  old.device = FakeDevice();
  old.config.build = "a kernel of yesterday";
  old.stage = Stage::kScreen;
  ASSERT_TRUE(store_->RecordMeasurement(old).ok());
  EXPECT_EQ(Open("run1", true).Find(config_, Stage::kScreen), nullptr);
}

TEST_F(JournalTest, AnUnfinishedAttemptSaysWhatWasRunning) {
  Journal journal = Open("run1", true);
  ASSERT_TRUE(journal.Started(config_).ok());
  const auto attempts = store_->UnfinishedAttempts({});
  ASSERT_TRUE(attempts.ok()) << attempts.status();
  ASSERT_EQ(attempts->size(), 1u);
  EXPECT_EQ(attempts->front().config.key, ConfigKey(config_));
}

TEST_F(JournalTest, MeasuringEndsWhatAKilledTunerHadBegun) {
  ASSERT_TRUE(Open("run1", true).Started(config_).ok());
  Journal later = Open("run2", true);
  const std::string uid = later.Started(config_).value();
  ASSERT_EQ(store_->UnfinishedAttempts({})->size(), 2u);
  ASSERT_TRUE(later.Record(uid, config_, Stage::kScreen, Good(), {}).ok());
  EXPECT_TRUE(store_->UnfinishedAttempts({})->empty());
}

TEST(TieWidth, IsTwiceTheNoiseButNeverTiny) {
  EXPECT_EQ(TieWidth(std::vector<double>(20, 100.0)), 0.01);
  EXPECT_GT(TieWidth({100, 110, 120, 130, 90}), 0.05);
}

}  // namespace
}  // namespace tiletune
