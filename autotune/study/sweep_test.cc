#include "autotune/study/sweep.h"

#include <string>
#include <vector>

#include "autotune/measure/fake_bench.h"
#include "gtest/gtest.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

GemmProblem Problem() {
  GemmProblem p;
  p.m = p.n = p.k = 1024;
  return Normalized(p);
}

std::vector<GemmConfig> Configs() {
  CandidateOptions options;
  options.kernels = "sm90_16b_128x*x64_c1x1_*";
  options.offsets = {1, 8};
  options.include_unproven = true;
  return LegalConfigs(Problem(), FakeDevice(), options);
}

// A clock that falls by a twentieth and recovers, again and again.
class DriftingBench : public FakeBench {
 public:
  using FakeBench::FakeBench;
  Trial Time(const TimeRequest& request) override {
    Trial trial = FakeBench::Time(request);
    const double drift = 1 + 0.05 * (calls++ / 40 % 2);
    for (double& ns : trial.samples_ns) ns *= drift;
    return trial;
  }
  int calls = 0;
};

TEST(Sweep, FindsWhatEachConfigTakes) {
  const std::vector<GemmConfig> configs = Configs();
  FakeBench bench(1, {});
  bench.Prepare(Problem(), {});
  const std::vector<Swept> swept = Sweep(&bench, configs, {});
  ASSERT_EQ(swept.size(), configs.size());
  for (size_t i = 0; i < swept.size(); ++i) {
    EXPECT_EQ(ConfigKey(swept[i].config), ConfigKey(configs[i]));
    const double truth = bench.TrueTime(Problem(), {}, configs[i]);
    EXPECT_NEAR(swept[i].level_ns / truth, 1, 0.015);
  }
}

TEST(Sweep, TakesOutTheDrift) {
  const std::vector<GemmConfig> configs = Configs();
  DriftingBench bench(1, {});
  bench.Prepare(Problem(), {});
  const std::vector<Swept> swept = Sweep(&bench, configs, {});
  int close = 0;
  for (const Swept& s : swept) {
    const double truth = bench.TrueTime(Problem(), {}, s.config);
    if (s.trial.samples_ns.size() < 3) continue;
    close += s.level_ns / truth > 0.985 && s.level_ns / truth < 1.015;
  }
  int sampled = 0;
  for (const Swept& s : swept) sampled += s.trial.samples_ns.size() == 3;
  EXPECT_GT(sampled, 20);
  EXPECT_GE(close, sampled * 9 / 10);
}

TEST(Sweep, SamplesTheHopelessOnce) {
  const std::vector<GemmConfig> configs = Configs();
  const std::string slow = ConfigKey(configs[3]);
  FakeBench bench(1, {{FakeFault::Kind::kSlow, slow}});
  bench.Prepare(Problem(), {});
  const std::vector<Swept> swept = Sweep(&bench, configs, {});
  EXPECT_EQ(swept[3].trial.samples_ns.size(), 1u);
  EXPECT_GT(swept[3].level_ns, 0);
}

TEST(Sweep, LeavesOutWhatIsWrong) {
  const std::vector<GemmConfig> configs = Configs();
  FakeBench bench(1, {{FakeFault::Kind::kWrong, ConfigKey(configs[2])}});
  bench.Prepare(Problem(), {});
  const std::vector<Swept> swept = Sweep(&bench, configs, {});
  EXPECT_EQ(swept[2].trial.outcome, Outcome::kWrong);
  EXPECT_EQ(swept[2].level_ns, 0);
  EXPECT_TRUE(swept[2].trial.samples_ns.empty());
}

TEST(Sweep, NeedsNoReference) {
  const std::vector<GemmConfig> configs = Configs();
  FakeBench bench(1, {{FakeFault::Kind::kOom, ConfigKey(configs[0])}});
  bench.Prepare(Problem(), {});
  const std::vector<Swept> swept = Sweep(&bench, configs, {});
  EXPECT_EQ(swept[0].level_ns, 0);
  EXPECT_GT(swept[1].level_ns, 0);
}

TEST(Sweep, OfNothingIsNothing) {
  FakeBench bench(1, {});
  EXPECT_TRUE(Sweep(&bench, {}, {}).empty());
}

}  // namespace
}  // namespace tiletune
