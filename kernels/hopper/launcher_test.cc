#include "kernels/hopper/launcher.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "kernels/hopper/gemm_params.h"
#include "kernels/hopper/kernel_entry.h"
#include "kernels/repack/recording_cuda.h"

namespace tiletune::hopper {
namespace {

int function;
KernelEntry entry = {"linked", &function, 384, 200000, nullptr};
const bool registered = RegisterKernel(&entry);
const GpuStream stream = reinterpret_cast<GpuStream>(0x10);

// Pointers that are compared, never followed.
alignas(256) char memory[1024];
alignas(256) char workspace[kWorkspaceCounterBytes + 256];

using Strings = std::vector<std::string>;

class LauncherTest : public testing::Test {
 protected:
  LauncherTest() {
    // Launches of one context set nothing up again: each test has its own.
    static unsigned long long next_context = 1;
    cuda_.Reset();
    cuda_.context = next_context++;
    variant_.name = "linked";
    variant_.architecture = Architecture::kHopper;
    variant_.tile_m = variant_.tile_n = 128;
    variant_.tile_k = 64;
    variant_.cluster_m = 2;
    variant_.cluster_n = 1;
    variant_.cta_group = 1;
    variant_.ctas_per_sm = 1;
    variant_.supply = SupplyKind::kStatic;
    variant_.operand_bits = 16;
    variant_.layout_mask = 0xf;
    config_.variant = &variant_;
    config_.dependent_launch = false;
    problem_.m = problem_.n = problem_.k = 256;
    arguments_.a = memory;
    arguments_.b = memory + 256;
    arguments_.d = memory + 512;
    device_.sm_count = 132;
  }

  absl::Status Launch() {
    return HopperLauncher().launch(Normalized(problem_), config_, arguments_,
                                   device_, workspace, stream);
  }
  absl::Status Prepare(PreparedLaunch* prepared) {
    return HopperLauncher().prepare(Normalized(problem_), config_, arguments_,
                                    device_, workspace, prepared);
  }

  int CallsOf(const std::string& name) const {
    return static_cast<int>(std::count_if(
        cuda_.calls().begin(), cuda_.calls().end(),
        [&name](const RecordedCall& call) { return call.name == name; }));
  }

  RecordingCuda& cuda_ = RecordingCuda::Get();
  KernelVariant variant_ = {};
  GemmConfig config_;
  GemmProblem problem_;
  GemmArguments arguments_;
  DeviceFacts device_;
};

// Where a recorded map points to.
const void* AddressIn(const CUtensorMap& map) {
  const void* address;
  std::memcpy(&address, &map, sizeof(address));
  return address;
}

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
  EXPECT_EQ(launch.stream, stream);
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
    ASSERT_TRUE(prepared.enqueue(prepared, stream).ok());
    EXPECT_EQ(CallsOf("cudaLaunchKernelExC"), launches);
  }
  EXPECT_EQ(CallsOf("cuTensorMapEncodeTiled"), 3);
  EXPECT_EQ(CallsOf("cudaFuncSetAttribute"), 1);
}

TEST_F(LauncherTest, SetsThingsUpAgainInAnotherContext) {
  PreparedLaunch prepared;
  ASSERT_TRUE(Prepare(&prepared).ok());
  ASSERT_TRUE(prepared.enqueue(prepared, stream).ok());
  cuda_.context += 1000;
  ASSERT_TRUE(prepared.enqueue(prepared, stream).ok());
  EXPECT_EQ(CallsOf("cudaFuncSetAttribute"), 2);
}

TEST_F(LauncherTest, PreparesAgainWhatOtherOperandsChange) {
  PreparedLaunch prepared;
  ASSERT_TRUE(Prepare(&prepared).ok());
  arguments_.a = memory + 768;
  arguments_.alpha = 3;
  ASSERT_TRUE(Prepare(&prepared).ok());
  EXPECT_EQ(CallsOf("cuTensorMapEncodeTiled"), 3);
  EXPECT_EQ(CallsOf("cuTensorMapReplaceAddress"), 1);
  ASSERT_TRUE(prepared.enqueue(prepared, stream).ok());
  const auto* params =
      static_cast<const GemmParams*>(cuda_.calls().back().argument);
  EXPECT_EQ(AddressIn(params->a_map), memory + 768);
  EXPECT_EQ(AddressIn(params->b_map), memory + 256);
  EXPECT_EQ(AddressIn(params->d_map), memory + 512);
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
  arguments_.d = memory + 768;
  arguments_.beta = 0;
  ASSERT_TRUE(Prepare(&prepared).ok());
  ASSERT_TRUE(prepared.enqueue(prepared, stream).ok());
  const auto* params =
      static_cast<const GemmParams*>(cuda_.calls().back().argument);
  EXPECT_TRUE(params->epilogue.tma_store);
  EXPECT_EQ(AddressIn(params->d_map), memory + 768);
}

TEST_F(LauncherTest, RepacksAheadOfTheKernelOnItsStream) {
  problem_.lda = 257;  // rows of A that TMA cannot describe
  PreparedLaunch prepared;
  ASSERT_TRUE(Prepare(&prepared).ok());
  EXPECT_EQ(CallsOf("cudaLaunchKernel"), 0);
  for (int launches = 1; launches <= 2; ++launches) {
    ASSERT_TRUE(prepared.enqueue(prepared, stream).ok());
    ASSERT_EQ(CallsOf("cudaLaunchKernel"), launches);
    const RecordedCall& repack = cuda_.calls()[cuda_.calls().size() - 2];
    EXPECT_EQ(repack.name, "cudaLaunchKernel");
    EXPECT_EQ(repack.stream, stream);
  }
  const auto* params =
      static_cast<const GemmParams*>(cuda_.calls().back().argument);
  EXPECT_EQ(AddressIn(params->a_map), workspace + kWorkspaceCounterBytes);
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
  cuda_.Fail("cudaLaunchKernel");
  const absl::Status status = Launch();
  EXPECT_NE(std::string(status.message()).find("repack"), std::string::npos);
  EXPECT_EQ(CallsOf("cudaLaunchKernelExC"), 0);
}

TEST_F(LauncherTest, EncodesAnewWhatTheDriverWillNotReplace) {
  PreparedLaunch prepared;
  ASSERT_TRUE(Prepare(&prepared).ok());
  arguments_.b = memory + 768;
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
