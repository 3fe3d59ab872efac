// A hit allocates nothing and calls no system. Nor does a miss that is
// remembered.
#include "testing/launch/hot_path.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>

#include "dispatch/dispatch_testing.h"
#include "dispatch/many_problems.h"
#include "dispatch/tuned_gemm.h"

namespace tiletune {
namespace {

class HotPathTest : public ::testing::Test {
 protected:
  HotPathTest() {
    FakeKernels::Reset();
    FakeKernels::silent = true;
    TunedGemmOptions options;
    options.user_database = folder_.File("many.db");
    options.system_database = "";
    options.shape_log = "";
    options.device = TestDevice();
    options.backend = &FakeKernels::Backend();
    problems_ = TuneMany(*options.user_database, 200, TestDevice());
    gemm_ = *TunedGemm::Open(options);
    EXPECT_EQ(gemm_->tuned_problems(), problems_.size());
    EXPECT_TRUE(gemm_->Choose(untuned_).ok());
  }

  void RunAll() {
    for (const GemmProblem& problem : problems_) {
      if (!gemm_->Run(problem, {}, nullptr).ok()) std::abort();
    }
    if (!gemm_->Run(untuned_, {}, nullptr).ok()) std::abort();
  }

  TemporaryFolder folder_;
  std::vector<GemmProblem> problems_;
  const GemmProblem untuned_ = TestProblem(3, 5, 7);
  std::unique_ptr<TunedGemm> gemm_;
};

TEST_F(HotPathTest, AllocatesNothing) {
  const int64_t before = AllocationsSoFar();
  RunAll();
  const int64_t after = AllocationsSoFar();
  EXPECT_EQ(after, before);
}

TEST_F(HotPathTest, CallsNoSystem) {
  EXPECT_EQ(StatusWithoutSystemCalls([this] { RunAll(); }), 0);
}

// The two tests above can fail.
TEST_F(HotPathTest, AnErrorAllocates) {
  GemmProblem bad = untuned_;
  bad.m = -1;
  const int64_t before = AllocationsSoFar();
  const bool ok = gemm_->Choose(bad).ok();
  const int64_t after = AllocationsSoFar();
  EXPECT_FALSE(ok);
  EXPECT_GT(after, before);
}

TEST_F(HotPathTest, ReloadingCallsTheSystem) {
  const int status = StatusWithoutSystemCalls([this] { gemm_->Reload(); });
  EXPECT_TRUE(WIFSIGNALED(status)) << status;
}

}  // namespace
}  // namespace tiletune
