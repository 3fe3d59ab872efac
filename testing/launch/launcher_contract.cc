#include "testing/launch/launcher_contract.h"

#include <string>

#include "absl/status/status.h"
#include "kernels/repack/repack_kernel.h"

namespace tiletune {
namespace {

TEST_P(LauncherContract, LaunchesClustersWithTheSharedMemoryOfTheKernel) {
  ASSERT_TRUE(Launch().ok());
  ASSERT_EQ(Names(), (Strings{"cudaFuncSetAttribute", "cudaFuncSetAttribute",
                              "cudaLaunchKernelExC"}));
  EXPECT_EQ(Calls()[0].function, GetParam().function);
  EXPECT_EQ(Calls()[0].bytes, kKernelSharedBytes);
  const RecordedCall launch = Calls().back();
  EXPECT_EQ(launch.function, GetParam().function);
  EXPECT_EQ(launch.grid.x, 4u);  // two clusters of two CTAs
  EXPECT_EQ(launch.block.x, kKernelThreads);
  EXPECT_EQ(launch.bytes, kKernelSharedBytes);
  EXPECT_EQ(launch.stream, stream_);
  ASSERT_EQ(launch.attributes.size(), 1u);
  EXPECT_EQ(launch.attributes[0].id, cudaLaunchAttributeClusterDimension);
  EXPECT_EQ(launch.attributes[0].val.clusterDim.x, 2u);
}

TEST_P(LauncherContract, OverlapsWithTheLastKernelOnlyIfAskedTo) {
  config_.dependent_launch = true;
  ASSERT_TRUE(Launch().ok());
  const RecordedCall launch = Calls().back();
  ASSERT_EQ(launch.attributes.size(), 2u);
  EXPECT_EQ(launch.attributes[1].id,
            cudaLaunchAttributeProgrammaticStreamSerialization);
  EXPECT_EQ(launch.attributes[1].val.programmaticStreamSerializationAllowed, 1);
}

TEST_P(LauncherContract, LaunchesNothingForNoTiles) {
  problem_.m = 0;
  EXPECT_TRUE(Launch().ok());
  EXPECT_EQ(Names(), Strings());
}

TEST_P(LauncherContract, PreparesWithoutEnqueueingAndThenOnlyEnqueues) {
  PreparedLaunch prepared;
  ASSERT_TRUE(Prepare(&prepared).ok());
  EXPECT_EQ(CallsOf("cuTensorMapEncodeTiled"), 3);
  EXPECT_EQ(Names(), Strings());
  for (int launches = 1; launches <= 3; ++launches) {
    ASSERT_TRUE(prepared.enqueue(prepared, stream_).ok());
    EXPECT_EQ(CallsOf("cudaLaunchKernelExC"), launches);
  }
  EXPECT_EQ(CallsOf("cuTensorMapEncodeTiled"), 3);
  EXPECT_EQ(CallsOf("cudaFuncSetAttribute"), 2);
}

TEST_P(LauncherContract, SetsThingsUpAgainInAnotherContext) {
  PreparedLaunch prepared;
  ASSERT_TRUE(Prepare(&prepared).ok());
  ASSERT_TRUE(prepared.enqueue(prepared, stream_).ok());
  cuda_.context += 1000;
  ASSERT_TRUE(prepared.enqueue(prepared, stream_).ok());
  EXPECT_EQ(CallsOf("cudaFuncSetAttribute"), 4);
}

TEST_P(LauncherContract, EncodesAnewWhatTheDriverWillNotReplace) {
  PreparedLaunch prepared;
  ASSERT_TRUE(Prepare(&prepared).ok());
  arguments_.b = memory_ + 768;
  cuda_.Fail("cuTensorMapReplaceAddress");
  ASSERT_TRUE(Prepare(&prepared).ok());
  EXPECT_EQ(CallsOf("cuTensorMapEncodeTiled"), 4);
}

TEST_P(LauncherContract, RepacksAheadOfTheKernelOnItsStream) {
  problem_.lda = 257;  // rows of A that TMA cannot describe
  PreparedLaunch prepared;
  ASSERT_TRUE(Prepare(&prepared).ok());
  EXPECT_EQ(Names(), Strings());
  for (int launches = 1; launches <= 2; ++launches) {
    ASSERT_TRUE(prepared.enqueue(prepared, stream_).ok());
    ASSERT_EQ(CallsOf("cudaLaunchKernelExC"), 2 * launches);
    const RecordedCall repack = Calls()[Calls().size() - 2];
    EXPECT_EQ(repack.function, RepackFunction(RepackKernel::kCopyRows));
    EXPECT_EQ(repack.stream, stream_);
    EXPECT_TRUE(repack.attributes.empty());
    EXPECT_EQ(Calls().back().function, GetParam().function);
  }
}

TEST_P(LauncherContract, LaunchesNothingWhoseOperandsCouldNotBeRepacked) {
  problem_.lda = 257;
  cuda_.Fail("cudaLaunchKernelExC");
  const absl::Status status = Launch();
  EXPECT_NE(std::string(status.message()).find("repack"), std::string::npos);
  EXPECT_EQ(CallsOf("cudaLaunchKernelExC"), 1);
}

// A caller may have ignored an error of CUDA: it is not this launch's, and
// stays the caller's to see.
TEST_P(LauncherContract, NeitherReportsNorTakesAnErrorFromBefore) {
  problem_.lda = 257;
  cuda_.last_error = cudaErrorInvalidValue;
  const absl::Status status = Launch();
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(cuda_.last_error, cudaErrorInvalidValue);
}

TEST_P(LauncherContract, LaunchesNoKernelThatIsNotLinked) {
  variant_.name = "elsewhere";
  EXPECT_FALSE(family_.is_linked(variant_));
  EXPECT_EQ(Launch().code(), absl::StatusCode::kUnimplemented);
  EXPECT_TRUE(cuda_.calls().empty());
}

TEST_P(LauncherContract, EnqueuesNothingOnceACallHasFailed) {
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

TEST_P(LauncherContract, OneMapThatFailsIsEnough) {
  for (const int failing : {0, 1, 2}) {
    cuda_.Reset();
    cuda_.Fail("cuTensorMapEncodeTiled", /*times=*/1, /*after=*/failing);
    EXPECT_EQ(Launch().code(), absl::StatusCode::kInternal) << failing;
    EXPECT_EQ(Names(), Strings());
  }
}

TEST_P(LauncherContract, NamesTheLaunchThatFailed) {
  cuda_.Fail("cudaLaunchKernelExC");
  const absl::Status status = Launch();
  EXPECT_NE(std::string(status.message()).find("cudaLaunchKernelExC"),
            std::string::npos);
}

}  // namespace
}  // namespace tiletune
