#include "autotune/worker/remote_bench.h"

#include <cstdlib>
#include <string>

#include "autotune/measure/fake_bench.h"
#include "gtest/gtest.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

GemmProblem Problem() {
  GemmProblem p;
  p.m = p.n = p.k = 512;
  return Normalized(p);
}

GemmConfig Config(uint32_t offset) {
  GemmConfig config;
  config.variant = FindVariant("reference_naive");
  config.swizzle_offset = offset;
  return config;
}

class RemoteBenchTest : public ::testing::Test {
 protected:
  RemoteBenchTest() : bench_(Command(), Limits()) {
    setenv("TILETUNE_FAKE_FAULTS", "crash:*o2zn*,hang:*o3zn*", 1);
  }

  // BUILD passes the path of the program.
  static std::vector<std::string> Command() {
    const char* path = std::getenv("FAKE_WORKER");
    return {path == nullptr ? "" : path, "fake:1"};
  }

  static RemoteBench::Limits Limits() {
    RemoteBench::Limits limits;
    limits.trial = absl::Seconds(1);
    // Also what the first answer of a worker may take.
    limits.start = absl::Seconds(10);
    return limits;
  }

  // What the same device says in this process.
  std::vector<double> Expected(const GemmConfig& config) {
    FakeBench local(1, {});
    local.Prepare(Problem(), {});
    return local.Time({config, Stage::kScreen, 0, 5}).samples_ns;
  }

  std::vector<double> Remote(const GemmConfig& config) {
    const Trial trial = bench_.Time({config, Stage::kScreen, 0, 5});
    EXPECT_TRUE(trial.ok()) << trial.detail;
    return trial.samples_ns;
  }

  RemoteBench bench_;
};

TEST_F(RemoteBenchTest, IsTheDeviceOfItsWorker) {
  const auto devices = bench_.Devices();
  ASSERT_TRUE(devices.ok()) << devices.status();
  EXPECT_EQ(devices->front().facts.Fingerprint(), FakeDevice().Fingerprint());
  ASSERT_TRUE(bench_.Prepare(Problem(), {}).ok());
  EXPECT_EQ(Remote(Config(1)), Expected(Config(1)));
  EXPECT_EQ(bench_.starts(), 1) << "one worker serves every request";
}

TEST_F(RemoteBenchTest, ANewWorkerIsPreparedLikeTheOneThatCrashed) {
  ASSERT_TRUE(bench_.Prepare(Problem(), {}).ok());
  EXPECT_EQ(bench_.Check(Config(2), 1).outcome, Outcome::kCrashed);
  EXPECT_EQ(Remote(Config(1)), Expected(Config(1)));
  EXPECT_EQ(bench_.starts(), 2);
}

TEST_F(RemoteBenchTest, ANewWorkerIsPreparedWhateverItWasAskedFirst) {
  ASSERT_TRUE(bench_.Prepare(Problem(), {}).ok());
  EXPECT_EQ(bench_.Check(Config(2), 1).outcome, Outcome::kCrashed);
  ASSERT_TRUE(bench_.Devices().ok());
  EXPECT_EQ(Remote(Config(1)), Expected(Config(1)));
}

TEST_F(RemoteBenchTest, AHangCostsItsLimitAndNoMore) {
  ASSERT_TRUE(bench_.Prepare(Problem(), {}).ok());
  EXPECT_EQ(bench_.Check(Config(3), 1).outcome, Outcome::kTimeout);
  EXPECT_EQ(Remote(Config(1)), Expected(Config(1)));
}

TEST_F(RemoteBenchTest, RefusesTrialsWithoutAProblem) {
  EXPECT_EQ(bench_.Check(Config(1), 1).outcome, Outcome::kRefused);
}

TEST(RemoteBench, SaysThatItsWorkerDoesNotStart) {
  RemoteBench bench({"/nonexistent"}, {});
  EXPECT_FALSE(bench.Devices().ok());
  EXPECT_EQ(bench.Prepare(Problem(), {}).outcome, Outcome::kCrashed);
}

}  // namespace
}  // namespace tiletune
