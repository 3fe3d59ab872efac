#include "dispatch/tuned_gemm.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "autotune/store/shape_log.h"
#include "dispatch/dispatch_testing.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

class TunedGemmTest : public ::testing::Test {
 protected:
  TunedGemmTest() {
    FakeKernels::Reset();
    options_.user_database = folder_.File("user.db");
    options_.system_database = "";
    options_.shape_log = "";
    options_.device = TestDevice();
    options_.backend = &FakeKernels::Backend();
    options_.warn = [this](const std::string& text) {
      warnings_.push_back(text);
    };
    auto store = Store::Open(folder_.File("user.db"), Store::Mode::kReadWrite);
    if (!store.ok()) ADD_FAILURE() << store.status();
    store_ = *std::move(store);
    configs_ = LegalNonDefaults(problem_, TestDevice(), 2);
    arguments_.a = arguments_.b = arguments_.d = operand_;
  }

  std::unique_ptr<TunedGemm> Open() {
    auto gemm = TunedGemm::Open(options_);
    if (!gemm.ok()) ADD_FAILURE() << gemm.status();
    return *std::move(gemm);
  }

  std::string DefaultKey() {
    return ConfigKey(*DefaultConfig(problem_, TestDevice()));
  }

  void Predict(const GemmConfig& config, double predicted_ns) {
    Prediction p;
    p.problem = problem_;
    p.config = RecordOf(config);
    p.device = TestDevice();
    p.model = "m";
    p.predicted_ns = predicted_ns;
    EXPECT_TRUE(store_->RecordPrediction(p).ok());
  }

  TemporaryFolder folder_;
  TunedGemmOptions options_;
  std::unique_ptr<Store> store_;
  const GemmProblem problem_ = TestProblem(1024, 1024, 1024);
  std::vector<GemmConfig> configs_;
  alignas(256) char operand_[256];
  GemmArguments arguments_;
  std::vector<std::string> warnings_;
};

TEST_F(TunedGemmTest, LaunchesTheWinner) {
  TuneFor(store_.get(), problem_, configs_[0], TestDevice());
  auto gemm = Open();
  Choice ran;
  ASSERT_TRUE(gemm->Run(problem_, arguments_, nullptr, 0, nullptr, &ran).ok());
  EXPECT_EQ(ran.why, Why::kTuned);
  EXPECT_EQ(FakeKernels::launched,
            std::vector<std::string>{ConfigKey(configs_[0])});
}

TEST_F(TunedGemmTest, LaunchesTheDefaultWhereNothingIsKnown) {
  auto gemm = Open();
  Choice ran;
  ASSERT_TRUE(gemm->Run(problem_, arguments_, nullptr, 0, nullptr, &ran).ok());
  EXPECT_EQ(ran.why, Why::kDefault);
  EXPECT_EQ(FakeKernels::launched, std::vector<std::string>{DefaultKey()});
}

TEST_F(TunedGemmTest, AnUntunedProblemIsWorkedOutOnce) {
  auto gemm = Open();
  ASSERT_TRUE(gemm->Choose(problem_).ok());
  const int asked = FakeKernels::workspace_asked;
  EXPECT_GT(asked, 0);
  ASSERT_TRUE(gemm->Choose(problem_).ok());
  EXPECT_EQ(FakeKernels::workspace_asked, asked);
}

TEST_F(TunedGemmTest, AProblemWithoutItsWorkspaceIsWorkedOutOnce) {
  FakeKernels::silent = true;
  FakeKernels::workspace[configs_[0].variant->name] = 1000;
  TuneFor(store_.get(), problem_, configs_[0], TestDevice());
  auto gemm = Open();
  ASSERT_TRUE(gemm->Run(problem_, arguments_, nullptr).ok());
  const int asked = FakeKernels::workspace_asked;
  ASSERT_TRUE(gemm->Run(problem_, arguments_, nullptr).ok());
  EXPECT_EQ(FakeKernels::workspace_asked, asked);
}

TEST_F(TunedGemmTest, ANeighbourComesBeforeAPrediction) {
  // The default config of a problem nearby passes the cost model's guard.
  GemmProblem near = problem_;
  near.k += 64;
  TuneFor(store_.get(), near, *DefaultConfig(near, TestDevice()), TestDevice());
  Predict(configs_[1], /*predicted_ns=*/7);
  absl::StatusOr<Choice> choice = Open()->Choose(problem_);
  ASSERT_TRUE(choice.ok());
  EXPECT_EQ(choice->why, Why::kNearest);
}

TEST_F(TunedGemmTest, APredictionComesBeforeTheDefault) {
  Predict(configs_[1], /*predicted_ns=*/7);
  auto gemm = Open();
  absl::StatusOr<Choice> choice = gemm->Choose(problem_);
  ASSERT_TRUE(choice.ok());
  EXPECT_EQ(choice->why, Why::kPredicted);
  EXPECT_EQ(choice->expected_ns, 7);
  EXPECT_TRUE(choice->config == configs_[1]);
}

TEST_F(TunedGemmTest, AConfigThatFailsGivesWayToTheDefaultForGood) {
  TuneFor(store_.get(), problem_, configs_[0], TestDevice());
  FakeKernels::failing.insert(configs_[0].variant->name);
  auto gemm = Open();
  for (int call = 0; call < 3; ++call) {
    Choice ran;
    const absl::Status status =
        gemm->Run(problem_, arguments_, nullptr, 0, nullptr, &ran);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(ran.why, Why::kDefault);
  }
  EXPECT_EQ(FakeKernels::launched,
            (std::vector<std::string>{ConfigKey(configs_[0]), DefaultKey(),
                                      DefaultKey(), DefaultKey()}));
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("cudaErrorLaunchFailure"), std::string::npos);
  EXPECT_EQ(gemm->Choose(problem_)->why, Why::kDefault);
}

TEST_F(TunedGemmTest, BadArgumentsAreTheCallersAndChangeNothing) {
  TuneFor(store_.get(), problem_, configs_[0], TestDevice());
  auto gemm = Open();
  arguments_.d = nullptr;
  EXPECT_EQ(gemm->Run(problem_, arguments_, nullptr).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(warnings_.empty());
  EXPECT_EQ(gemm->Choose(problem_)->why, Why::kTuned);
}

TEST_F(TunedGemmTest, AConfigThatLacksWorkspaceGivesWayThisTime) {
  FakeKernels::workspace[configs_[0].variant->name] = 1000;
  TuneFor(store_.get(), problem_, configs_[0], TestDevice());
  auto gemm = Open();
  ASSERT_TRUE(gemm->Run(problem_, arguments_, nullptr).ok());
  EXPECT_EQ(FakeKernels::launched.back(), DefaultKey());
  EXPECT_EQ(*gemm->WorkspaceBytes(problem_), 1000u);
  ASSERT_TRUE(gemm->Run(problem_, arguments_, operand_, 1000, nullptr).ok());
  EXPECT_EQ(FakeKernels::launched.back(), ConfigKey(configs_[0]));
}

// The default config splits K, say: without a workspace another one runs.
TEST_F(TunedGemmTest, ADefaultThatLacksWorkspaceGivesWayToOneThatNeedsNone) {
  FakeKernels::workspace[DefaultConfig(problem_, TestDevice())->variant->name] =
      1000;
  auto gemm = Open();
  Choice ran;
  ASSERT_TRUE(gemm->Run(problem_, arguments_, nullptr, 0, nullptr, &ran).ok());
  EXPECT_EQ(ran.why, Why::kDefault);
  EXPECT_EQ(ran.workspace_bytes, 0u);
  EXPECT_EQ(FakeKernels::launched,
            std::vector<std::string>{ConfigKey(ran.config)});
  EXPECT_EQ(ran.config.split_k, 1u);
  // Worked out once.
  FakeKernels::silent = true;
  const int asked = FakeKernels::workspace_asked;
  ASSERT_TRUE(gemm->Run(problem_, arguments_, nullptr).ok());
  EXPECT_EQ(FakeKernels::workspace_asked, asked);
  // With one, the default.
  ASSERT_TRUE(
      gemm->Run(problem_, arguments_, operand_, 1000, nullptr, &ran).ok());
  EXPECT_EQ(ConfigKey(ran.config), DefaultKey());
}

TEST_F(TunedGemmTest, PreparesAWorkspace) {
  ASSERT_TRUE(Open()->PrepareWorkspace(operand_, 256, nullptr).ok());
  using Workspace = std::pair<void*, size_t>;
  EXPECT_EQ(FakeKernels::prepared_workspaces,
            std::vector<Workspace>({Workspace(operand_, 256)}));
}

TEST_F(TunedGemmTest, PreparesWhatRunWouldLaunch) {
  TuneFor(store_.get(), problem_, configs_[0], TestDevice());
  auto gemm = Open();
  Choice chosen;
  ASSERT_TRUE(gemm->Prepare(problem_, arguments_, nullptr, 0, &chosen).ok());
  EXPECT_EQ(FakeKernels::launched.back(), ConfigKey(configs_[0]));
  EXPECT_EQ(chosen.config, configs_[0]);
  EXPECT_EQ(chosen.why, Why::kTuned);
}

TEST_F(TunedGemmTest, PreparesTheDefaultWhereTheChoiceWillNotDo) {
  TuneFor(store_.get(), problem_, configs_[0], TestDevice());
  auto gemm = Open();
  FakeKernels::failing.insert(configs_[0].variant->name);
  Choice chosen;
  ASSERT_TRUE(gemm->Prepare(problem_, arguments_, nullptr, 0, &chosen).ok());
  EXPECT_EQ(FakeKernels::launched.back(), DefaultKey());
  EXPECT_EQ(chosen.why, Why::kDefault);
  EXPECT_EQ(warnings_.size(), 1u);
  arguments_.d = nullptr;
  EXPECT_EQ(gemm->Prepare(problem_, arguments_, nullptr, 0).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(TunedGemmTest, LessAlignedPointersAreAnotherProblem) {
  TuneFor(store_.get(), problem_, configs_[0], TestDevice());
  GemmProblem less = problem_;
  less.pointer_alignment = 4;
  TuneFor(store_.get(), less, configs_[1], TestDevice());
  auto gemm = Open();
  arguments_.b = operand_ + 4;
  ASSERT_TRUE(gemm->Run(problem_, arguments_, nullptr).ok());
  EXPECT_EQ(FakeKernels::launched.back(), ConfigKey(configs_[1]));
  arguments_.b = operand_ + 16;
  ASSERT_TRUE(gemm->Run(problem_, arguments_, nullptr).ok());
  EXPECT_EQ(FakeKernels::launched.back(), ConfigKey(configs_[0]));
}

TEST_F(TunedGemmTest, ReloadSeesWhatWasTunedSince) {
  auto gemm = Open();
  EXPECT_FALSE(gemm->Reload());  // nothing new
  EXPECT_EQ(gemm->Choose(problem_)->why, Why::kDefault);
  TuneFor(store_.get(), problem_, configs_[0], TestDevice());
  EXPECT_EQ(gemm->Choose(problem_)->why, Why::kDefault);
  EXPECT_TRUE(gemm->Reload());
  EXPECT_EQ(gemm->Choose(problem_)->why, Why::kTuned);
  EXPECT_EQ(gemm->tuned_problems(), 1u);
}

TEST_F(TunedGemmTest, AMissingDatabaseCostsOneWarning) {
  options_.user_database = folder_.File("no.db");
  auto gemm = Open();
  for (int call = 0; call < 3; ++call) {
    EXPECT_TRUE(gemm->Run(problem_, arguments_, nullptr).ok());
    gemm->Reload();
  }
  EXPECT_EQ(warnings_.size(), 1u);
}

TEST_F(TunedGemmTest, APipeIsNeverWaitedForAndCostsOneWarning) {
  alarm(60);
  const std::string pipe = folder_.File("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (std::optional<std::string>* path :
       {&options_.user_database, &options_.system_database,
        &options_.shape_log}) {
    const std::optional<std::string> usual = *path;
    *path = pipe;
    warnings_.clear();
    auto gemm = Open();
    for (int64_t m : {1, 2, 3}) {
      EXPECT_TRUE(gemm->Run(TestProblem(m), arguments_, nullptr).ok());
    }
    ASSERT_EQ(warnings_.size(), 1u);
    EXPECT_NE(warnings_[0].find("pipe: not a regular file"), std::string::npos)
        << warnings_[0];
    gemm.reset();
    *path = usual;
  }
  alarm(0);
}

TEST_F(TunedGemmTest, AnInvalidProblemIsInvalidArgument) {
  auto gemm = Open();
  GemmProblem bad = problem_;
  bad.m = -1;
  EXPECT_EQ(gemm->Choose(bad).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(gemm->Run(bad, arguments_, nullptr).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(TunedGemmTest, TheShapeLogCountsWhatNobodyTuned) {
  TuneFor(store_.get(), problem_, configs_[0], TestDevice());
  const std::string log = folder_.File("shapes.log");
  options_.shape_log = log;
  const GemmProblem untuned = TestProblem(7, 8, 16);
  {
    auto gemm = Open();
    for (int call = 0; call < 100; ++call) {
      EXPECT_TRUE(gemm->Run(untuned, arguments_, nullptr).ok());
      EXPECT_TRUE(gemm->Run(problem_, arguments_, nullptr).ok());
    }
    // A program killed here has lost less than half.
    EXPECT_GE(ReadShapeLog(log)->front().launches, 50);
  }
  auto shapes = ReadShapeLog(log);
  ASSERT_TRUE(shapes.ok());
  ASSERT_EQ(shapes->size(), 1u);
  EXPECT_EQ(shapes->front().launches, 100);
  EXPECT_TRUE(shapes->front().problem == Normalized(untuned));
}

TEST_F(TunedGemmTest, TheShapeLogIsNamedByTheEnvironment) {
  options_.shape_log.reset();
  setenv("TILETUNE_LOG_SHAPES", folder_.File("env.log").c_str(), 1);
  Open()->Choose(problem_).IgnoreError();
  unsetenv("TILETUNE_LOG_SHAPES");
  EXPECT_EQ(ReadShapeLog(folder_.File("env.log"))->size(), 1u);
}

// Under `bazel run` it is not where the program stands.
TEST_F(TunedGemmTest, PathsOfTheEnvironmentAreFromWhereTheUserStood) {
  TuneFor(store_.get(), problem_, configs_[0], TestDevice());
  setenv("BUILD_WORKING_DIRECTORY", folder_.File("").c_str(), 1);
  setenv("TILETUNE_LOG_SHAPES", "env.log", 1);
  setenv("TILETUNE_DB", "user.db", 1);
  options_.shape_log.reset();
  options_.user_database.reset();
  EXPECT_EQ(Open()->Choose(problem_)->why, Why::kTuned);
  setenv("TILETUNE_SYSTEM_DB", "user.db", 1);
  options_.user_database = "";
  options_.system_database.reset();
  auto gemm = Open();
  EXPECT_EQ(gemm->Choose(problem_)->why, Why::kSystem);
  gemm->Choose(TestProblem(1000, 8, 8)).IgnoreError();
  gemm.reset();
  for (const char* variable : {"BUILD_WORKING_DIRECTORY", "TILETUNE_LOG_SHAPES",
                               "TILETUNE_DB", "TILETUNE_SYSTEM_DB"}) {
    unsetenv(variable);
  }
  EXPECT_EQ(ReadShapeLog(folder_.File("env.log"))->size(), 1u);
}

// Choices of a reloading object are whole: the old one or the new one.
TEST_F(TunedGemmTest, ThreadsMayRunWhileAnotherReloads) {
  FakeKernels::silent = true;
  TuneFor(store_.get(), problem_, configs_[0], TestDevice());
  auto gemm = Open();
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      int64_t m = t;
      while (!stop) {
        EXPECT_TRUE(gemm->Run(problem_, arguments_, nullptr).ok());
        m = (m + 1) % 64;
        EXPECT_TRUE(
            gemm->Run(TestProblem(1 + m, 8, 16), arguments_, nullptr).ok());
      }
    });
  }
  for (int reload = 0; reload < 5; ++reload) {
    TuneFor(store_.get(), TestProblem(1 + reload, 8, 16),
            *DefaultConfig(TestProblem(1 + reload, 8, 16), TestDevice()),
            TestDevice());
    EXPECT_TRUE(gemm->Reload());
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(gemm->tuned_problems(), 6u);
}

}  // namespace
}  // namespace tiletune
