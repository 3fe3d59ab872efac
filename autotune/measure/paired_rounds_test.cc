#include "autotune/measure/paired_rounds.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "autotune/measure/fake_bench.h"
#include "gtest/gtest.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

// Notes who was timed, and fails one of them.
class NotingBench : public Bench {
 public:
  absl::StatusOr<std::vector<BenchDevice>> Devices() override {
    return std::vector<BenchDevice>{};
  }
  Trial Prepare(const GemmProblem&, const MeasurementPolicy&) override {
    return Trial();
  }
  Trial Check(const GemmConfig&, int) override { return Trial(); }
  Trial Time(const TimeRequest& request) override {
    calls.push_back(request.instance);
    Trial trial;
    if (request.instance == failing) {
      trial.outcome = Outcome::kCrashed;
      return trial;
    }
    // Never quiet: 1 and 2 in turn.
    for (int i = 0; i < request.count; ++i) {
      trial.samples_ns.push_back(1 + (request.first + i) % 2);
    }
    return trial;
  }

  std::vector<int> calls;
  int failing = -1;
};

std::vector<Contender> Contenders(int count) {
  GemmConfig config;
  config.variant = FindVariant("reference_naive");
  std::vector<Contender> contenders;
  for (int i = 0; i < count; ++i) contenders.push_back({config, i, Trial()});
  return contenders;
}

// Who was timed in each of `rounds` rounds, in turn.
std::vector<std::vector<int>> Orders(int contenders, int rounds) {
  NotingBench bench;
  std::vector<Contender> timed = Contenders(contenders);
  RoundsRule rule;
  rule.least_rounds = rule.most_rounds = rule.fewest_rounds = rounds;
  RunRounds(&bench, Stage::kFinal, rule, absl::InfiniteFuture(), &timed);
  std::vector<std::vector<int>> orders(rounds);
  for (size_t i = 0; i < bench.calls.size(); ++i) {
    orders[i / contenders].push_back(bench.calls[i]);
  }
  return orders;
}

TEST(RunRounds, TimesEachContenderOnceARound) {
  for (std::vector<int> order : Orders(12, 7)) {
    std::sort(order.begin(), order.end());
    for (int i = 0; i < 12; ++i) EXPECT_EQ(order[i], i);
  }
}

TEST(RunRounds, EverySecondRoundIsTheOneBeforeItBackwards) {
  const auto orders = Orders(12, 8);
  for (int round = 0; round < 8; round += 2) {
    std::vector<int> backwards = orders[round + 1];
    std::reverse(backwards.begin(), backwards.end());
    EXPECT_EQ(orders[round], backwards) << round;
  }
}

// Who has the same neighbours in time in each round shares their errors.
TEST(RunRounds, GivesAContenderOtherNeighboursAfterThat) {
  const auto orders = Orders(36, 8);
  int met_again = 0;
  std::set<std::pair<int, int>> met;
  for (int round = 0; round < 8; round += 2) {
    for (int i = 1; i < 36; ++i) {
      const auto pair = std::minmax(orders[round][i - 1], orders[round][i]);
      met_again += !met.insert(pair).second;
    }
  }
  // Of 140 pairs by lot some 12 in the mean.
  EXPECT_LE(met_again, 25);
}

TEST(RunRounds, TakesTheSameOrdersWhenItIsRunAgain) {
  EXPECT_EQ(Orders(12, 8), Orders(12, 8));
}

TEST(RunRounds, GoesOnWithoutOneThatFails) {
  NotingBench bench;
  bench.failing = 1;
  std::vector<Contender> contenders = Contenders(3);
  RoundsRule rule;
  rule.most_rounds = 10;
  RunRounds(&bench, Stage::kFinal, rule, absl::InfiniteFuture(), &contenders);
  EXPECT_EQ(contenders[0].trial.samples_ns.size(), 10u);
  EXPECT_EQ(contenders[1].trial.outcome, Outcome::kCrashed);
  EXPECT_EQ(contenders[2].trial.samples_ns.size(), 10u);
}

TEST(RunRounds, EndsWhereAllFail) {
  NotingBench bench;
  bench.failing = 0;
  std::vector<Contender> contenders = Contenders(1);
  RunRounds(&bench, Stage::kFinal, {}, absl::InfiniteFuture(), &contenders);
  EXPECT_EQ(bench.calls.size(), 1u);
}

TEST(RunRounds, PastTheDeadlineTheLeastCountIsEnough) {
  NotingBench bench;
  std::vector<Contender> contenders = Contenders(2);
  RunRounds(&bench, Stage::kFinal, {}, absl::InfinitePast(), &contenders);
  for (const Contender& c : contenders) {
    EXPECT_EQ(c.trial.samples_ns.size(), 10u);
  }
}

TEST(RunRounds, LongKernelsGetFewRounds) {
  NotingBench bench;
  std::vector<Contender> contenders = Contenders(2);
  RoundsRule rule;
  rule.most_ns = 1;
  RunRounds(&bench, Stage::kFinal, rule, absl::InfiniteFuture(), &contenders);
  EXPECT_EQ(contenders[0].trial.samples_ns.size(),
            static_cast<size_t>(rule.fewest_rounds));
}

// Contenders that take 1 and 1.1 us, both up to 6 % longer as time goes by.
class DriftingBench : public NotingBench {
 public:
  Trial Time(const TimeRequest& request) override {
    calls.push_back(request.instance);
    const double drift = 1 + 0.06 * (calls.size() / 7 % 3) / 2;
    Trial trial;
    trial.samples_ns = {(request.instance == 0 ? 1000 : 1100) * drift};
    return trial;
  }
};

TEST(RunRounds, ASlowContenderLeavesEarly) {
  DriftingBench bench;
  std::vector<Contender> contenders = Contenders(2);
  RoundsRule rule;
  rule.least_rounds = 20;
  rule.noise = 0;
  RunRounds(&bench, Stage::kFinal, rule, absl::InfiniteFuture(), &contenders);
  EXPECT_LT(contenders[1].trial.samples_ns.size(),
            contenders[0].trial.samples_ns.size());
  EXPECT_NEAR(contenders[1].level.ns / contenders[0].level.ns, 1.1, 0.01);
}

TEST(RunRounds, ACutLeavesSoMany) {
  FakeBench bench(1, {});
  bench.set_noise(0.02);  // nobody is hopeless
  std::vector<Contender> contenders = Contenders(5);
  RoundsRule rule;
  rule.cuts = {{rule.fewest_rounds, 2}};
  rule.most_rounds = 20;
  RunRounds(&bench, Stage::kFinal, rule, absl::InfiniteFuture(), &contenders);
  int stayed = 0;
  for (const Contender& c : contenders) {
    EXPECT_GE(c.trial.samples_ns.size(),
              static_cast<size_t>(rule.fewest_rounds));
    stayed += c.trial.samples_ns.size() == 20u;
  }
  EXPECT_EQ(stayed, 2);
}

TEST(RunRounds, WhoStaysIsTimedToTheEnd) {
  DriftingBench bench;
  std::vector<Contender> contenders = Contenders(2);
  contenders[1].stays = true;
  RoundsRule rule;
  rule.least_rounds = 20;
  rule.noise = 0;
  rule.cuts = {{rule.fewest_rounds, 1}};
  RunRounds(&bench, Stage::kFinal, rule, absl::InfiniteFuture(), &contenders);
  EXPECT_EQ(contenders[1].trial.samples_ns.size(),
            contenders[0].trial.samples_ns.size());
}

// Contender i is slower than the first by i times 0.18 %.
class StaircaseBench : public NotingBench {
 public:
  Trial Time(const TimeRequest& request) override {
    Trial trial;
    trial.samples_ns = {1e6 + 1.8e3 * request.instance};
    return trial;
  }
};

TEST(RunRounds, ACutKeepsTheFastestAndThePreferredOfThoseThatTie) {
  StaircaseBench bench;
  std::vector<Contender> contenders = Contenders(6);
  // 0 and 1 are the fastest, 2 and 3 tie with them, 4 and 5 are beyond a tie.
  for (int i = 0; i < 6; ++i) contenders[i].preference = 5 - i;
  RoundsRule rule;
  rule.cuts = {{rule.fewest_rounds, 3}};
  RunRounds(&bench, Stage::kFinal, rule, absl::InfiniteFuture(), &contenders);
  std::vector<int> stayed;
  for (const Contender& c : contenders) {
    if (c.trial.samples_ns.size() == contenders[0].trial.samples_ns.size()) {
      stayed.push_back(c.instance);
    }
  }
  EXPECT_EQ(stayed, (std::vector<int>{0, 2, 3}));
}

// A GPU that is 20 % faster for its first 5 samples.
class RestedBench : public NotingBench {
 public:
  Trial Time(const TimeRequest& request) override {
    calls.push_back(request.first);
    Trial trial;
    trial.samples_ns = {calls.size() <= 5 ? 800.0 : 1000.0};
    return trial;
  }
};

TEST(RunRounds, WhatAWarmUpTakesIsNoSample) {
  RestedBench bench;
  std::vector<Contender> contenders = Contenders(2);
  RoundsRule rule;
  rule.warm_up_ns = 5e6;  // three rounds of two samples of a millisecond
  RunRounds(&bench, Stage::kFinal, rule, absl::InfiniteFuture(), &contenders);
  for (int i = 0; i < 6; ++i) EXPECT_LT(bench.calls[i], 0);
  for (const Contender& c : contenders) {
    for (double ns : c.trial.samples_ns) EXPECT_EQ(ns, 1000);
  }
}

// Notes the placements.
class PlacingBench : public NotingBench {
 public:
  Trial Time(const TimeRequest& request) override {
    calls.push_back(request.placement);
    Trial trial;
    trial.samples_ns = {1000.0};
    return trial;
  }
};

TEST(RunRounds, TakesThePlacementsInTurn) {
  PlacingBench bench;
  std::vector<Contender> contenders = Contenders(2);
  RoundsRule rule;
  rule.placements = 3;
  rule.most_rounds = rule.least_rounds = 4;
  rule.fewest_rounds = 4;
  RunRounds(&bench, Stage::kFinal, rule, absl::InfiniteFuture(), &contenders);
  EXPECT_EQ(bench.calls, (std::vector<int>{0, 0, 1, 1, 2, 2, 0, 0}));
}

TEST(RunRounds, AWarmUpMeetsAllPlacementsAtOnce) {
  PlacingBench bench;
  std::vector<Contender> contenders = Contenders(3);
  RoundsRule rule;
  rule.placements = 3;
  rule.warm_up_ns = 6e6;
  RunRounds(&bench, Stage::kFinal, rule, absl::InfiniteFuture(), &contenders);
  bench.calls.resize(9);
  EXPECT_EQ(bench.calls, (std::vector<int>{0, 1, 2, 1, 2, 0, 0, 0, 0}));
}

TEST(RunRounds, AWarmUpEndsWhereNobodyIsLeft) {
  NotingBench bench;
  bench.failing = 0;
  std::vector<Contender> contenders = Contenders(1);
  RoundsRule rule;
  rule.warm_up_ns = 1e9;
  RunRounds(&bench, Stage::kFinal, rule, absl::InfiniteFuture(), &contenders);
  EXPECT_EQ(bench.calls.size(), 1u);
}

TEST(RunRounds, QuietContendersStopEarly) {
  FakeBench bench(1, {});
  bench.set_noise(0.001);
  std::vector<Contender> contenders = Contenders(2);
  RunRounds(&bench, Stage::kFinal, {}, absl::InfiniteFuture(), &contenders);
  EXPECT_EQ(contenders[0].trial.samples_ns.size(), 10u);
}

TEST(RunRounds, NoisyOnesGoOnUntilMoreDoesNotHelp) {
  FakeBench bench(1, {});
  bench.set_noise(0.05);
  RoundsRule rule;
  for (double plateau : {0.5, 2.0}) {
    rule.plateau = plateau;
    std::vector<Contender> contenders = Contenders(2);
    RunRounds(&bench, Stage::kFinal, rule, absl::InfiniteFuture(), &contenders);
    const size_t rounds = contenders[0].trial.samples_ns.size();
    EXPECT_EQ(rounds, plateau < 1 ? 40u : 200u);
  }
}

// However quiet this run was, the next process will have other times.
TEST(TieWidths, AreNeverLessThanWhatProcessesDifferBy) {
  std::vector<Contender> quiet = Contenders(2);
  quiet[0].level = {100, 0};
  quiet[1].level = {100.1, 0};
  for (double width : TieWidths(quiet, 0)) EXPECT_DOUBLE_EQ(width, 0.009);
}

TEST(TieWidths, AreWhatTheNoiseAndTheTwinSay) {
  std::vector<Contender> contenders = Contenders(2);
  contenders[0].level = {100, 0};
  contenders[1].level = {101, 0};
  EXPECT_EQ(TieWidths(contenders, 0)[1], kLeastTieWidth);
  EXPECT_EQ(TieWidths(contenders, 0.01)[1], 0.01);
  contenders[1].level.placement_noise = 0.02;
  EXPECT_DOUBLE_EQ(TieWidths(contenders, 0.01)[1], kMostTieWidth);
  contenders[1].level.placement_noise = 0.006;
  EXPECT_DOUBLE_EQ(TieWidths(contenders, 0.01)[1], 0.012);
  EXPECT_DOUBLE_EQ(TieWidths(contenders, 0.01)[0], 0.01);
}

}  // namespace
}  // namespace tiletune
