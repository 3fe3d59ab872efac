#include "kernels/blackwell/launcher.h"

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "kernels/blackwell/entry.h"
#include "kernels/blackwell/parameters.h"
#include "testing/launch/launcher_contract.h"
#include "testing/launch/launcher_fixture.h"

namespace tiletune::blackwell {
namespace {

int function;
const KernelEntry entry("linked", &function);

void Describe(KernelVariant* variant) {
  variant->architecture = Architecture::kBlackwell;
  variant->cta_group = 2;
}

INSTANTIATE_TEST_SUITE_P(Blackwell, LauncherContract,
                         testing::Values(LauncherUnderTest{
                             &BlackwellLauncher(), &function, &Describe}));

class LauncherTest : public LauncherFixture {
 protected:
  LauncherTest() : LauncherFixture(BlackwellLauncher()) { Describe(&variant_); }
};

TEST_F(LauncherTest, PreparesOnceAndEnqueuesOften) {
  problem_.lda = 257;
  PreparedLaunch prepared;
  ASSERT_TRUE(Prepare(&prepared).ok());
  EXPECT_EQ(Names(), Strings());
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(prepared.enqueue(prepared, stream_).ok());
  }
  EXPECT_EQ(Names(), (Strings{"cudaFuncSetAttribute", "cudaFuncSetAttribute",
                              "cudaLaunchKernelExC", "cudaLaunchKernelExC",
                              "cudaLaunchKernelExC", "cudaLaunchKernelExC"}));

  // Other operands.
  arguments_.b = memory_ + 768;
  ASSERT_TRUE(Prepare(&prepared).ok());
  EXPECT_EQ(cuda_.calls().back().name, "cuTensorMapReplaceAddress");
  ASSERT_TRUE(prepared.enqueue(prepared, stream_).ok());
  const auto* parameters =
      static_cast<const GemmParameters*>(cuda_.calls().back().argument);
  EXPECT_EQ(AddressIn(parameters->a_map), workspace_);
  EXPECT_EQ(AddressIn(parameters->b_map), memory_ + 768);
  EXPECT_EQ(AddressIn(parameters->d_map), memory_ + 512);

  arguments_.d = memory_;
  ASSERT_TRUE(Prepare(&prepared).ok());
  ASSERT_TRUE(prepared.enqueue(prepared, stream_).ok());
  EXPECT_EQ(AddressIn(parameters->b_map), memory_ + 768);
  EXPECT_EQ(AddressIn(parameters->d_map), memory_);
}

TEST_F(LauncherTest, ClearsTicketsThatTheCountersDoNotHold) {
  config_.split_k = 2;
  problem_.m = 256 * 64;
  problem_.n = 128 * 65;
  ASSERT_TRUE(Launch().ok());
  ASSERT_EQ(Names(), (Strings{"cudaFuncSetAttribute", "cudaFuncSetAttribute",
                              "cudaMemsetAsync", "cudaLaunchKernelExC"}));
  EXPECT_EQ(Calls()[2].cleared, workspace_ + kWorkspaceCounterBytes);
  EXPECT_EQ(Calls()[2].bytes, 64u * 65 * 2 * 4 * sizeof(uint32_t));
  EXPECT_EQ(Calls()[2].stream, stream_);
}

TEST_F(LauncherTest, LaunchesNothingWhoseTicketsCouldNotBeCleared) {
  config_.split_k = 2;
  problem_.m = 256 * 64;
  problem_.n = 128 * 65;
  cuda_.Fail("cudaMemsetAsync");
  EXPECT_EQ(Launch().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(cuda_.calls().back().name, "cudaMemsetAsync");
}

}  // namespace
}  // namespace tiletune::blackwell
