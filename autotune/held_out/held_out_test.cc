#include "autotune/held_out/held_out.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "autotune/store/store_testing.h"
#include "gtest/gtest.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

DeviceFacts Device() {
  DeviceFacts d;
  d.capability_major = 9;
  d.sm_count = 132;
  d.l2_bytes = 50 << 20;
  d.bandwidth_class = 4800;
  d.power_class = 700;
  d.shared_bytes_per_cta = 232448;
  d.max_clock_mhz = 1980;
  d.memory_bytes_per_second = 4.8e12;
  d.dense_16bit_flops = 1e15;
  return d;
}

GemmProblem Problem(int64_t m) {
  GemmProblem p;
  p.m = m;
  p.n = p.k = 4096;
  return Normalized(p);
}

class HeldOutTest : public ::testing::Test {
 protected:
  std::unique_ptr<Store> Open(const char* file) {
    return Store::Open(folder_.File(file), Store::Mode::kReadWrite).value();
  }

  static void Add(Store* store, const GemmProblem& problem,
                  const GemmConfig& config, Stage stage, double ns) {
    Measurement m;
    m.problem = problem;
    m.config = RecordOf(config);
    m.device = Device();
    m.stage = stage;
    m.samples_ns.assign(10, static_cast<float>(ns));
    m.noise = 0.01;
    m.soak_repeats = kSoakRepeats;
    Summarize(&m);
    ASSERT_TRUE(store->RecordMeasurement(m).ok());
  }

  static GemmConfig Fast() {
    return DefaultConfig(Problem(8192), Device()).value();
  }

  // Any other.
  static GemmConfig Other() {
    GemmConfig other = Fast();
    other.swizzle_offset = other.swizzle_offset == 1 ? 2 : 1;
    return other;
  }

  TemporaryFolder folder_;
};

TEST_F(HeldOutTest, AHiddenShapeTakesItsNeighboursConfig) {
  const auto tuned = Open("tuned.db"), swept = Open("swept.db");
  const GemmConfig fast = Fast(), other = Other();
  for (int64_t m : {8192, 8320}) {
    Add(tuned.get(), Problem(m), fast, Stage::kFinal, 100);
    Add(swept.get(), Problem(m), fast, Stage::kScreen, 110);
    Add(swept.get(), Problem(m), other, Stage::kScreen, 100);
    // Of a final nothing is taken.
    Add(swept.get(), Problem(m), other, Stage::kFinal, 50);
  }
  const auto shapes =
      HoldOut(*tuned, *swept, /*folds=*/2, folder_.File("fold.db"));
  ASSERT_TRUE(shapes.ok()) << shapes.status();
  ASSERT_EQ(shapes->size(), 2u);
  for (const HeldOutShape& s : *shapes) {
    EXPECT_EQ(s.source, "nearest") << s.problem;
    EXPECT_EQ(s.config, ConfigKey(fast));
    ASSERT_TRUE(s.loss.has_value());
    EXPECT_NEAR(*s.loss, 0.1, 1e-6);
  }
}

TEST_F(HeldOutTest, AConfigThatTheSweepDoesNotHaveHasNoLoss) {
  const auto tuned = Open("tuned.db"), swept = Open("swept.db");
  const GemmConfig fast = Fast(), other = Other();
  for (int64_t m : {8192, 8320}) {
    Add(tuned.get(), Problem(m), fast, Stage::kFinal, 100);
    Add(swept.get(), Problem(m), other, Stage::kScreen, 100);
  }
  const auto shapes =
      HoldOut(*tuned, *swept, /*folds=*/2, folder_.File("fold.db"));
  ASSERT_TRUE(shapes.ok()) << shapes.status();
  for (const HeldOutShape& s : *shapes) EXPECT_FALSE(s.loss.has_value());
}

TEST_F(HeldOutTest, OneDeviceAtATime) {
  const auto tuned = Open("tuned.db"), swept = Open("swept.db");
  EXPECT_EQ(HoldOut(*tuned, *swept, 2, folder_.File("fold.db")).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace tiletune
