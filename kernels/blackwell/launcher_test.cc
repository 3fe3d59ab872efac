#include "kernels/blackwell/launcher.h"

#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "kernels/blackwell/entry.h"
#include "kernels/blackwell/parameters.h"
#include "kernels/repack/repack_kernel.h"
#include "testing/launch/launcher_fixture.h"

namespace tiletune::blackwell {
namespace {

int function;
const KernelEntry entry("linked", &function);

class LauncherTest : public LauncherFixture {
 protected:
  LauncherTest() : LauncherFixture(BlackwellLauncher()) {
    variant_.architecture = Architecture::kBlackwell;
    variant_.cta_group = 2;
    variant_.threads = 256;
    variant_.shared_bytes = 1234;
  }
};

TEST_F(LauncherTest, LaunchesClustersWithTheSharedMemoryOfTheVariant) {
  ASSERT_TRUE(Launch().ok());
  ASSERT_EQ(Names(), (Strings{"cudaFuncSetAttribute", "cudaLaunchKernelExC"}));
  EXPECT_EQ(Calls()[0].function, &function);
  EXPECT_EQ(Calls()[0].bytes, 1234u);
  const RecordedCall launch = Calls()[1];
  EXPECT_EQ(launch.function, &function);
  EXPECT_EQ(launch.grid.x, 4u);  // two clusters of two CTAs
  EXPECT_EQ(launch.block.x, 256u);
  EXPECT_EQ(launch.bytes, 1234u);
  EXPECT_EQ(launch.stream, stream_);
  ASSERT_EQ(launch.attributes.size(), 1u);
  EXPECT_EQ(launch.attributes[0].id, cudaLaunchAttributeClusterDimension);
  EXPECT_EQ(launch.attributes[0].val.clusterDim.x, 2u);
}

TEST_F(LauncherTest, EncodesAMapForEachOfABAndD) {
  ASSERT_TRUE(Launch().ok());
  EXPECT_EQ(cuda_.calls().size() - Calls().size(), 3u);
}

TEST_F(LauncherTest, OverlapsWithTheLastKernelOnlyIfAskedTo) {
  config_.dependent_launch = true;
  ASSERT_TRUE(Launch().ok());
  const RecordedCall launch = Calls().back();
  ASSERT_EQ(launch.attributes.size(), 2u);
  EXPECT_EQ(launch.attributes[1].id,
            cudaLaunchAttributeProgrammaticStreamSerialization);
  EXPECT_EQ(launch.attributes[1].val.programmaticStreamSerializationAllowed, 1);
}

TEST_F(LauncherTest, PreparesOnceAndEnqueuesOften) {
  problem_.lda = 257;
  PreparedLaunch prepared;
  ASSERT_TRUE(Prepare(&prepared).ok());
  EXPECT_EQ(Names(), Strings());
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(prepared.enqueue(prepared, stream_).ok());
  }
  EXPECT_EQ(Names(), (Strings{"cudaFuncSetAttribute", "cudaLaunchKernelExC",
                              "cudaLaunchKernelExC", "cudaLaunchKernelExC",
                              "cudaLaunchKernelExC"}));

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

TEST_F(LauncherTest, RepacksAheadOfTheKernelOnItsStream) {
  problem_.lda = 257;  // rows of A that TMA cannot describe
  ASSERT_TRUE(Launch().ok());
  EXPECT_EQ(Names(), (Strings{"cudaFuncSetAttribute", "cudaLaunchKernelExC",
                              "cudaLaunchKernelExC"}));
  EXPECT_EQ(Calls()[1].function, RepackFunction(RepackKernel::kCopyRows));
  EXPECT_EQ(Calls()[1].stream, stream_);
  EXPECT_TRUE(Calls()[1].attributes.empty());
}

TEST_F(LauncherTest, ClearsTicketsThatTheCountersDoNotHold) {
  config_.split_k = 2;
  problem_.m = 256 * 64;
  problem_.n = 128 * 65;
  ASSERT_TRUE(Launch().ok());
  ASSERT_EQ(Names(), (Strings{"cudaFuncSetAttribute", "cudaMemsetAsync",
                              "cudaLaunchKernelExC"}));
  EXPECT_EQ(Calls()[1].cleared, workspace_ + kWorkspaceCounterBytes);
  EXPECT_EQ(Calls()[1].bytes, 64u * 65 * 2 * 4 * sizeof(uint32_t));
  EXPECT_EQ(Calls()[1].stream, stream_);
}

TEST_F(LauncherTest, LaunchesNoKernelThatIsNotLinked) {
  variant_.name = "elsewhere";
  EXPECT_FALSE(BlackwellLauncher().is_linked(variant_));
  EXPECT_EQ(Launch().code(), absl::StatusCode::kUnimplemented);
  EXPECT_TRUE(cuda_.calls().empty());
}

TEST_F(LauncherTest, EnqueuesNothingOnceACallHasFailed) {
  problem_.lda = 257;
  for (const char* name : {"cuTensorMapEncodeTiled", "cudaFuncSetAttribute"}) {
    cuda_.Reset();
    cuda_.context = 2000;
    cuda_.Fail(name);
    const absl::Status status = Launch();
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
    EXPECT_NE(std::string(status.message()).find(name), std::string::npos)
        << status;
    EXPECT_EQ(cuda_.calls().back().name, name);
  }
}

TEST_F(LauncherTest, OneMapThatFailsIsEnough) {
  for (const int failing : {0, 1, 2}) {
    cuda_.Reset();
    cuda_.Fail("cuTensorMapEncodeTiled", /*times=*/1, /*after=*/failing);
    EXPECT_EQ(Launch().code(), absl::StatusCode::kInternal) << failing;
    EXPECT_EQ(Names(), Strings());
  }
}

TEST_F(LauncherTest, LaunchesNothingWhoseOperandsCouldNotBeRepacked) {
  problem_.lda = 257;
  cuda_.Fail("cudaLaunchKernelExC");
  const absl::Status status = Launch();
  EXPECT_NE(std::string(status.message()).find("repack"), std::string::npos);
  EXPECT_EQ(CallsOf("cudaLaunchKernelExC"), 1);
}

TEST_F(LauncherTest, LaunchesNothingWhoseTicketsCouldNotBeCleared) {
  config_.split_k = 2;
  problem_.m = 256 * 64;
  problem_.n = 128 * 65;
  cuda_.Fail("cudaMemsetAsync");
  EXPECT_EQ(Launch().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(cuda_.calls().back().name, "cudaMemsetAsync");
}

TEST_F(LauncherTest, LaunchesNothingForNoTiles) {
  problem_.m = 0;
  EXPECT_TRUE(Launch().ok());
  EXPECT_EQ(Names(), Strings());
}

TEST_F(LauncherTest, NamesTheLaunchThatFailed) {
  cuda_.Fail("cudaLaunchKernelExC");
  const absl::Status status = Launch();
  EXPECT_NE(std::string(status.message()).find("cudaLaunchKernelExC"),
            std::string::npos);
}

}  // namespace
}  // namespace tiletune::blackwell
