// FakeGemm: a GEMM of 64 x 64 x 64 and all that it takes to launch it, for the
// tests of who launches. Its kernels are those of FakeFamily, which do nothing.
//
//   class LaunchTest : public FakeGemm {};
//   TEST_F(LaunchTest, Enqueues) {
//     LaunchGemm(problem_, config_, arguments_, device_, nullptr, 0, stream);
//     EXPECT_EQ(FakeFamily::enqueued, 1);
//   }
#ifndef TILETUNE_TESTING_LAUNCH_FAKE_GEMM_H_
#define TILETUNE_TESTING_LAUNCH_FAKE_GEMM_H_

#include <cstdint>

#include "gtest/gtest.h"
#include "kernels/config.h"
#include "kernels/device.h"
#include "kernels/gemm.h"
#include "kernels/problem.h"
#include "kernels/registry.h"
#include "testing/launch/fake_family.h"

namespace tiletune {

class FakeGemm : public testing::Test {
 protected:
  FakeGemm() {
    FakeFamily::Reset();
    problem_.m = problem_.n = problem_.k = 64;
    config_.variant = FindVariant("reference_naive");
    device_ = *ModelledDevice("h200");
    device_.modelled = false;
    arguments_.a = Address(0x100000);
    arguments_.b = Address(0x200000);
    arguments_.d = Address(0x300000);
  }

  // Compared, never followed.
  static void* Address(uintptr_t address) {
    return reinterpret_cast<void*>(address);
  }

  GemmProblem problem_;
  GemmConfig config_;
  GemmArguments arguments_;
  DeviceFacts device_;
};

}  // namespace tiletune

#endif  // TILETUNE_TESTING_LAUNCH_FAKE_GEMM_H_
