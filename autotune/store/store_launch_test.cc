// WinnersToLaunch chooses as the view `winners` does.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

#include "autotune/store/store.h"
#include "autotune/store/store_testing.h"

namespace tiletune {
namespace {

using Key = std::tuple<std::string, std::string>;  // problem, policy
using Choice = std::tuple<std::string, std::string, double>;

std::map<Key, Choice> ByView(const Store& store, const std::string& device) {
  Filter filter;
  filter.device = device;
  std::map<Key, Choice> choices;
  const auto winners = store.Winners(filter);
  EXPECT_TRUE(winners.ok()) << winners.status();
  for (const WinnerRow& w : *winners) {
    choices[{w.problem, PolicyKey(w.policy)}] = {w.config, w.build,
                                                 w.median_ns};
  }
  return choices;
}

std::map<Key, Choice> ToLaunch(const Store& store, const std::string& device) {
  std::map<Key, Choice> choices;
  const auto winners = store.WinnersToLaunch(device);
  EXPECT_TRUE(winners.ok()) << winners.status();
  for (const LaunchWinners::Row& row : winners->rows) {
    const LaunchWinners::Config& config = winners->configs[row.config];
    const auto [it, is_new] =
        choices.emplace(Key(row.problem, PolicyKey(row.policy)),
                        Choice(config.key, config.build, row.median_ns));
    EXPECT_TRUE(is_new) << row.problem;
  }
  return choices;
}

class StoreLaunchTest : public ::testing::Test {
 protected:
  StoreLaunchTest() {
    auto opened = Store::Open(folder_.File("x.db"), Store::Mode::kReadWrite);
    if (!opened.ok()) ADD_FAILURE() << opened.status();
    store_ = *std::move(opened);
  }

  // One of few values, so that rows meet in every way there is.
  int Of(int count) {
    return static_cast<int>(random_() % static_cast<unsigned>(count));
  }

  ConfigRecord AnyConfig() {
    static const char* const kSupplies[] = {"static", "queue", "clc"};
    const int variant = Of(4);
    ConfigRecord c =
        TestConfig("v" + std::to_string(variant), kSupplies[variant % 3],
                   "build" + std::to_string(Of(2)));
    c.threads += variant % 2;
    c.split_k = 1 + static_cast<uint32_t>(Of(2));
    c.swizzle_offset = 1 + static_cast<uint32_t>(Of(2));
    c.key = c.variant + " o" + std::to_string(c.swizzle_offset) + "zn k" +
            std::to_string(c.split_k);
    return c;
  }

  Measurement Any(int number) {
    Measurement m = MeasuredAt(100 + 0.5 * Of(8), AnyConfig());
    m.uid = std::to_string(number);
    m.problem = TestProblem(128 * (1 + Of(3)));
    m.device = TestDevice(100 + Of(2));
    m.policy.l2 = Of(4) == 0 ? L2State::kWarm : L2State::kCold;
    m.policy.busy_percent = Of(4) == 0 ? 12 : 0;
    m.noise = 0.005 * Of(4);
    m.stage = Of(3) == 0 ? Stage::kFinal : Stage::kScreen;
    m.is_default = Of(6) == 0;
    m.outcome = Of(8) == 0 ? Outcome::kWrong : Outcome::kOk;
    m.soak_repeats = Of(4) == 0 ? 1 : kSoakRepeats;
    m.recorded_at_us = 1 + Of(5);
    return m;
  }

  void ExpectTheViewsChoices() {
    for (int sms : {100, 101, 102}) {
      const std::string device = TestDevice(sms).Fingerprint();
      EXPECT_EQ(ToLaunch(*store_, device), ByView(*store_, device)) << sms;
    }
  }

  TemporaryFolder folder_;
  std::unique_ptr<Store> store_;
  std::minstd_rand random_{1};
};

TEST_F(StoreLaunchTest, ChoosesAsTheViewDoes) {
  int number = 0;
  for (int batch = 0; batch < 12; ++batch) {
    ASSERT_TRUE(store_
                    ->Transaction([&]() -> absl::Status {
                      for (int i = 0; i < 60; ++i) {
                        const Measurement m = Any(number++);
                        absl::Status s = store_->RecordMeasurement(m);
                        if (s.ok() && Of(20) == 0) {
                          s = store_->MarkMeasurement(
                              m.uid, Of(2) == 0 ? Mark::kStale : Mark::kSuspect,
                              "for a test");
                        }
                        if (s.ok() && Of(30) == 0) {
                          std::optional<MeasurementPolicy> policy;
                          if (Of(2) == 0) policy = m.policy;
                          s = store_->Quarantine(m.problem, m.config, m.device,
                                                 "for a test", policy);
                        }
                        if (!s.ok()) return s;
                      }
                      return absl::OkStatus();
                    })
                    .ok());
    ExpectTheViewsChoices();
  }
  EXPECT_GE(ToLaunch(*store_, TestDevice().Fingerprint()).size(), 10u);
  // And among builds that the caller names.
  ASSERT_TRUE(store_->UseBuilds({{"v0", "build0"}, {"v1", "build1"}}).ok());
  ExpectTheViewsChoices();
}

TEST_F(StoreLaunchTest, ChoosesAmongWhatIsAllowed) {
  const Measurement fast = MeasuredAt(80, TestConfig("fast"));
  const Measurement slow = MeasuredAt(100, TestConfig("slow"));
  ASSERT_TRUE(store_->RecordMeasurement(fast).ok());
  ASSERT_TRUE(store_->RecordMeasurement(slow).ok());
  const auto winners = store_->WinnersToLaunch(
      fast.device.Fingerprint(),
      [&](const std::string& key) { return key == slow.config.key; });
  ASSERT_TRUE(winners.ok()) << winners.status();
  ASSERT_EQ(winners->rows.size(), 1u);
  EXPECT_EQ(winners->configs[winners->rows[0].config].key, slow.config.key);
  EXPECT_EQ(winners->rows[0].median_ns, 100);
}

TEST_F(StoreLaunchTest, AModelledDeviceHasNoWinners) {
  const auto winners =
      store_->WinnersToLaunch(ModelledDevice("b200")->Fingerprint());
  ASSERT_TRUE(winners.ok());
  EXPECT_TRUE(winners->rows.empty());
}

}  // namespace
}  // namespace tiletune
