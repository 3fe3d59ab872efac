#include "kernels/hopper/launcher.h"

#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "kernels/hopper/gemm_params.h"
#include "kernels/hopper/kernel_entry.h"
#include "testing/launch/launcher_fixture.h"

namespace tiletune::hopper {
namespace {

int function;
KernelEntry entry = {"linked", &function, 384, 200000, nullptr};
const bool registered = RegisterKernel(&entry);

class LauncherTest : public LauncherFixture {
 protected:
  LauncherTest() : LauncherFixture(HopperLauncher()) {
    variant_.architecture = Architecture::kHopper;
    variant_.cta_group = 1;
    variant_.layout_mask = 0xf;
  }
};

TEST_F(LauncherTest, LaunchesClustersWithTheSharedMemoryOfTheKernel) {
  ASSERT_TRUE(Launch().ok());
  const RecordedCall& limit = cuda_.calls()[cuda_.calls().size() - 2];
  EXPECT_EQ(limit.name, "cudaFuncSetAttribute");
  EXPECT_EQ(limit.function, &function);
  EXPECT_EQ(limit.bytes, 200000u);
  const RecordedCall& launch = cuda_.calls().back();
  EXPECT_EQ(launch.name, "cudaLaunchKernelExC");
  EXPECT_EQ(launch.function, &function);
  EXPECT_EQ(launch.grid.x, 4u);  // two clusters of two CTAs
  EXPECT_EQ(launch.block.x, 384u);
  EXPECT_EQ(launch.bytes, 200000u);
  EXPECT_EQ(launch.stream, stream_);
  ASSERT_EQ(launch.attributes.size(), 1u);
  EXPECT_EQ(launch.attributes[0].id, cudaLaunchAttributeClusterDimension);
  EXPECT_EQ(launch.attributes[0].val.clusterDim.x, 2u);
}

TEST_F(LauncherTest, OverlapsWithTheLastKernelOnlyIfAskedTo) {
  config_.dependent_launch = true;
  variant_.cluster_m = 1;
  ASSERT_TRUE(Launch().ok());
  const RecordedCall& launch = cuda_.calls().back();
  ASSERT_EQ(launch.attributes.size(), 1u);
  EXPECT_EQ(launch.attributes[0].id,
            cudaLaunchAttributeProgrammaticStreamSerialization);
  EXPECT_EQ(launch.attributes[0].val.programmaticStreamSerializationAllowed, 1);
}

TEST_F(LauncherTest, PreparesWithoutEnqueueingAndThenOnlyEnqueues) {
  PreparedLaunch prepared;
  ASSERT_TRUE(Prepare(&prepared).ok());
  EXPECT_EQ(CallsOf("cuTensorMapEncodeTiled"), 3);
  EXPECT_EQ(cuda_.calls().size(), 3u);
  for (int launches = 1; launches <= 3; ++launches) {
    ASSERT_TRUE(prepared.enqueue(prepared, stream_).ok());
    EXPECT_EQ(CallsOf("cudaLaunchKernelExC"), launches);
  }
  EXPECT_EQ(CallsOf("cuTensorMapEncodeTiled"), 3);
  EXPECT_EQ(CallsOf("cudaFuncSetAttribute"), 1);
}

TEST_F(LauncherTest, SetsThingsUpAgainInAnotherContext) {
  PreparedLaunch prepared;
  ASSERT_TRUE(Prepare(&prepared).ok());
  ASSERT_TRUE(prepared.enqueue(prepared, stream_).ok());
  cuda_.context += 1000;
  ASSERT_TRUE(prepared.enqueue(prepared, stream_).ok());
  EXPECT_EQ(CallsOf("cudaFuncSetAttribute"), 2);
}

TEST_F(LauncherTest, PreparesAgainWhatOtherOperandsChange) {
  PreparedLaunch prepared;
  ASSERT_TRUE(Prepare(&prepared).ok());
  arguments_.a = memory_ + 768;
  arguments_.alpha = 3;
  ASSERT_TRUE(Prepare(&prepared).ok());
  EXPECT_EQ(CallsOf("cuTensorMapEncodeTiled"), 3);
  EXPECT_EQ(CallsOf("cuTensorMapReplaceAddress"), 1);
  ASSERT_TRUE(prepared.enqueue(prepared, stream_).ok());
  const auto* params =
      static_cast<const GemmParams*>(cuda_.calls().back().argument);
  EXPECT_EQ(AddressIn(params->a_map), memory_ + 768);
  EXPECT_EQ(AddressIn(params->b_map), memory_ + 256);
  EXPECT_EQ(AddressIn(params->d_map), memory_ + 512);
  EXPECT_EQ(params->epilogue.alpha, 3);
}

// Its D may no longer leave by TMA, and then may again.
TEST_F(LauncherTest, MapsThatWereNotNeededAreRightWhenTheyAreAgain) {
  problem_.epilogue.reads_c = true;
  PreparedLaunch prepared;
  ASSERT_TRUE(Prepare(&prepared).ok());
  arguments_.c = arguments_.d;
  arguments_.beta = 1;
  ASSERT_TRUE(Prepare(&prepared).ok());
  arguments_.d = memory_ + 768;
  arguments_.beta = 0;
  ASSERT_TRUE(Prepare(&prepared).ok());
  ASSERT_TRUE(prepared.enqueue(prepared, stream_).ok());
  const auto* params =
      static_cast<const GemmParams*>(cuda_.calls().back().argument);
  EXPECT_TRUE(params->epilogue.tma_store);
  EXPECT_EQ(AddressIn(params->d_map), memory_ + 768);
}

TEST_F(LauncherTest, ShiftedRowsHaveEightMapsThatFollowTheirOperand) {
  variant_.shifted_rows = true;
  variant_.cluster_m = 1;
  problem_.lda = 257;
  PreparedLaunch prepared;
  ASSERT_TRUE(Prepare(&prepared).ok());
  EXPECT_EQ(CallsOf("cuTensorMapEncodeTiled"), 8 + 1);  // and that of B
  arguments_.a = memory_ + 768;
  ASSERT_TRUE(Prepare(&prepared).ok());
  EXPECT_EQ(CallsOf("cuTensorMapEncodeTiled"), 8 + 1);  // and that of B
  EXPECT_EQ(CallsOf("cuTensorMapReplaceAddress"), 8);
  ASSERT_TRUE(prepared.enqueue(prepared, stream_).ok());
  EXPECT_EQ(CallsOf("cudaLaunchKernelExC"), 1);  // nothing to repack
  const auto* params =
      static_cast<const ShiftedRowsParams*>(cuda_.calls().back().argument);
  EXPECT_EQ(params->a_row_shift, 1u);
  for (int box = 0; box < 8; ++box) {
    EXPECT_EQ(AddressIn(params->a_rows[box]), memory_ + 768 + 512 * box);
  }
  EXPECT_EQ(AddressIn(params->b_map), memory_ + 256);
}

TEST_F(LauncherTest, RepacksAheadOfTheKernelOnItsStream) {
  problem_.lda = 257;  // rows of A that TMA cannot describe
  PreparedLaunch prepared;
  ASSERT_TRUE(Prepare(&prepared).ok());
  EXPECT_EQ(CallsOf("cudaLaunchKernelExC"), 0);
  for (int launches = 1; launches <= 2; ++launches) {
    ASSERT_TRUE(prepared.enqueue(prepared, stream_).ok());
    ASSERT_EQ(CallsOf("cudaLaunchKernelExC"), 2 * launches);
    const RecordedCall& repack = cuda_.calls()[cuda_.calls().size() - 2];
    EXPECT_EQ(repack.name, "cudaLaunchKernelExC");
    EXPECT_NE(repack.function, &function);
    EXPECT_EQ(repack.stream, stream_);
    EXPECT_TRUE(repack.attributes.empty());
  }
  EXPECT_EQ(cuda_.calls().back().function, &function);
  const auto* params =
      static_cast<const GemmParams*>(cuda_.calls().back().argument);
  EXPECT_EQ(AddressIn(params->a_map), workspace_ + kWorkspaceCounterBytes);
}

TEST_F(LauncherTest, OverlapsTheRepackOnlyWhereTheKernelLoadsMeanwhile) {
  config_.dependent_launch = true;
  variant_.cluster_m = 1;
  problem_.ldb = 257;
  ASSERT_TRUE(Launch().ok());
  EXPECT_TRUE(cuda_.calls()[cuda_.calls().size() - 2].attributes.empty());
  problem_.lda = 257;
  variant_.shifted_rows = true;
  ASSERT_TRUE(Launch().ok());
  const RecordedCall& repack = cuda_.calls()[cuda_.calls().size() - 2];
  ASSERT_EQ(repack.attributes.size(), 1u);
  EXPECT_EQ(repack.attributes[0].id,
            cudaLaunchAttributeProgrammaticStreamSerialization);
  EXPECT_EQ(repack.attributes[0].val.programmaticStreamSerializationAllowed, 1);
}

TEST_F(LauncherTest, TellsTheKernelThatShiftedRowsWereThereBeforeTheRepack) {
  variant_.shifted_rows = true;
  variant_.cluster_m = 1;
  problem_.lda = problem_.ldb = 257;
  ASSERT_TRUE(Launch().ok());
  EXPECT_TRUE(
      static_cast<const ShiftedRowsParams*>(cuda_.calls().back().argument)
          ->a_is_ready);
}

// A caller may have ignored an error of CUDA: it is not this launch's, and
// stays the caller's to see.
TEST_F(LauncherTest, NeitherReportsNorTakesAnErrorFromBefore) {
  problem_.lda = 257;
  cuda_.last_error = cudaErrorInvalidValue;
  const absl::Status status = Launch();
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(cuda_.last_error, cudaErrorInvalidValue);
}

TEST_F(LauncherTest, NamesARepackThatFailed) {
  problem_.lda = 257;
  cuda_.Fail("cudaLaunchKernelExC");
  const absl::Status status = Launch();
  EXPECT_NE(std::string(status.message()).find("repack"), std::string::npos);
  EXPECT_EQ(CallsOf("cudaLaunchKernelExC"), 1);
}

TEST_F(LauncherTest, EncodesAnewWhatTheDriverWillNotReplace) {
  PreparedLaunch prepared;
  ASSERT_TRUE(Prepare(&prepared).ok());
  arguments_.b = memory_ + 768;
  cuda_.Fail("cuTensorMapReplaceAddress");
  ASSERT_TRUE(Prepare(&prepared).ok());
  EXPECT_EQ(CallsOf("cuTensorMapEncodeTiled"), 4);
}

TEST_F(LauncherTest, LaunchesNoKernelThatIsNotLinked) {
  variant_.name = "elsewhere";
  EXPECT_FALSE(HopperLauncher().is_linked(variant_));
  EXPECT_EQ(Launch().code(), absl::StatusCode::kUnimplemented);
  EXPECT_TRUE(cuda_.calls().empty());
}

TEST_F(LauncherTest, EnqueuesNothingOnceACallHasFailed) {
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

TEST_F(LauncherTest, NamesTheLaunchThatFailed) {
  cuda_.Fail("cudaLaunchKernelExC");
  const absl::Status status = Launch();
  EXPECT_NE(std::string(status.message()).find("cudaLaunchKernelExC"),
            std::string::npos);
}

}  // namespace
}  // namespace tiletune::hopper
