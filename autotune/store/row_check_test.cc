// Rows that cannot be true: named, left out of imports and merges, collected.
#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "autotune/store/export.h"
#include "autotune/store/store.h"
#include "autotune/store/store_testing.h"
#include "kernels/device.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

class RowCheckTest : public ::testing::Test {
 protected:
  RowCheckTest() : config_(RecordOf(LegalHere())) {}

  static GemmConfig LegalHere() {
    CandidateOptions options;
    options.include_unproven = true;
    return LegalConfigs(TestProblem(), TestDevice(), options).back();
  }

  std::unique_ptr<Store> Open(const std::string& name) {
    auto opened = Store::Open(folder_.File(name), Store::Mode::kReadWrite);
    if (!opened.ok()) ADD_FAILURE() << opened.status();
    return *std::move(opened);
  }

  // One row that is true, and one for each of `impossible`.
  std::unique_ptr<Store> Filled(const std::string& name,
                                const std::vector<ConfigRecord>& impossible) {
    auto store = Open(name);
    EXPECT_TRUE(store->RecordMeasurement(MeasuredAt(100, config_)).ok());
    for (const ConfigRecord& config : impossible) {
      EXPECT_TRUE(store->RecordMeasurement(MeasuredAt(50, config)).ok());
    }
    return store;
  }

  // What `store`, of one row, exports, with another value of `field`.
  static std::stringstream Changed(const Store& store, const std::string& field,
                                   const std::string& value) {
    std::stringstream text;
    EXPECT_TRUE(Export(store, TextFormat::kJsonl, text).ok());
    std::string line = text.str();
    const size_t at = line.find(field);
    if (at == std::string::npos) {
      ADD_FAILURE() << field << " is not in " << line;
    } else {
      line.replace(at, line.find(',', at) - at, field + value);
    }
    return std::stringstream(line);
  }

  ConfigRecord WithKey(const std::string& key) const {
    ConfigRecord config = config_;
    config.key = key;
    return config;
  }

  ConfigRecord Posing() const {
    ConfigRecord config = WithKey(config_.variant + " o3zn k1");
    config.supply = config.supply == "static" ? "queue" : "static";
    return config;
  }

  // Of this program's kernels, each wrong in its own way.
  std::vector<ConfigRecord> AllImpossible() const {
    return {WithKey("garbage"), WithKey("reference_naive o1zn k1"),
            WithKey(config_.variant + " o1zn k9999"), Posing()};
  }

  TemporaryFolder folder_;
  const ConfigRecord config_;
};

TEST_F(RowCheckTest, AMergeLeavesOutWhatNoKernelHereCanHaveRun) {
  auto other = Filled("other.db", AllImpossible());
  auto store = Open("x.db");
  const absl::StatusOr<TakenRows> taken = store->Merge(*other);
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(taken->read, 1);
  EXPECT_EQ(taken->impossible, 4);
  EXPECT_FALSE(taken->first_impossible.empty());
  ASSERT_EQ(store->Measurements({})->size(), 1u);
  EXPECT_EQ(store->Measurements({})->front().config.key, config_.key);
}

TEST_F(RowCheckTest, AnImportNamesTheLineOfTheFirst) {
  auto other = Filled("other.db", {WithKey("garbage")});
  for (const TextFormat format : {TextFormat::kCsv, TextFormat::kJsonl}) {
    auto store = Open(format == TextFormat::kCsv ? "csv.db" : "jsonl.db");
    std::stringstream text;
    ASSERT_TRUE(Export(*other, format, text).ok());
    const auto taken = Import(text, format, store.get());
    ASSERT_TRUE(taken.ok()) << taken.status();
    EXPECT_EQ(taken->read, 1);
    EXPECT_EQ(taken->impossible, 1);
    const std::string line =
        format == TextFormat::kCsv ? "line 3: " : "line 2: ";
    EXPECT_EQ(taken->first_impossible.rfind(line + "\"garbage\"", 0), 0u)
        << taken->first_impossible;
    EXPECT_EQ(store->Measurements({})->size(), 1u);
  }
}

TEST_F(RowCheckTest, APredictionIsHeldToTheSame) {
  auto other = Open("other.db"), store = Open("x.db");
  Prediction p;
  p.problem = TestProblem();
  p.config = WithKey("garbage");
  p.device = *ModelledDevice("h200");
  p.model = "m";
  p.predicted_ns = 1;
  ASSERT_TRUE(other->RecordPrediction(p).ok());
  EXPECT_EQ(store->Merge(*other)->impossible, 1);
  EXPECT_TRUE(store->Predictions({})->empty());
  ASSERT_EQ(other->Impossible({})->size(), 1u);
  EXPECT_TRUE(other->Impossible({})->front().is_prediction);
  EXPECT_EQ(*other->CollectGarbage({false, /*impossible=*/true}), 0);
  EXPECT_TRUE(other->Predictions({})->empty());
}

// The facts of a device are those of the first row that names it: one that
// failed, of which no time is claimed, must not make the true ones impossible.
TEST_F(RowCheckTest, ARowCannotChangeWhatADeviceIs) {
  auto other = Open("other.db"), store = Open("x.db"), truth = Open("true.db");
  Measurement failed = MeasuredAt(100, config_);
  failed.outcome = Outcome::kCrashed;
  ASSERT_TRUE(other->RecordMeasurement(failed).ok());
  std::stringstream poisoned = Changed(*other, "\"capability_major\":", "1");
  // Refused or not:
  Import(poisoned, TextFormat::kJsonl, store.get()).status().IgnoreError();
  ASSERT_TRUE(truth->RecordMeasurement(MeasuredAt(100, config_)).ok());
  EXPECT_EQ(store->Merge(*truth)->impossible, 0);
  EXPECT_TRUE(store->Impossible({})->empty());
  EXPECT_EQ(*store->CollectGarbage({false, /*impossible=*/true}), 0);
  EXPECT_EQ(store->Winners({})->size(), 1u);
}

// Rows that bar a config name a device as well.
TEST_F(RowCheckTest, NorCanOneOfTheQuarantine) {
  auto other = Open("other.db"), store = Open("x.db");
  ASSERT_TRUE(other
                  ->Quarantine(TestProblem(7), WithKey(config_.key + " p0"),
                               TestDevice(), "hangs")
                  .ok());
  std::stringstream poisoned = Changed(*other, "\"capability_major\":", "1");
  Import(poisoned, TextFormat::kJsonl, store.get()).status().IgnoreError();
  ASSERT_TRUE(store->RecordMeasurement(MeasuredAt(100, config_)).ok());
  EXPECT_TRUE(store->Impossible({})->empty());
  EXPECT_EQ(*store->CollectGarbage({false, /*impossible=*/true}), 0);
}

// Dispatch reads both texts as one problem, query only the first.
TEST_F(RowCheckTest, AProblemHasOneText) {
  auto other = Filled("other.db", {}), store = Open("x.db");
  std::stringstream changed =
      Changed(*other, "\"problem\":", "\"0" + ProblemKey(TestProblem()) + "\"");
  const auto taken = Import(changed, TextFormat::kJsonl, store.get());
  EXPECT_TRUE(!taken.ok() || taken->impossible == 1);
}

// Its fingerprint says how many SMs it has.
TEST_F(RowCheckTest, ARowIsHeldToItsFingerprint) {
  auto other = Filled("other.db", {}), store = Open("x.db");
  std::stringstream changed = Changed(*other, "\"sm_count\":", "9999");
  const auto taken = Import(changed, TextFormat::kJsonl, store.get());
  EXPECT_TRUE(!taken.ok() || taken->impossible == 1);
}

// What an older program's kernels can run is not known here.
TEST_F(RowCheckTest, RowsOfOtherBuildsAreTaken) {
  ConfigRecord old = WithKey("garbage");
  old.build = "old";
  auto other = Filled("other.db", {old, TestConfig("unknown")});
  auto store = Open("x.db");
  EXPECT_EQ(store->Merge(*other)->impossible, 0);
  EXPECT_EQ(store->Measurements({})->size(), 3u);
  EXPECT_TRUE(store->Impossible({})->empty());
}

TEST_F(RowCheckTest, AFailedCandidateClaimsNothing) {
  auto other = Filled("other.db", {});
  Measurement m = MeasuredAt(50, WithKey(config_.variant + " o1zn k9999"));
  m.outcome = Outcome::kRefused;
  ASSERT_TRUE(other->RecordMeasurement(m).ok());
  EXPECT_EQ(Open("x.db")->Merge(*other)->impossible, 0);
}

TEST_F(RowCheckTest, ThoseOfAnOldFileAreFoundAndCollected) {
  auto store = Filled("x.db", AllImpossible());
  const absl::StatusOr<std::vector<ImpossibleRow>> found =
      store->Impossible({});
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->size(), 4u);
  for (const ImpossibleRow& row : *found) {
    EXPECT_EQ(row.device, TestDevice().Fingerprint());
    EXPECT_EQ(row.rows, 1);
    EXPECT_FALSE(row.reason.empty());
  }
  Filter elsewhere;
  elsewhere.problem = ProblemKey(TestProblem(1));
  EXPECT_TRUE(store->Impossible(elsewhere)->empty());
  EXPECT_EQ(*store->CollectGarbage({}), 0);
  EXPECT_EQ(*store->CollectGarbage({false, /*impossible=*/true}), 4);
  ASSERT_EQ(store->Measurements({})->size(), 1u);
  EXPECT_EQ(store->Measurements({})->front().config.key, config_.key);
}

}  // namespace
}  // namespace tiletune
