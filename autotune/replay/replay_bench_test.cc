#include "autotune/replay/replay_bench.h"

#include <vector>

#include "autotune/store/store_testing.h"
#include "gtest/gtest.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

GemmProblem Problem() {
  GemmProblem p;
  p.m = p.n = p.k = 4096;
  return Normalized(p);
}

class ReplayBenchTest : public ::testing::Test {
 protected:
  ReplayBenchTest()
      : store_(Store::Open(folder_.File("x.db.oracle"), Store::Mode::kReadWrite)
                   .value()) {
    for (const KernelVariant& v : Variants()) {
      if (v.architecture != Architecture::kHopper) continue;
      GemmConfig config;
      config.variant = &v;
      configs_.push_back(config);
    }
  }

  void Add(const GemmConfig& config, Stage stage, double ns) {
    Measurement m = MeasuredAt(ns, RecordOf(config));
    m.problem = Problem();
    m.stage = stage;
    ASSERT_TRUE(store_->RecordMeasurement(m).ok());
  }

  TemporaryFolder folder_;
  std::unique_ptr<Store> store_;
  std::vector<GemmConfig> configs_;
};

TEST_F(ReplayBenchTest, TakesWhatTheSweepTook) {
  Add(configs_[0], Stage::kScreen, 1000);
  const auto record = SweepRecord::Read(*store_);
  ASSERT_TRUE(record.ok()) << record.status();
  ASSERT_EQ(record->problems().size(), 1u);
  ReplayBench bench(&*record, /*process=*/1);
  bench.Prepare(record->problems()[0], {});
  EXPECT_TRUE(bench.Knows(configs_[0]));
  EXPECT_FALSE(bench.Knows(configs_[1]));
  EXPECT_EQ(bench.SteadyTime(configs_[0]), 1000);
  const Trial trial = bench.Time({configs_[0], Stage::kFinal, 0, 1});
  EXPECT_NEAR(trial.samples_ns[0], 1000, 100);
}

TEST_F(ReplayBenchTest, AFinalistCountsAtTheClockOfTheScreen) {
  Add(configs_[0], Stage::kScreen, 1000);
  Add(configs_[0], Stage::kFinal, 1200);
  Add(configs_[1], Stage::kScreen, 1050);
  Add(configs_[1], Stage::kFinal, 1260);
  Add(configs_[2], Stage::kScreen, 1000);
  Add(configs_[2], Stage::kFinal, 1212);
  Add(configs_[3], Stage::kScreen, 1300);
  const auto record = SweepRecord::Read(*store_);
  ASSERT_TRUE(record.ok()) << record.status();
  const auto& times = record->TimesOf(Problem());
  EXPECT_NEAR(times.at(ConfigKey(configs_[0])), 1000, 1);
  EXPECT_NEAR(times.at(ConfigKey(configs_[2])), 1010, 1);
  EXPECT_EQ(times.at(ConfigKey(configs_[3])), 1300);
}

TEST_F(ReplayBenchTest, AFinalPaysForNoSecondFirstLook) {
  Add(configs_[0], Stage::kScreen, 1e6);
  const auto record = SweepRecord::Read(*store_);
  ASSERT_TRUE(record.ok()) << record.status();
  ReplayBench bench(&*record, /*process=*/1);
  bench.Prepare(record->problems()[0], {});
  bench.Time({configs_[0], Stage::kScreen, 0, 1});
  const double screen = bench.gpu_ns();
  bench.Time({configs_[0], Stage::kFinal, 0, 1});
  EXPECT_LT(bench.gpu_ns() - screen, screen / 2);
  EXPECT_GT(bench.gpu_ns() - screen, 2e6) << "two launches at least";
}

TEST_F(ReplayBenchTest, NeedsOneDevice) {
  EXPECT_EQ(SweepRecord::Read(*store_).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tiletune
