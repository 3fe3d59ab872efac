#include "kernels/blackwell/launcher.h"

#include <cstring>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "kernels/blackwell/entry.h"
#include "kernels/blackwell/parameters.h"
#include "kernels/repack/recording_cuda.h"

namespace tiletune::blackwell {
namespace {

int function;
const KernelEntry entry("linked", &function);
const GpuStream stream = reinterpret_cast<GpuStream>(0x10);

// Pointers that are compared, never followed.
alignas(256) char memory[256];
alignas(256) char workspace[kWorkspaceCounterBytes + 256];

class LauncherTest : public testing::Test {
 protected:
  LauncherTest() {
    // Launches of one context set nothing up again: each test has its own.
    static unsigned long long next_context = 1;
    cuda_.Reset();
    cuda_.context = next_context++;
    variant_.name = "linked";
    variant_.architecture = Architecture::kBlackwell;
    variant_.tile_m = variant_.tile_n = 128;
    variant_.tile_k = 64;
    variant_.cluster_m = 2;
    variant_.cluster_n = 1;
    variant_.cta_group = 2;
    variant_.supply = SupplyKind::kStatic;
    variant_.operand_bits = 16;
    variant_.threads = 256;
    variant_.shared_bytes = 1234;
    config_.variant = &variant_;
    config_.dependent_launch = false;
    problem_.m = problem_.n = problem_.k = 256;
    arguments_.a = memory;
    arguments_.b = memory + 64;
    arguments_.d = memory + 128;
    device_.sm_count = 148;
  }

  absl::Status Launch() {
    return BlackwellLauncher().launch(Normalized(problem_), config_, arguments_,
                                      device_, workspace, stream);
  }

  // The calls but for the encoding of tensor maps.
  std::vector<RecordedCall> Calls() const {
    std::vector<RecordedCall> calls;
    for (const RecordedCall& call : cuda_.calls()) {
      if (call.name != "cuTensorMapEncodeTiled") calls.push_back(call);
    }
    return calls;
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const RecordedCall& call : Calls()) names.push_back(call.name);
    return names;
  }

  RecordingCuda& cuda_ = RecordingCuda::Get();
  KernelVariant variant_ = {};
  GemmConfig config_;
  GemmProblem problem_;
  GemmArguments arguments_;
  DeviceFacts device_;
};

using Strings = std::vector<std::string>;

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
  EXPECT_EQ(launch.stream, stream);
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
  const FamilyLauncher& family = BlackwellLauncher();
  const GemmProblem p = Normalized(problem_);
  PreparedLaunch prepared;
  ASSERT_TRUE(
      family.prepare(p, config_, arguments_, device_, workspace, &prepared)
          .ok());
  EXPECT_EQ(Names(), Strings());
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(prepared.enqueue(prepared, stream).ok());
  }
  EXPECT_EQ(Names(), (Strings{"cudaFuncSetAttribute", "cudaLaunchKernel",
                              "cudaLaunchKernelExC", "cudaLaunchKernel",
                              "cudaLaunchKernelExC"}));

  // Other operands.
  arguments_.b = memory + 192;
  ASSERT_TRUE(
      family.prepare(p, config_, arguments_, device_, workspace, &prepared)
          .ok());
  EXPECT_EQ(cuda_.calls().back().name, "cuTensorMapReplaceAddress");
  ASSERT_TRUE(prepared.enqueue(prepared, stream).ok());
  const auto* parameters =
      static_cast<const GemmParameters*>(cuda_.calls().back().argument);
  const auto address_in = [](const CUtensorMap& map) {
    const void* address;
    std::memcpy(&address, &map, sizeof(address));
    return address;
  };
  EXPECT_EQ(address_in(parameters->a_map), workspace);
  EXPECT_EQ(address_in(parameters->b_map), memory + 192);
  EXPECT_EQ(address_in(parameters->d_map), memory + 128);

  arguments_.d = memory;
  ASSERT_TRUE(
      family.prepare(p, config_, arguments_, device_, workspace, &prepared)
          .ok());
  ASSERT_TRUE(prepared.enqueue(prepared, stream).ok());
  EXPECT_EQ(address_in(parameters->b_map), memory + 192);
  EXPECT_EQ(address_in(parameters->d_map), memory);
}

TEST_F(LauncherTest, RepacksAheadOfTheKernelOnItsStream) {
  problem_.lda = 257;  // rows of A that TMA cannot describe
  ASSERT_TRUE(Launch().ok());
  EXPECT_EQ(Names(), (Strings{"cudaFuncSetAttribute", "cudaLaunchKernel",
                              "cudaLaunchKernelExC"}));
  EXPECT_EQ(Calls()[1].stream, stream);
}

TEST_F(LauncherTest, ClearsTicketsThatTheCountersDoNotHold) {
  config_.split_k = 2;
  problem_.m = 256 * 64;
  problem_.n = 128 * 65;
  ASSERT_TRUE(Launch().ok());
  ASSERT_EQ(Names(), (Strings{"cudaFuncSetAttribute", "cudaMemsetAsync",
                              "cudaLaunchKernelExC"}));
  EXPECT_EQ(Calls()[1].cleared, workspace + kWorkspaceCounterBytes);
  EXPECT_EQ(Calls()[1].bytes, 64u * 65 * 2 * 4 * sizeof(uint32_t));
  EXPECT_EQ(Calls()[1].stream, stream);
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
  cuda_.Fail("cudaLaunchKernel");
  EXPECT_EQ(Launch().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(cuda_.calls().back().name, "cudaLaunchKernel");
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
