// A launch that this thread has made before neither allocates nor calls the
// system.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "gtest/gtest.h"
#include "kernels/gemm.h"
#include "kernels/prepared_gemm.h"
#include "testing/launch/fake_gemm.h"
#include "testing/launch/hot_path.h"

namespace tiletune {
namespace {

class LaunchPathTest : public FakeGemm {
 protected:
  LaunchPathTest() { LaunchAll(); }

  // A step of a small model.
  void LaunchAll() {
    for (uintptr_t layer = 4; layer < 68; ++layer) {
      arguments_.a = Address(layer << 20);
      if (!LaunchGemm(problem_, config_, arguments_, device_, nullptr, 0,
                      nullptr)
               .ok()) {
        std::abort();
      }
    }
  }
};

TEST_F(LaunchPathTest, LaunchGemmAllocatesNothing) {
  const int64_t before = AllocationsSoFar();
  LaunchAll();
  EXPECT_EQ(AllocationsSoFar(), before);
}

TEST_F(LaunchPathTest, LaunchGemmCallsNoSystem) {
  EXPECT_EQ(StatusWithoutSystemCalls([this] { LaunchAll(); }), 0);
}

TEST_F(LaunchPathTest, APreparedGemmDoesNeither) {
  PreparedGemm gemm = *PreparedGemm::Prepare(problem_, config_, arguments_,
                                             device_, nullptr, 0);
  const auto use = [&] {
    arguments_.a = Address(70 << 20);
    if (!gemm.SetArguments(arguments_).ok() || !gemm.Launch(nullptr).ok()) {
      std::abort();
    }
  };
  const int64_t before = AllocationsSoFar();
  use();
  EXPECT_EQ(AllocationsSoFar(), before);
  EXPECT_EQ(StatusWithoutSystemCalls(use), 0);
}

// The tests above can fail.
TEST_F(LaunchPathTest, ANewLaunchAllocates) {
  arguments_.a = Address(80 << 20);
  const int64_t before = AllocationsSoFar();
  ASSERT_TRUE(
      LaunchGemm(problem_, config_, arguments_, device_, nullptr, 0, nullptr)
          .ok());
  EXPECT_GT(AllocationsSoFar(), before);
}

TEST_F(LaunchPathTest, ASystemCallIsSeen) {
  const int status = StatusWithoutSystemCalls([] { getppid(); });
  EXPECT_TRUE(WIFSIGNALED(status)) << status;
}

}  // namespace
}  // namespace tiletune
