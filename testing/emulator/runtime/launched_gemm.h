// One GEMM through the product's own launcher on the emulated runtime, checked
// against fp64. Used by the tests of both kernel families.
//
//   TEST(Gemm, IsExact) {
//     EXPECT_TRUE(LaunchedGemmIsExact(BlackwellLauncher(), "sm100_..."));
//   }
#ifndef TILETUNE_TESTING_EMULATOR_RUNTIME_LAUNCHED_GEMM_H_
#define TILETUNE_TESTING_EMULATOR_RUNTIME_LAUNCHED_GEMM_H_

#include "gtest/gtest.h"
#include "kernels/launcher.h"

namespace tiletune {

// m x n x 136, beta not 0, small integers: D must be exact, and the emulator
// must have found nothing. The device is the one that the runtime reports. The
// default size cuts tiles of every family off at both edges.
testing::AssertionResult LaunchedGemmIsExact(const FamilyLauncher& launcher,
                                             const char* variant, int m = 300,
                                             int n = 424);

}  // namespace tiletune

#endif  // TILETUNE_TESTING_EMULATOR_RUNTIME_LAUNCHED_GEMM_H_
