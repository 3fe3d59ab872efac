#include "autotune/measure/fake_bench.h"

#include <filesystem>
#include <set>
#include <vector>

#include "autotune/measure/noise.h"
#include "gtest/gtest.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

GemmProblem Problem() {
  GemmProblem p;
  p.m = 512;
  p.n = 1024;
  p.k = 512;
  return Normalized(p);
}

GemmConfig Config(uint32_t offset = 1) {
  GemmConfig config;
  config.variant = FindVariant("reference_naive");
  config.swizzle_offset = offset;
  return config;
}

TEST(FakeBench, RepeatsItself) {
  FakeBench one(7, {}), two(7, {});
  one.Prepare(Problem(), {});
  two.Prepare(Problem(), {});
  const Trial whole = one.Time({Config(), Stage::kScreen, 0, 10});
  const Trial start = two.Time({Config(), Stage::kScreen, 0, 4});
  const Trial rest = two.Time({Config(), Stage::kScreen, 4, 6});
  std::vector<double> joined = start.samples_ns;
  joined.insert(joined.end(), rest.samples_ns.begin(), rest.samples_ns.end());
  EXPECT_EQ(whole.samples_ns, joined);
}

TEST(FakeBench, ScattersAroundTheTrueTime) {
  FakeBench bench(7, {});
  bench.Prepare(Problem(), {});
  const double truth = bench.TrueTime(Problem(), {}, Config());
  const Trial trial = bench.Time({Config(), Stage::kScreen, 0, 400});
  EXPECT_NEAR(Median(trial.samples_ns) / truth, 1, 0.001);
}

TEST(FakeBench, OrdersAndSeedsDiffer) {
  std::set<double> times;
  for (uint64_t seed : {1, 2}) {
    for (uint32_t offset : {1, 2, 3}) {
      times.insert(FakeBench(seed, {}).TrueTime(Problem(), {}, Config(offset)));
    }
  }
  EXPECT_EQ(times.size(), 6u);
}

// Not in /tmp, where real GPUs have theirs and nobody cleans up.
TEST(FakeBench, ItsLockFileIsInTheFolderItRunsIn) {
  FakeBench bench(1, {});
  const absl::StatusOr<std::vector<BenchDevice>> devices = bench.Devices();
  ASSERT_TRUE(devices.ok());
  EXPECT_EQ(std::filesystem::path(devices->front().lock_name).parent_path(),
            std::filesystem::current_path());
}

TEST(FakeBench, FailsWhereAFaultIsPlanted) {
  FakeBench bench(1,
                  ParseFaults("wrong:*o2zn*,oom:*o3zn*,slow:*o4zn*").value());
  bench.Prepare(Problem(), {});
  EXPECT_TRUE(bench.Check(Config(1), 1).ok());
  EXPECT_EQ(bench.Check(Config(2), 1).outcome, Outcome::kWrong);
  EXPECT_EQ(bench.Check(Config(3), 1).outcome, Outcome::kOutOfMemory);
  EXPECT_GT(bench.TrueTime(Problem(), {}, Config(4)),
            5 * bench.TrueTime(Problem(), {}, Config(1)));
}

TEST(FakeBench, ARareFaultTakesASoakToFind) {
  FakeBench bench(1, ParseFaults("rare:*").value());
  bench.Prepare(Problem(), {});
  EXPECT_TRUE(bench.Check(Config(), 1).ok());
  EXPECT_FALSE(bench.Check(Config(), kSoakRepeats).ok());
}

TEST(ParseFaults, RefusesUnknownKinds) {
  EXPECT_FALSE(ParseFaults("melt:*").ok());
  EXPECT_FALSE(ParseFaults("hang").ok());
  EXPECT_TRUE(ParseFaults("")->empty());
}

}  // namespace
}  // namespace tiletune
