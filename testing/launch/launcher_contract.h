// LauncherContract: what a launcher promises whatever its family, as tests.
//
// Use it in the launcher test of a family, which links a made-up kernel called
// "linked" of kKernelThreads threads and kKernelSharedBytes.
//
//   INSTANTIATE_TEST_SUITE_P(Hopper, LauncherContract,
//                            testing::Values(LauncherUnderTest{
//                                &HopperLauncher(), &function, &Describe}));
#ifndef TILETUNE_TESTING_LAUNCH_LAUNCHER_CONTRACT_H_
#define TILETUNE_TESTING_LAUNCH_LAUNCHER_CONTRACT_H_

#include "gtest/gtest.h"
#include "kernels/launcher.h"
#include "testing/launch/launcher_fixture.h"

namespace tiletune {

struct LauncherUnderTest {
  const FamilyLauncher* launcher;
  const void* function;  // of the kernel that is linked
  // Adds what only variants of this family have.
  void (*describe)(KernelVariant* variant);
};

class LauncherContract : public LauncherFixture,
                         public testing::WithParamInterface<LauncherUnderTest> {
 protected:
  LauncherContract() : LauncherFixture(*GetParam().launcher) {
    GetParam().describe(&variant_);
  }
};

}  // namespace tiletune

#endif  // TILETUNE_TESTING_LAUNCH_LAUNCHER_CONTRACT_H_
