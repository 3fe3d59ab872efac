#include "autotune/paired_rounds.h"

#include <string>
#include <vector>

#include "autotune/fake_bench.h"
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

TEST(RunRounds, TakesTurnsAndStartsEachRoundWithAnother) {
  NotingBench bench;
  std::vector<Contender> contenders = Contenders(3);
  StopRule rule;
  rule.most_samples = 15;
  RunRounds(&bench, Stage::kFinal, rule, absl::InfiniteFuture(), &contenders);
  EXPECT_EQ(bench.calls, (std::vector<int>{0, 1, 2, 1, 2, 0, 2, 0, 1}));
  for (const Contender& c : contenders) {
    EXPECT_EQ(c.trial.samples_ns.size(), 15u);
  }
}

TEST(RunRounds, GoesOnWithoutOneThatFails) {
  NotingBench bench;
  bench.failing = 1;
  std::vector<Contender> contenders = Contenders(3);
  StopRule rule;
  rule.most_samples = 10;
  RunRounds(&bench, Stage::kFinal, rule, absl::InfiniteFuture(), &contenders);
  EXPECT_EQ(contenders[0].trial.samples_ns.size(), 10u);
  EXPECT_EQ(contenders[1].trial.outcome, Outcome::kCrashed);
  EXPECT_EQ(contenders[2].trial.samples_ns.size(), 10u);
}

TEST(RunRounds, PastTheDeadlineTheLeastCountIsEnough) {
  NotingBench bench;
  std::vector<Contender> contenders = Contenders(2);
  RunRounds(&bench, Stage::kFinal, {}, absl::InfinitePast(), &contenders);
  for (const Contender& c : contenders) {
    EXPECT_EQ(c.trial.samples_ns.size(), 10u);
  }
}

TEST(RunRounds, AQuietContenderStopsEarly) {
  FakeBench bench(1, {});
  bench.set_noise(0.001);
  std::vector<Contender> contenders = Contenders(2);
  RunRounds(&bench, Stage::kFinal, {}, absl::InfiniteFuture(), &contenders);
  EXPECT_EQ(contenders[0].trial.samples_ns.size(), 10u);
}

}  // namespace
}  // namespace tiletune
