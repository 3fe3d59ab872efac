// PlanTest: a small kernel, device and arguments whose launch plans are looked
// at.
//
// Use it as the fixture of tests of plan.h; change its members first.
//
//   TEST_F(PlanTest, SomethingHolds) {
//     variant_.tile_n = 64;
//     EXPECT_EQ(Plan(Problem(512, 512, 64)).grid, 32u);
//   }
#ifndef TILETUNE_KERNELS_BLACKWELL_PLAN_FIXTURE_H_
#define TILETUNE_KERNELS_BLACKWELL_PLAN_FIXTURE_H_

#include <cstdint>

#include "gtest/gtest.h"
#include "kernels/blackwell/plan.h"

namespace tiletune::blackwell {

class PlanTest : public testing::Test {
 protected:
  PlanTest() {
    variant_.name = "test";
    variant_.architecture = Architecture::kBlackwell;
    variant_.tile_m = variant_.tile_n = 128;
    variant_.tile_k = 64;
    variant_.cluster_m = variant_.cluster_n = 1;
    variant_.cta_group = 1;
    variant_.supply = SupplyKind::kStatic;
    variant_.operand_bits = 16;
    config_.variant = &variant_;
    device_.sm_count = 148;
    arguments_.a = memory_;
    arguments_.b = memory_ + 16;
    arguments_.d = memory_ + 32;
    arguments_.c = memory_ + 48;
  }

  static GemmProblem Problem(int64_t m, int64_t n, int64_t k) {
    GemmProblem p;
    p.m = m;
    p.n = n;
    p.k = k;
    return p;
  }

  LaunchPlan Plan(const GemmProblem& problem) {
    return MakePlan(Normalized(problem), config_, arguments_, device_,
                    workspace_);
  }
  size_t WorkspaceBytes(const GemmProblem& problem) {
    return PlanWorkspaceBytes(Normalized(problem), config_);
  }

  KernelVariant variant_ = {};
  GemmConfig config_;
  DeviceFacts device_;
  GemmArguments arguments_;
  // Pointers that are compared, never followed.
  char memory_[64];
  char workspace_[64];
};

}  // namespace tiletune::blackwell

#endif  // TILETUNE_KERNELS_BLACKWELL_PLAN_FIXTURE_H_
