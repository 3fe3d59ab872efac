#include "dispatch/fallback.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/status/status.h"
#include "dispatch/dispatch_testing.h"
#include "kernels/batch_invariant.h"
#include "kernels/cost_model/cost_model.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

class FallbackTest : public ::testing::Test {
 protected:
  FallbackTest() {
    FakeKernels::Reset();
    options_.device = TestDevice();
    options_.backend = &FakeKernels::Backend();
  }

  GemmConfig RegistrysDefault() const {
    return *DefaultConfig(problem_, options_.device);
  }

  // All but the reference kernel.
  static void LetEveryKernelNeedAWorkspace() {
    for (const KernelVariant& variant : Variants()) {
      FakeKernels::workspace[variant.name] = 1000;
    }
    FakeKernels::workspace.erase("reference_naive");
  }

  FallbackOptions options_;
  const GemmProblem problem_ = TestProblem(1024, 1024, 1024);
};

TEST_F(FallbackTest, IsTheRegistrysDefaultWithItsWorkspace) {
  FakeKernels::workspace[RegistrysDefault().variant->name] = 1000;
  const absl::StatusOr<Choice> choice = Fallback(options_).Default(problem_);
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_EQ(choice->config, RegistrysDefault());
  EXPECT_EQ(choice->why, Why::kDefault);
  EXPECT_EQ(choice->workspace_bytes, 1000u);
}

TEST_F(FallbackTest, OnAModelledDeviceNoWorkspaceIsAskedFor) {
  FakeKernels::workspace[RegistrysDefault().variant->name] = 1000;
  options_.device.modelled = true;
  EXPECT_EQ(Fallback(options_).Default(problem_)->workspace_bytes, 0u);
  EXPECT_EQ(FakeKernels::workspace_asked, 0);
}

TEST_F(FallbackTest, OfAProgramThatLinksOneVariantIsThatOne) {
  for (const KernelVariant& variant : Variants()) {
    FakeKernels::unlinked.insert(variant.name);
  }
  FakeKernels::unlinked.erase("reference_naive");
  const absl::StatusOr<Choice> choice = Fallback(options_).Default(problem_);
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_EQ(choice->config.variant, FindVariant("reference_naive"));
}

TEST_F(FallbackTest, OfABatchInvariantProgramHasTheSumOrderOfItsLayer) {
  options_.batch_invariant = true;
  const std::string predicted = *PredictedSumOrder(
      LayerOf(problem_), options_.device, FakeKernels::Backend().is_linked);
  EXPECT_EQ(SumOrder(Fallback(options_).Default(problem_)->config), predicted);
  // Another one, in which the layer was measured.
  for (const GemmConfig& config : LegalConfigs(problem_, options_.device, {})) {
    const std::string order = SumOrder(config);
    if (order.empty() || order == predicted) continue;
    options_.sum_orders[LayerOf(problem_)] = order;
    EXPECT_EQ(SumOrder(Fallback(options_).Default(problem_)->config), order);
    return;
  }
  FAIL() << "no other sum order";
}

TEST_F(FallbackTest, WithoutWorkspaceIsTheBestOfThoseThatNeedNone) {
  const char* const best = RegistrysDefault().variant->name;
  FakeKernels::workspace[best] = 1000;
  const absl::StatusOr<Choice> choice =
      Fallback(options_).WithoutWorkspace(problem_);
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_EQ(choice->workspace_bytes, 0u);
  EXPECT_EQ(choice->config.split_k, 1u);
  EXPECT_STRNE(choice->config.variant->name, best);
  const double seconds =
      Predict(problem_, choice->config, options_.device).seconds;
  for (const GemmConfig& config : LegalConfigs(problem_, options_.device, {})) {
    if (config.split_k != 1 || config.variant->name == std::string(best)) {
      continue;
    }
    EXPECT_LE(seconds, Predict(problem_, config, options_.device).seconds)
        << ConfigKey(config);
  }
}

TEST_F(FallbackTest, WhereEveryKernelNeedsAWorkspaceTheReferenceRuns) {
  LetEveryKernelNeedAWorkspace();
  EXPECT_EQ(Fallback(options_).WithoutWorkspace(problem_)->config.variant,
            FindVariant("reference_naive"));
  FakeKernels::workspace["reference_naive"] = 1000;
  EXPECT_EQ(Fallback(options_).WithoutWorkspace(problem_).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(FallbackTest, IsWorkedOutOnce) {
  Fallback fallback(options_);
  ASSERT_TRUE(fallback.Default(problem_).ok());
  ASSERT_TRUE(fallback.WithoutWorkspace(problem_).ok());
  const int asked = FakeKernels::workspace_asked;
  EXPECT_GT(asked, 1);
  ASSERT_TRUE(fallback.Default(problem_).ok());
  ASSERT_TRUE(fallback.WithoutWorkspace(problem_).ok());
  EXPECT_EQ(FakeKernels::workspace_asked, asked);
}

}  // namespace
}  // namespace tiletune
