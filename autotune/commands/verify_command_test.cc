// autotune verify, as its users meet it.
#include <sqlite3.h>

#include <string>

#include "autotune/commands/program_testing.h"
#include "autotune/store/store.h"
#include "gtest/gtest.h"

namespace tiletune {
namespace {

using Result = Program::Result;

class VerifyTest : public ::testing::Test {
 protected:
  void Tune(const std::string& shape) {
    const Result r = program_.Run(FakeTune("x.db", {shape}));
    ASSERT_EQ(r.status, 0) << r.output;
  }

  Result Verify() const {
    return program_.Run(
        {"verify", "--device=fake:1", "--db=x.db", "--sample=1"});
  }

  // The kinds of fake_bench.h; "" takes all faults back.
  void SetFaults(const std::string& faults) {
    program_.Set("TILETUNE_FAKE_FAULTS", faults);
  }

  WinnerRow Winner() const {
    const auto store =
        Store::Open(program_.File("x.db"), Store::Mode::kReadOnly);
    return (*store)->Winners({})->front();
  }

  // Whose winner is not the default config.
  static constexpr char kGains[] = "512x1024x1024";
  // A GPU at another clock: 15 % slower with everything.
  static constexpr char kLowClock[] = "hot:*";

  Program program_;
};

TEST_F(VerifyTest, ASoundDatabaseHolds) {
  Tune("64x64x64");
  const Result r = Verify();
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_TRUE(Has(r, "holds")) << r.output;
}

TEST_F(VerifyTest, AWinnerThatBecameSlowIsStaleAndTunedAgain) {
  Tune("64x64x64");
  const std::string old = Winner().config;
  SetFaults("slow:" + old);
  const Result r = Verify();
  EXPECT_EQ(r.status, 1) << r.output;
  EXPECT_TRUE(Has(r, "stale")) << r.output;
  const Result again = program_.Run(FakeTune("x.db", {"64x64x64"}));
  ASSERT_EQ(again.status, 0) << again.output;
  EXPECT_NE(Winner().config, old);
  EXPECT_EQ(Verify().status, 0) << "what was tuned since holds";
}

TEST_F(VerifyTest, AWinnerThatBecameWrongNeverWinsAgain) {
  Tune("64x64x64");
  const std::string old = Winner().config;
  SetFaults("wrong:" + old);
  EXPECT_EQ(Verify().status, 1);
  SetFaults("");
  Tune("64x64x64");
  EXPECT_NE(Winner().config, old);
}

// At its power limit a GPU is slower with everything.
TEST_F(VerifyTest, ASlowerGpuMakesNoWinnerStale) {
  Tune(kGains);
  SetFaults(kLowClock);
  const Result r = Verify();
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_TRUE(Has(r, "holds (+1")) << r.output;
  EXPECT_TRUE(Has(r, "0 more than 2 % slower than the default")) << r.output;
}

TEST_F(VerifyTest, ClocksThatChangeBetweenTwoOfThemMakeNoWinnerStale) {
  SetFaults(kLowClock);
  Tune(kGains);
  SetFaults("");
  const Result first = Verify();
  EXPECT_EQ(first.status, 0) << first.output;
  SetFaults(kLowClock);
  const Result second = Verify();
  EXPECT_EQ(second.status, 0) << second.output;
}

TEST_F(VerifyTest, WhatHoldsWinsAsBefore) {
  Tune(kGains);
  const WinnerRow before = Winner();
  SetFaults(kLowClock);
  EXPECT_EQ(Verify().status, 0);
  const WinnerRow after = Winner();
  EXPECT_EQ(after.config, before.config)
      << "the others are ranked by times of another clock";
  EXPECT_EQ(after.gain, before.gain);
}

TEST_F(VerifyTest, AWinnerThatLostItsGainIsStale) {
  Tune(kGains);
  ASSERT_GT(*Winner().gain, 1.0) << "not the default config";
  SetFaults("hot:" + Winner().config);
  const Result r = Verify();
  EXPECT_EQ(r.status, 1) << r.output;
  EXPECT_TRUE(Has(r, "against the default config since")) << r.output;
}

TEST_F(VerifyTest, AWinnerThatLostItsGainIsStaleAtAnotherClockToo) {
  SetFaults(kLowClock);
  Tune(kGains);
  ASSERT_GT(*Winner().gain, 1.0) << "not the default config";
  SetFaults("");
  EXPECT_EQ(Verify().status, 0);
  SetFaults("hot:" + Winner().config);
  const Result r = Verify();
  EXPECT_EQ(r.status, 1) << r.output;
  EXPECT_TRUE(Has(r, "against the default config since")) << r.output;
}

// Two databases in one: the default config's newest time is of another GPU.
TEST_F(VerifyTest, TimesOfTwoRunsSayNothingOfAGain) {
  Tune(kGains);
  const std::string winner = Winner().config;
  SetFaults(kLowClock);
  const Result other = program_.Run(FakeTune(
      "y.db", {kGains}, {"--kernels=sm90_16b_64x64x64_c1x1_s12_coop_static"}));
  ASSERT_EQ(other.status, 0) << other.output;
  ASSERT_EQ(program_.Run({"merge", "--db=x.db", "y.db"}).status, 0);
  ASSERT_EQ(Winner().config, winner);
  ASSERT_GT(*Winner().gain, 1.15);
  SetFaults("");
  const Result r = Verify();
  EXPECT_EQ(r.status, 0) << r.output;
}

TEST_F(VerifyTest, TheDefaultConfigOfAnotherBuildSaysNothingOfAGain) {
  const std::string fallback = "sm90_16b_64x64x64_c1x1_s12_coop_static o1zn k1";
  SetFaults("hot:" + fallback);
  Tune(kGains);
  ASSERT_GT(*Winner().gain, 1.15);
  SetFaults("");
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(program_.File("x.db").c_str(), &db), SQLITE_OK);
  const std::string rebuild =
      "UPDATE configs SET build = 'old' WHERE key = '" + fallback + "'";
  EXPECT_EQ(sqlite3_exec(db, rebuild.c_str(), nullptr, nullptr, nullptr),
            SQLITE_OK);
  EXPECT_EQ(sqlite3_changes(db), 1);
  sqlite3_close(db);
  const Result r = Verify();
  EXPECT_EQ(r.status, 0) << r.output;
}

TEST_F(VerifyTest, LeavesNothingUnfinished) {
  Tune("64x64x64");
  ASSERT_EQ(Verify().status, 0);
  const auto store = Store::Open(program_.File("x.db"), Store::Mode::kReadOnly);
  EXPECT_TRUE((*store)->UnfinishedAttempts({})->empty());
}

TEST_F(VerifyTest, ATypeWithoutAShapeIsAnError) {
  Tune("64x64x64");
  const Result r =
      program_.Run({"verify", "--device=fake:1", "--db=x.db", "--dtype=fp16"});
  EXPECT_EQ(r.status, 2) << r.output;
  EXPECT_TRUE(Has(r, "--dtype: ")) << r.output;
}

TEST(Verify, DoesNotTimeAModel) {
  const Program program;
  const Result model =
      program.Run({"verify", "--device=model:b200", "--db=x.db"});
  EXPECT_EQ(model.status, 1);
  EXPECT_EQ(model.output,
            "autotune: model:b200 is a model; verify times kernels\n");
  const Result none = program.Run({"verify", "--db=x.db"});
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(none.output.find("autotune: No CUDA device here ("), 0u)
      << none.output;
  EXPECT_TRUE(Has(none, "); verify times kernels\n")) << none.output;
}

}  // namespace
}  // namespace tiletune
