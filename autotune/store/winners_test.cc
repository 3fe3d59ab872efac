// Who wins: one test for each sentence of docs/database.md.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "autotune/store/store.h"
#include "autotune/store/store_testing.h"

namespace tiletune {
namespace {

class WinnersTest : public ::testing::Test {
 protected:
  WinnersTest() {
    auto opened = Store::Open(folder_.File("x.db"), Store::Mode::kReadWrite);
    if (!opened.ok()) ADD_FAILURE() << opened.status();
    store_ = *std::move(opened);
  }

  void Record(const Measurement& m) {
    const absl::Status status = store_->RecordMeasurement(m);
    ASSERT_TRUE(status.ok()) << status;
  }

  // The variant that wins TestProblem(), or "" when none does.
  std::string Winner() {
    auto winners = store_->Winners({});
    if (!winners.ok()) return std::string(winners.status().message());
    if (winners->empty()) return "";
    EXPECT_EQ(winners->size(), 1u);
    const std::string& config = winners->front().config;
    return config.substr(0, config.find(' '));
  }

  TemporaryFolder folder_;
  std::unique_ptr<Store> store_;
};

TEST_F(WinnersTest, TheFastestWins) {
  Record(MeasuredAt(100, TestConfig("slow")));
  Record(MeasuredAt(80, TestConfig("fast")));
  EXPECT_EQ(Winner(), "fast");
}

TEST_F(WinnersTest, TheRowSaysHowTheChoiceWasMade) {
  Measurement fallback = MeasuredAt(100, TestConfig("slow"));
  fallback.is_default = true;
  Record(fallback);
  Record(MeasuredAt(80, TestConfig("fast")));
  ConfigRecord tied = TestConfig("tied");
  tied.threads += 1;
  Record(MeasuredAt(79.9, tied));
  auto winners = store_->Winners({});
  ASSERT_TRUE(winners.ok()) << winners.status();
  const WinnerRow& w = winners->front();
  EXPECT_EQ(w.config, "fast o1zn k1");
  EXPECT_EQ(w.median_ns, 80);
  EXPECT_EQ(w.best_ns, 79.9);
  EXPECT_EQ(w.default_ns, 100);
  EXPECT_EQ(w.gain, 1.25);
  EXPECT_EQ(w.ties, 2);
  EXPECT_EQ(w.candidates, 3);
  EXPECT_EQ(w.driver, "1.2");
  EXPECT_FALSE(w.suspect);
}

TEST_F(WinnersTest, OnlyOkMeasurementsAreRanked) {
  for (Outcome outcome :
       {Outcome::kWrong, Outcome::kCrashed, Outcome::kTimeout,
        Outcome::kOutOfMemory, Outcome::kUnstable, Outcome::kRefused}) {
    Measurement m = MeasuredAt(1, TestConfig("bad"));
    m.outcome = outcome;
    Record(m);
  }
  EXPECT_EQ(Winner(), "");
  Record(MeasuredAt(100, TestConfig("good")));
  EXPECT_EQ(Winner(), "good");
}

TEST_F(WinnersTest, WithinTheNoiseTheDefaultStays) {
  Measurement fallback = MeasuredAt(100, TestConfig("default"));
  fallback.is_default = true;
  Record(fallback);
  ConfigRecord lean = TestConfig("lean");
  lean.shared_bytes = 1;
  Record(MeasuredAt(99.5, lean));
  EXPECT_EQ(Winner(), "default");
}

TEST_F(WinnersTest, BeyondTheNoiseTheDefaultIsReplaced) {
  Measurement fallback = MeasuredAt(100, TestConfig("default"));
  fallback.is_default = true;
  Record(fallback);
  Record(MeasuredAt(98.9, TestConfig("faster")));
  EXPECT_EQ(Winner(), "faster");
}

TEST_F(WinnersTest, TheWiderNoiseOfTheTwoDecidesATie) {
  Measurement best = MeasuredAt(100, TestConfig("b"));
  best.noise = 0.001;
  Record(best);
  ConfigRecord lean = TestConfig("lean");
  lean.threads = 1;
  Measurement noisy = MeasuredAt(102, lean);
  noisy.noise = 0.05;
  Record(noisy);
  EXPECT_EQ(Winner(), "lean");
}

// Who is at the edge of a tie in one tune is beyond it in the next.
TEST_F(WinnersTest, TheFixedRuleChoosesInTheNearerHalfOfATie) {
  Record(MeasuredAt(100, TestConfig("b")));
  ConfigRecord lean = TestConfig("lean");
  lean.threads = 1;
  Record(MeasuredAt(100.9, lean));
  EXPECT_EQ(Winner(), "b");
  EXPECT_EQ(store_->Winners({})->front().ties, 2);
  Record(MeasuredAt(100.4, lean));
  EXPECT_EQ(Winner(), "lean");
}

// The fixed rule inside a tie set: each line wins over the one before.
TEST_F(WinnersTest, TiesGoToFewerResourcesThenStaticThenTheSmallerOffset) {
  ConfigRecord config = TestConfig("a0", "clc");
  config.swizzle_offset = 8;
  config.swizzle_direction = 1;
  config.split_k = 2;
  Record(MeasuredAt(100.0, config));
  EXPECT_EQ(Winner(), "a0");
  const auto step = [&](const std::string& name, auto change) {
    change();
    config.variant = name;
    config.key = name + " o1zn k1";
    Record(MeasuredAt(100.1, config));
    EXPECT_EQ(Winner(), name);
  };
  step("z1", [&] { config.swizzle_direction = 0; });
  step("z2", [&] { config.swizzle_offset = 4; });
  step("z3", [&] { config.supply = "queue"; });
  step("z4", [&] { config.supply = "static"; });
  step("z5", [&] { config.threads -= 1; });
  step("z6", [&] { config.shared_bytes -= 1; });
  step("z7", [&] { config.cluster_ctas = 1; });
  step("z8", [&] { config.split_k = 1; });
  step("y9", [&] {});  // the same but for its name
}

TEST_F(WinnersTest, TheNewestMeasurementOfACandidateCounts) {
  Measurement m = MeasuredAt(50, TestConfig("was fast"));
  m.uid = "z";
  m.recorded_at_us = 1;
  Record(m);
  m.median_ns = 150;
  m.uid = "a";
  m.recorded_at_us = 2;
  Record(m);
  Record(MeasuredAt(100, TestConfig("steady")));
  EXPECT_EQ(Winner(), "steady");
}

TEST_F(WinnersTest, AFinalIsNotLostToAScreening) {
  Measurement screened = MeasuredAt(50, TestConfig("a screened one"));
  screened.stage = Stage::kScreen;
  screened.is_default = true;
  Record(screened);
  EXPECT_EQ(Winner(), "a");
  EXPECT_EQ(store_->Winners({})->front().default_ns, 50);
  Record(MeasuredAt(100, TestConfig("finalist")));
  EXPECT_EQ(Winner(), "finalist");
  // What was not in the final is nothing to compare a finalist with.
  EXPECT_EQ(store_->Winners({})->front().default_ns, std::nullopt);
  EXPECT_EQ(store_->Winners({})->front().candidates, 1);
}

TEST_F(WinnersTest, AConfigsFinalCountsBeforeItsLaterScreening) {
  Measurement m = MeasuredAt(100, TestConfig("v"));
  m.uid = "a";
  m.recorded_at_us = 1;
  Record(m);
  m.stage = Stage::kScreen;
  m.median_ns = 50;
  m.uid = "z";
  m.recorded_at_us = 2;
  Record(m);
  EXPECT_EQ(store_->Winners({})->front().median_ns, 100);
}

TEST_F(WinnersTest, AnOlderBuildOfAVariantIsOut) {
  Measurement old = MeasuredAt(50, TestConfig("v", "static", "old"));
  old.recorded_at_us = 1;
  Record(old);
  Record(MeasuredAt(100, TestConfig("w")));
  EXPECT_EQ(Winner(), "v");
  Record(MeasuredAt(200, TestConfig("v", "static", "new")));
  EXPECT_EQ(Winner(), "w");
}

TEST_F(WinnersTest, AskedForBuildsCountInsteadOfTheNewest) {
  Measurement old = MeasuredAt(50, TestConfig("v", "static", "old"));
  old.recorded_at_us = 1;
  Record(old);
  Record(MeasuredAt(200, TestConfig("v", "static", "new")));
  Record(MeasuredAt(100, TestConfig("w")));
  EXPECT_EQ(Winner(), "w");
  ASSERT_TRUE(store_->UseBuilds({{"v", "old"}, {"w", "build1"}}).ok());
  EXPECT_EQ(Winner(), "v");
  ASSERT_TRUE(store_->UseBuilds({{"v", "new"}}).ok());
  EXPECT_EQ(store_->Winners({})->front().median_ns, 200);
  ASSERT_TRUE(store_->UseBuilds({}).ok());
  EXPECT_EQ(Winner(), "");
}

TEST_F(WinnersTest, ADynamicSupplyMustHaveSoaked) {
  Record(MeasuredAt(100, TestConfig("static")));
  for (const char* supply : {"queue", "clc"}) {
    Measurement m = MeasuredAt(50, TestConfig(supply, supply));
    m.soak_repeats = kSoakRepeats - 1;
    Record(m);
  }
  EXPECT_EQ(Winner(), "static");
  Record(MeasuredAt(50, TestConfig("queue", "queue")));
  EXPECT_EQ(Winner(), "queue");
}

TEST_F(WinnersTest, QuarantineBarsOneBuildOnOneDeviceForOneProblem) {
  const ConfigRecord config = TestConfig("v");
  Record(MeasuredAt(50, config));
  Record(MeasuredAt(100, TestConfig("w")));
  Measurement elsewhere = MeasuredAt(50, config);
  elsewhere.device = TestDevice(50);
  Record(elsewhere);
  ASSERT_TRUE(
      store_->Quarantine(TestProblem(), config, TestDevice(), "hung").ok());
  Filter here, there;
  here.device = TestDevice().Fingerprint();
  there.device = TestDevice(50).Fingerprint();
  EXPECT_EQ(store_->Winners(here)->front().config, "w o1zn k1");
  EXPECT_EQ(store_->Winners(there)->front().config, "v o1zn k1");
  EXPECT_EQ(store_->Quarantined({})->front().reason, "hung");
}

TEST_F(WinnersTest, QuarantineUnderOnePolicyBarsUnderThatAlone) {
  const ConfigRecord config = TestConfig("v");
  const MeasurementPolicy busy = *ParsePolicy("cold-graph-busy12");
  for (const MeasurementPolicy& policy : {MeasurementPolicy(), busy}) {
    for (const auto& [name, ns] : {std::make_pair("v", 50.0), {"w", 100.0}}) {
      Measurement m = MeasuredAt(ns, TestConfig(name));
      m.policy = policy;
      Record(m);
    }
  }
  ASSERT_TRUE(
      store_->Quarantine(TestProblem(), config, TestDevice(), "hung", busy)
          .ok());
  Filter idle, held;
  idle.policy = MeasurementPolicy();
  held.policy = busy;
  EXPECT_EQ(store_->Winners(idle)->front().config, "v o1zn k1");
  EXPECT_EQ(store_->Winners(held)->front().config, "w o1zn k1");
  EXPECT_TRUE(store_->Quarantined({})->front().policy == busy);
}

// The view spells a policy in SQL, so that any shell can read it.
TEST_F(WinnersTest, TheViewSpellsEveryPolicyAsPolicyKeyDoes) {
  for (L2State l2 : {L2State::kCold, L2State::kWarm}) {
    for (LaunchMode launch : {LaunchMode::kGraph, LaunchMode::kStream}) {
      for (int busy : {0, 7, 12, 99}) {
        Measurement m = MeasuredAt(100, TestConfig("v"));
        m.policy = {l2, launch, busy};
        Record(m);
        Filter filter;
        filter.policy = m.policy;
        EXPECT_EQ(store_->Winners(filter)->size(), 1u);
        ASSERT_TRUE(
            store_->Quarantine(m.problem, m.config, m.device, "hung", m.policy)
                .ok());
        EXPECT_TRUE(store_->Winners(filter)->empty()) << PolicyKey(m.policy);
      }
    }
  }
}

TEST_F(WinnersTest, StaleIsOutAndSuspectIsFlagged) {
  Measurement v = MeasuredAt(50, TestConfig("v"));
  v.uid = "v";
  Measurement w = MeasuredAt(100, TestConfig("w"));
  w.uid = "w";
  Record(v);
  Record(w);
  ASSERT_TRUE(store_->MarkMeasurement("w", Mark::kSuspect, "driver").ok());
  EXPECT_EQ(Winner(), "v");
  ASSERT_TRUE(store_->MarkMeasurement("v", Mark::kStale, "slower").ok());
  EXPECT_EQ(Winner(), "w");
  EXPECT_TRUE(store_->Winners({})->front().suspect);
}

TEST_F(WinnersTest, DevicesProblemsAndPoliciesNeverMix) {
  // In each group another of the two is the faster one.
  double fast = 10;
  int groups = 0;
  for (int sms : {100, 50}) {
    for (int64_t m : {128, 256}) {
      for (int busy : {0, 12}) {
        for (L2State l2 : {L2State::kCold, L2State::kWarm}) {
          for (LaunchMode launch : {LaunchMode::kGraph, LaunchMode::kStream}) {
            Measurement x = MeasuredAt(fast, TestConfig("v"));
            x.device = TestDevice(sms);
            x.problem = TestProblem(m);
            x.policy = {l2, launch, busy};
            Record(x);
            x.config = TestConfig("w");
            x.median_ns = fast * (groups % 2 == 0 ? 0.5 : 2);
            Record(x);
            fast *= 1.5;
            ++groups;
          }
        }
      }
    }
  }
  auto winners = store_->Winners({});
  ASSERT_TRUE(winners.ok());
  ASSERT_EQ(winners->size(), 32u);
  int w_wins = 0;
  for (const WinnerRow& winner : *winners) {
    EXPECT_EQ(winner.candidates, 2);
    EXPECT_EQ(winner.median_ns, winner.best_ns);
    w_wins += winner.config == "w o1zn k1";
  }
  EXPECT_EQ(w_wins, 16);
}

TEST_F(WinnersTest, StandingsListEveryCandidateInPlace) {
  Record(MeasuredAt(100, TestConfig("c")));
  Record(MeasuredAt(50, TestConfig("a")));
  Record(MeasuredAt(50.1, TestConfig("b")));
  auto standings = store_->Standings({});
  ASSERT_TRUE(standings.ok()) << standings.status();
  ASSERT_EQ(standings->size(), 3u);
  EXPECT_EQ((*standings)[0].config, "a o1zn k1");
  EXPECT_EQ((*standings)[1].config, "b o1zn k1");
  EXPECT_TRUE((*standings)[1].tied);
  EXPECT_EQ((*standings)[2].place, 3);
  EXPECT_FALSE((*standings)[2].tied);
}

// The store refuses to record such a row; somebody may write it all the same.
TEST_F(WinnersTest, AModelledDeviceHasNoWinners) {
  Record(MeasuredAt(100, TestConfig("v")));
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(folder_.File("x.db").c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db,
                         "UPDATE devices SET modelled = 1,"
                         " fingerprint = 'model ' || fingerprint",
                         nullptr, nullptr, nullptr),
            SQLITE_OK)
      << sqlite3_errmsg(db);
  // Nor can it take the name of a real one.
  EXPECT_NE(sqlite3_exec(db, "UPDATE devices SET modelled = 0", nullptr,
                         nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(db);
  EXPECT_EQ(Winner(), "");
}

TEST_F(WinnersTest, APredictionIsNoWinner) {
  Prediction p;
  p.problem = TestProblem();
  p.config = TestConfig("v");
  p.device = TestDevice();
  p.model = "model 1";
  p.predicted_ns = 5;
  ASSERT_TRUE(store_->RecordPrediction(p).ok());
  EXPECT_EQ(Winner(), "");
  auto predicted = store_->PredictedWinners({});
  ASSERT_TRUE(predicted.ok()) << predicted.status();
  ASSERT_EQ(predicted->size(), 1u);
  EXPECT_EQ(predicted->front().predicted_ns, 5);
}

TEST_F(WinnersTest, TheNewestModelPredicts) {
  Prediction p;
  p.problem = TestProblem();
  p.device = TestDevice();
  p.model = "old";
  p.config = TestConfig("v");
  p.predicted_ns = 5;
  p.recorded_at_us = 1;
  ASSERT_TRUE(store_->RecordPrediction(p).ok());
  p.model = "new";
  p.predicted_ns = 8;
  p.recorded_at_us = 2;
  p.is_default = true;
  ASSERT_TRUE(store_->RecordPrediction(p).ok());
  p.config = TestConfig("w");
  p.predicted_ns = 7;
  p.is_default = false;
  ASSERT_TRUE(store_->RecordPrediction(p).ok());
  const PredictedRow best = store_->PredictedWinners({})->front();
  EXPECT_EQ(best.model, "new");
  EXPECT_EQ(best.config, "w o1zn k1");
  EXPECT_EQ(best.default_ns, 8);
}

TEST_F(WinnersTest, TheViewInTheFileSaysTheSameAsThisProgram) {
  Record(MeasuredAt(100, TestConfig("slow")));
  Record(MeasuredAt(80, TestConfig("fast")));
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(folder_.File("x.db").c_str(), &db), SQLITE_OK);
  sqlite3_stmt* select = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(db, "SELECT config, tflops FROM winners", -1,
                               &select, nullptr),
            SQLITE_OK)
      << sqlite3_errmsg(db);
  ASSERT_EQ(sqlite3_step(select), SQLITE_ROW);
  EXPECT_STREQ(reinterpret_cast<const char*>(sqlite3_column_text(select, 0)),
               "fast o1zn k1");
  EXPECT_DOUBLE_EQ(sqlite3_column_double(select, 1),
                   2e-3 * 128 * 256 * 512 / 80);
  sqlite3_finalize(select);
  sqlite3_close(db);
}

}  // namespace
}  // namespace tiletune
