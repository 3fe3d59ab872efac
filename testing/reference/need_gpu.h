// TILETUNE_NEED_GPU: for tests of kernels on a real GPU, which are skipped
// where there is none.
//
//   TEST_F(GpuTest, IsExact) {
//     TILETUNE_NEED_GPU(device);
//     EXPECT_TRUE(LaunchGemm(problem, config, arguments, device, ...).ok());
//   }
#ifndef TILETUNE_TESTING_REFERENCE_NEED_GPU_H_
#define TILETUNE_TESTING_REFERENCE_NEED_GPU_H_

#include <cstdlib>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "kernels/device.h"

// Declares `device`, the facts of CUDA device 0; without one skips the test,
// or fails it where the environment has TILETUNE_REQUIRE_GPU.
#define TILETUNE_NEED_GPU(device)                               \
  const ::absl::StatusOr<::tiletune::DeviceFacts> device##_or = \
      ::tiletune::QueryDevice(0);                               \
  if (!device##_or.ok()) {                                      \
    if (std::getenv("TILETUNE_REQUIRE_GPU") != nullptr) {       \
      FAIL() << device##_or.status();                           \
    }                                                           \
    GTEST_SKIP() << device##_or.status();                       \
  }                                                             \
  [[maybe_unused]] const ::tiletune::DeviceFacts& device = *device##_or

#endif  // TILETUNE_TESTING_REFERENCE_NEED_GPU_H_
