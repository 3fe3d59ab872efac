// Merging is a union: properties over random files.
#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <vector>

#include "autotune/store/connection.h"
#include "autotune/store/export.h"
#include "autotune/store/store.h"
#include "autotune/store/store_testing.h"

namespace tiletune {
namespace {

class MergeTest : public ::testing::Test {
 protected:
  std::unique_ptr<Store> Open() {
    auto opened = Store::Open(folder_.File(std::to_string(++files_) + ".db"),
                              Store::Mode::kReadWrite);
    if (!opened.ok()) ADD_FAILURE() << opened.status();
    return *std::move(opened);
  }

  int Pick(int count) { return static_cast<int>(random_() % count); }

  // Few distinct values, so that files share keys and disagree about them.
  std::unique_ptr<Store> RandomStore() {
    auto store = Open();
    const absl::Status filled = store->Transaction([&]() -> absl::Status {
      for (int i = 0; i < 30; ++i) {
        // A key and a build decide the rest of a config.
        const int variant = Pick(4);
        const ConfigRecord config = TestConfig(
            "v" + std::to_string(variant), variant % 2 ? "static" : "queue",
            "build" + std::to_string(Pick(2)));
        DeviceFacts device = TestDevice(Pick(2) ? 50 : 100);
        device.name = Pick(2) ? "PCIe" : "SXM";
        device.max_clock_mhz = 1900 + Pick(3);
        const GemmProblem problem = TestProblem(1 + Pick(3));
        Measurement m = MeasuredAt(100 + Pick(10), config);
        m.uid = "m" + std::to_string(random_());
        m.device = device;
        m.problem = problem;
        m.recorded_at_us = 1 + Pick(5);
        m.is_default = Pick(4) == 0;
        m.stage = Pick(3) ? Stage::kFinal : Stage::kScreen;
        m.outcome = Pick(8) ? Outcome::kOk : Outcome::kWrong;
        m.soak_repeats = Pick(4) ? 64 : 0;
        absl::Status status = store->RecordMeasurement(m);
        if (!status.ok()) return status;
        uids_.push_back(m.uid);
        Prediction p;
        p.problem = problem;
        p.config = config;
        p.device = device;
        p.model = "model" + std::to_string(Pick(2));
        p.predicted_ns = 100 + Pick(5);
        p.recorded_at_us = 1 + Pick(5);
        status = store->RecordPrediction(p);
        if (!status.ok()) return status;
        if (Pick(10) != 0) continue;
        status = store->MarkMeasurement(uids_[Pick(uids_.size())],
                                        Pick(2) ? Mark::kStale : Mark::kSuspect,
                                        "r");
        if (!status.ok()) return status;
        std::optional<MeasurementPolicy> policy;
        if (Pick(2)) policy = m.policy;
        status = store->Quarantine(problem, config, device, "hung", policy);
        if (!status.ok()) return status;
      }
      return absl::OkStatus();
    });
    EXPECT_TRUE(filled.ok()) << filled;
    return store;
  }

  static std::string Everything(const Store& store) {
    std::ostringstream out;
    EXPECT_TRUE(Export(store, TextFormat::kJsonl, out).ok());
    auto winners = store.Winners({});
    EXPECT_TRUE(winners.ok());
    for (const WinnerRow& w : *winners) {
      out << w.device << w.problem << w.config << w.build << w.median_ns
          << w.ties << w.candidates << w.measurement_uid << '\n';
    }
    return out.str();
  }

  std::unique_ptr<Store> Merged(const std::vector<const Store*>& parts) {
    auto all = Open();
    for (const Store* part : parts) {
      const absl::StatusOr<TakenRows> merged = all->Merge(*part);
      EXPECT_TRUE(merged.ok()) << merged.status();
    }
    return all;
  }

  TemporaryFolder folder_;
  std::minstd_rand random_{7};
  std::vector<std::string> uids_;
  int files_ = 0;
};

TEST_F(MergeTest, IsCommutativeAssociativeAndIdempotent) {
  for (int round = 0; round < 5; ++round) {
    auto a = RandomStore(), b = RandomStore(), c = RandomStore();
    const std::string abc = Everything(*Merged({a.get(), b.get(), c.get()}));
    EXPECT_TRUE(Everything(*Merged({c.get(), b.get(), a.get()})) == abc);
    EXPECT_TRUE(Everything(*Merged(
                    {b.get(), a.get(), b.get(), c.get(), a.get()})) == abc);
    auto bc = Merged({b.get(), c.get()});
    EXPECT_TRUE(Everything(*Merged({a.get(), bc.get()})) == abc);
    EXPECT_FALSE(Everything(*a) == abc);
  }
}

// Of what two files bar for the same reason, the earlier time stays.
TEST_F(MergeTest, TheFirstTimeThatAConfigWasBarredCounts) {
  std::vector<std::unique_ptr<Store>> parts;
  for (int64_t at : {30, 10, 20}) {
    parts.push_back(Open());
    ASSERT_TRUE(
        parts.back()
            ->Quarantine(TestProblem(), TestConfig("v"), TestDevice(), "hung")
            .ok());
    ASSERT_TRUE(parts.back()
                    ->connection()
                    ->Execute("UPDATE quarantine SET recorded_at_us = " +
                              std::to_string(at))
                    .ok());
  }
  const auto all = Merged({parts[0].get(), parts[1].get(), parts[2].get()});
  const auto rows = all->Quarantined({}).value();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].recorded_at_us, 10);
  const auto back = Merged({parts[2].get(), parts[1].get(), parts[0].get()});
  EXPECT_TRUE(Everything(*all) == Everything(*back));
}

TEST_F(MergeTest, WithItselfOrNothingChangesNothing) {
  auto a = RandomStore();
  const std::string before = Everything(*a);
  auto empty = Open();
  ASSERT_TRUE(a->Merge(*empty).ok());
  ASSERT_TRUE(a->Merge(*Merged({a.get()})).ok());
  EXPECT_TRUE(Everything(*a) == before);
}

TEST_F(MergeTest, DoesNotTakeAttempts) {
  auto a = Open(), b = Open();
  Attempt attempt;
  attempt.problem = TestProblem();
  attempt.config = TestConfig("v");
  attempt.device = TestDevice();
  ASSERT_TRUE(b->RecordStarted(attempt).ok());
  ASSERT_TRUE(a->Merge(*b).ok());
  EXPECT_TRUE(a->UnfinishedAttempts({})->empty());
}

TEST_F(MergeTest, TextOfTwoFilesImportsToTheirMerge) {
  auto a = RandomStore(), b = RandomStore();
  auto imported = Open();
  for (const Store* part : {a.get(), b.get()}) {
    std::stringstream text;
    ASSERT_TRUE(Export(*part, TextFormat::kJsonl, text).ok());
    ASSERT_TRUE(Import(text, TextFormat::kJsonl, imported.get()).ok());
  }
  EXPECT_TRUE(Everything(*imported) == Everything(*Merged({a.get(), b.get()})));
}

}  // namespace
}  // namespace tiletune
