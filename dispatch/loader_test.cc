#include "dispatch/loader.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "dispatch/dispatch_testing.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

class LoaderTest : public ::testing::Test {
 protected:
  LoaderTest() {
    FakeKernels::Reset();
    request_.device = TestDevice();
    request_.backend = &FakeKernels::Backend();
    request_.user_database = folder_.File("user.db");
    user_ = Open("user.db");
    configs_ = LegalNonDefaults(problem_, TestDevice(), 3);
  }

  std::unique_ptr<Store> Open(const std::string& name) {
    auto store = Store::Open(folder_.File(name), Store::Mode::kReadWrite);
    if (!store.ok()) ADD_FAILURE() << store.status();
    return *std::move(store);
  }

  ChoiceTable Load() {
    warnings_.clear();
    Warnings warnings(
        [this](const std::string& text) { warnings_.push_back(text); });
    return ChoiceTable(LoadChoices(request_, &warnings).entries);
  }

  // The choice for problem_, which must be there.
  Choice Loaded() {
    const ChoiceTable table = Load();
    const TableEntry* entry = table.Find(Normalized(problem_));
    if (entry != nullptr) return entry->choice;
    ADD_FAILURE() << "nothing for " << ProblemKey(problem_);
    return {};
  }

  TemporaryFolder folder_;
  LoadRequest request_;
  std::unique_ptr<Store> user_;
  const GemmProblem problem_ = TestProblem(1024, 1024, 1024);
  std::vector<GemmConfig> configs_;
  std::vector<std::string> warnings_;
};

// The key under which a problem is tuned is the one under which it is found.
TEST_F(LoaderTest, WhatWasTunedIsFoundForEveryKindOfProblem) {
  std::vector<GemmProblem> problems;
  for (Layout layout : {Layout::kTN, Layout::kNN, Layout::kNT, Layout::kTT}) {
    for (DataType type : {DataType::kBf16, DataType::kFp16}) {
      for (DataType d_type : {type, DataType::kFp32}) {
        for (int64_t batch : {1, 3}) {
          for (int64_t m : {1, 333, 4096}) {
            GemmProblem p = TestProblem(m, 1032, 520);
            p.a_type = p.b_type = p.c_type = type;
            p.d_type = d_type;
            p.layout = layout;
            p.batch = batch;
            problems.push_back(p);
            p.lda = 5000;
            p.epilogue.reads_c = true;
            p.ldc = 2000;
            p.epilogue.bias = Bias::kPerColumn;
            p.epilogue.activation = Activation::kGelu;
            p.pointer_alignment = 8;
            problems.push_back(p);
          }
        }
      }
    }
  }
  const absl::Status tuned = user_->Transaction([&] {
    for (const GemmProblem& p : problems) {
      GemmConfig config = *DefaultConfig(p, TestDevice());
      TuneFor(user_.get(), p, config, TestDevice());
    }
    return absl::OkStatus();
  });
  ASSERT_TRUE(tuned.ok());
  const ChoiceTable table = Load();
  EXPECT_EQ(table.size(), problems.size());
  for (const GemmProblem& p : problems) {
    EXPECT_NE(table.Find(Normalized(p)), nullptr) << ProblemKey(p);
  }
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(LoaderTest, TrustsPinsThenTheUserThenTheSystem) {
  request_.system_database = folder_.File("system.db");
  auto system = Open("system.db");
  TuneFor(system.get(), problem_, configs_[0], TestDevice(), 10);
  EXPECT_EQ(Loaded().why, Why::kSystem);
  TuneFor(user_.get(), problem_, configs_[1], TestDevice(), 20);
  Choice choice = Loaded();
  EXPECT_EQ(choice.why, Why::kTuned);
  EXPECT_TRUE(choice.config == configs_[1]);
  EXPECT_EQ(choice.expected_ns, 20);
  request_.pins.push_back({problem_, ConfigKey(configs_[2])});
  choice = Loaded();
  EXPECT_EQ(choice.why, Why::kPinned);
  EXPECT_TRUE(choice.config == configs_[2]);
}

TEST_F(LoaderTest, AnotherDevicesRowsAreNotTaken) {
  TuneFor(user_.get(), problem_, configs_[0], TestDevice(50));
  EXPECT_EQ(Load().size(), 0u);
  TuneFor(user_.get(), problem_, configs_[1], TestDevice());
  EXPECT_TRUE(Loaded().config == configs_[1]);
}

TEST_F(LoaderTest, AModelledDeviceIsNotTheRealOne) {
  Prediction p;
  p.problem = problem_;
  p.config = RecordOf(configs_[0]);
  p.device = TestDevice();
  p.device.modelled = true;
  p.model = "model 1";
  p.predicted_ns = 5;
  ASSERT_TRUE(user_->RecordPrediction(p).ok());
  Warnings warnings(nullptr);
  struct Loaded loaded = LoadChoices(request_, &warnings);
  EXPECT_TRUE(loaded.entries.empty());
  // Its facts are the same, so its prediction is one for this device too.
  ASSERT_EQ(loaded.predictions.size(), 1u);
  EXPECT_EQ(loaded.predictions[0].choice.why, Why::kPredicted);
  // And what was measured is nothing to a modelled device.
  TuneFor(user_.get(), problem_, configs_[0], TestDevice());
  request_.device.modelled = true;
  EXPECT_EQ(Load().size(), 0u);
}

TEST_F(LoaderTest, ThePolicyAskedForComesFirst) {
  const MeasurementPolicy warm{L2State::kWarm, LaunchMode::kStream, 0};
  const MeasurementPolicy busy{L2State::kCold, LaunchMode::kGraph, 25};
  TuneFor(user_.get(), problem_, configs_[0], TestDevice(), 10, busy);
  EXPECT_TRUE(Loaded().config == configs_[0]);
  TuneFor(user_.get(), problem_, configs_[1], TestDevice(), 10);
  EXPECT_TRUE(Loaded().config == configs_[1]);
  TuneFor(user_.get(), problem_, configs_[2], TestDevice(), 10, warm);
  EXPECT_TRUE(Loaded().config == configs_[1]);
  request_.policy = warm;
  EXPECT_TRUE(Loaded().config == configs_[2]);
  request_.policy = busy;
  EXPECT_TRUE(Loaded().config == configs_[0]);
}

TEST_F(LoaderTest, AnIllegalConfigIsLeftOutWithAReason) {
  // Blackwell's, measured on a Hopper GPU: somebody edited the file.
  absl::StatusOr<DeviceFacts> b200 = ModelledDevice("b200");
  ASSERT_TRUE(b200.ok());
  TuneFor(user_.get(), problem_, LegalNonDefaults(problem_, *b200, 1)[0],
          TestDevice());
  EXPECT_EQ(Load().size(), 0u);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("needs compute capability 10"), std::string::npos)
      << warnings_[0];
}

TEST_F(LoaderTest, AnotherBuildOfAVariantIsNotTakenAndSaidOnce) {
  Measurement old = MeasuredAt(5, RecordOf(configs_[0]));
  old.problem = problem_;
  old.config.build = "yesterday's";
  ASSERT_TRUE(user_->RecordMeasurement(old).ok());
  EXPECT_EQ(Load().size(), 0u);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("none of its 1 measurements"), std::string::npos)
      << warnings_[0];
  TuneFor(user_.get(), problem_, configs_[1], TestDevice(), 100);
  EXPECT_TRUE(Loaded().config == configs_[1]);
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(LoaderTest, AKeyThatIsAnotherVariantsIsLeftOut) {
  TuneFor(user_.get(), problem_, configs_[0], TestDevice());
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(request_.user_database.c_str(), &db), SQLITE_OK);
  const std::string sql =
      "UPDATE configs SET key = '" + ConfigKey(configs_[1]) + "'";
  ASSERT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(db);
  EXPECT_EQ(Load().size(), 0u);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("which this is not"), std::string::npos);
}

TEST_F(LoaderTest, AVariantThatIsNotLinkedIsLeftOutWithAReason) {
  TuneFor(user_.get(), problem_, configs_[0], TestDevice());
  FakeKernels::unlinked.insert(configs_[0].variant->name);
  EXPECT_EQ(Load().size(), 0u);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("not linked"), std::string::npos);
}

TEST_F(LoaderTest, ABadPinIsLeftOutWithAReason) {
  request_.pins.push_back({problem_, "no_such_variant o1zn k1"});
  request_.pins.push_back({problem_, "nonsense"});
  EXPECT_EQ(Load().size(), 0u);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("2 of its rows are not used"), std::string::npos);
  EXPECT_NE(warnings_[0].find("no_such_variant"), std::string::npos);
}

TEST_F(LoaderTest, EntriesKnowTheirWorkspace) {
  FakeKernels::workspace[configs_[0].variant->name] = 4096;
  TuneFor(user_.get(), problem_, configs_[0], TestDevice());
  EXPECT_EQ(Loaded().workspace_bytes, 4096u);
}

TEST_F(LoaderTest, TroubleIsOneWarningAndNothingLoaded) {
  request_.user_database = folder_.File("missing.db");
  EXPECT_EQ(Load().size(), 0u);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("missing.db"), std::string::npos);
  EXPECT_NE(warnings_[0].find("going on without it"), std::string::npos);
}

TEST_F(LoaderTest, ABrokenUserDatabaseDoesNotHideTheSystems) {
  request_.user_database = folder_.File("missing.db");
  request_.system_database = folder_.File("user.db");
  TuneFor(user_.get(), problem_, configs_[0], TestDevice());
  EXPECT_EQ(Loaded().why, Why::kSystem);
}

TEST_F(LoaderTest, ALockedDatabaseIsOneWarning) {
  TuneFor(user_.get(), problem_, configs_[0], TestDevice());
  sqlite3* holder = nullptr;
  ASSERT_EQ(sqlite3_open(request_.user_database.c_str(), &holder), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(holder, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr),
            SQLITE_OK);
  EXPECT_EQ(Load().size(), 0u);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("locked"), std::string::npos) << warnings_[0];
  sqlite3_close(holder);
  EXPECT_EQ(Load().size(), 1u);
}

TEST_F(LoaderTest, ANewerDatabaseIsOneWarning) {
  TuneFor(user_.get(), problem_, configs_[0], TestDevice());
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(request_.user_database.c_str(), &db), SQLITE_OK);
  sqlite3_exec(db, "PRAGMA user_version = 999", nullptr, nullptr, nullptr);
  sqlite3_close(db);
  EXPECT_EQ(Load().size(), 0u);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("newer"), std::string::npos) << warnings_[0];
}

}  // namespace
}  // namespace tiletune
