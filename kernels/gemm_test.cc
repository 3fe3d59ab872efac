// LaunchGemm's checks, with a family that launches nothing.
#include "kernels/gemm.h"

#include <string>

#include "gtest/gtest.h"
#include "kernels/launchers.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

int launches = 0;
size_t workspace_needed = 0;
bool linked = true;

size_t FakeWorkspaceBytes(const GemmProblem&, const GemmConfig&,
                          const DeviceFacts&) {
  return workspace_needed;
}

absl::Status FakeLaunch(const GemmProblem& problem, const GemmConfig&,
                        const GemmArguments&, const DeviceFacts&, void*,
                        GpuStream) {
  EXPECT_EQ(problem, Normalized(problem));
  ++launches;
  return absl::OkStatus();
}

bool FakeIsLinked(const KernelVariant&) { return linked; }

// The operands of a 64 x 64 x 64 GEMM, at addresses that are never read.
class LaunchGemmTest : public ::testing::Test {
 protected:
  LaunchGemmTest() {
    launches = 0;
    workspace_needed = 0;
    linked = true;
    problem_.m = problem_.n = problem_.k = 64;
    config_.variant = FindVariant("reference_naive");
    device_ = *ModelledDevice("h200");
    device_.modelled = false;
    arguments_.a = Address(0x100000);
    arguments_.b = Address(0x200000);
    arguments_.d = Address(0x300000);
  }

  static void* Address(uintptr_t address) {
    return reinterpret_cast<void*>(address);
  }

  absl::Status Launch() {
    return LaunchGemm(problem_, config_, arguments_, device_, workspace_,
                      workspace_bytes_, nullptr);
  }

  void ExpectRefused(
      const std::string& reason,
      absl::StatusCode code = absl::StatusCode::kInvalidArgument) {
    const absl::Status status = Launch();
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_NE(std::string(status.message()).find(reason), std::string::npos)
        << status << " does not say: " << reason;
    EXPECT_EQ(launches, 0);
  }

  GemmProblem problem_;
  GemmConfig config_;
  GemmArguments arguments_;
  DeviceFacts device_;
  void* workspace_ = nullptr;
  size_t workspace_bytes_ = 0;
};

TEST_F(LaunchGemmTest, LaunchesAGoodProblemOnce) {
  EXPECT_TRUE(Launch().ok()) << Launch();
  EXPECT_GE(launches, 1);
}

TEST_F(LaunchGemmTest, RefusesNullOperands) {
  arguments_.a = nullptr;
  ExpectRefused("a is null");
  arguments_.a = Address(0x100000);
  arguments_.d = nullptr;
  ExpectRefused("d is null");
}

TEST_F(LaunchGemmTest, RefusesNullOperandsOfTheEpilogue) {
  problem_.epilogue.bias = Bias::kPerRow;
  ExpectRefused("bias is null");
  problem_.epilogue.bias = Bias::kNone;
  problem_.epilogue.reads_c = true;
  ExpectRefused("c is null");
}

TEST_F(LaunchGemmTest, RefusesNullScalesAndAmax) {
  problem_.a_type = problem_.b_type = problem_.d_type = DataType::kFp8E4m3;
  problem_.scaling = Scaling::kPerTensor;
  ExpectRefused("scale_a or scale_b is null");
  problem_.scaling = Scaling::kNone;
  problem_.epilogue.amax = true;
  ExpectRefused("amax_d is null");
}

TEST_F(LaunchGemmTest, NeedsNoOperandsWhenKIsZero) {
  problem_.k = 0;
  arguments_.a = arguments_.b = nullptr;
  EXPECT_TRUE(Launch().ok());
  EXPECT_EQ(launches, 1);
}

TEST_F(LaunchGemmTest, EnqueuesNothingWhereThereIsNothingToWrite) {
  problem_.m = 0;
  arguments_ = GemmArguments();
  EXPECT_TRUE(Launch().ok());
  EXPECT_EQ(launches, 0);
}

TEST_F(LaunchGemmTest, RefusesMisalignedPointers) {
  arguments_.b = Address(0x200008);
  ExpectRefused("b is not aligned to the problem's 16 bytes");
  arguments_.b = Address(0x200000);
  arguments_.alpha_device = static_cast<const float*>(Address(0x500002));
  ExpectRefused("alpha_device is not aligned");
}

TEST_F(LaunchGemmTest, TakesThePointerAlignmentTheProblemStates) {
  arguments_.b = Address(0x200008);
  problem_.pointer_alignment = 8;
  EXPECT_TRUE(Launch().ok()) << Launch();
}

TEST_F(LaunchGemmTest, RefusesAnOutputThatOverlapsAnInput) {
  arguments_.d = Address(0x100000 + 64 * 64 * 2 - 16);
  ExpectRefused("d overlaps a");
  arguments_.d = Address(0x200000);
  ExpectRefused("d overlaps b");
}

TEST_F(LaunchGemmTest, AllowsCToBeDAndNothingBetween) {
  problem_.epilogue.reads_c = true;
  arguments_.beta = 1.0f;
  arguments_.c = arguments_.d;
  EXPECT_TRUE(Launch().ok());
  launches = 0;
  arguments_.c = Address(0x300010);
  ExpectRefused("d overlaps c");
  arguments_.c = arguments_.d;
  problem_.c_type = DataType::kFp32;
  ExpectRefused("d overlaps c");
}

TEST_F(LaunchGemmTest, RefusesBetaWithoutC) {
  arguments_.beta = 1.0f;
  ExpectRefused("does not read C");
}

TEST_F(LaunchGemmTest, RefusesInvalidProblems) {
  problem_.m = -1;
  ExpectRefused("M is -1");
  problem_.m = int64_t{1} << 62;
  ExpectRefused("2^63");
}

TEST_F(LaunchGemmTest, RefusesIllegalConfigs) {
  config_.split_k = 2;
  ExpectRefused("does not split K", absl::StatusCode::kFailedPrecondition);
  config_.variant = nullptr;
  ExpectRefused("no variant", absl::StatusCode::kFailedPrecondition);
}

TEST_F(LaunchGemmTest, RefusesModelledDevices) {
  device_.modelled = true;
  ExpectRefused("is modelled", absl::StatusCode::kFailedPrecondition);
}

TEST_F(LaunchGemmTest, RefusesVariantsThatAreNotLinked) {
  linked = false;
  ExpectRefused("not linked", absl::StatusCode::kUnimplemented);
}

TEST_F(LaunchGemmTest, RefusesAWorkspaceThatDoesNotDo) {
  workspace_needed = 4096;
  ExpectRefused("workspace is null");
  workspace_ = Address(0x400000);
  workspace_bytes_ = 4095;
  ExpectRefused("has 4095 bytes; 4096 are needed");
  workspace_bytes_ = 4096;
  workspace_ = Address(0x400010);
  ExpectRefused("workspace is not aligned");
  workspace_ = Address(0x300100);
  ExpectRefused("workspace overlaps");
  workspace_ = Address(0x400000);
  EXPECT_TRUE(Launch().ok()) << Launch();
}

}  // namespace

const FamilyLauncher* LauncherOf(Architecture) {
  static constexpr FamilyLauncher kFake = {FakeWorkspaceBytes, FakeLaunch,
                                           FakeIsLinked};
  return &kFake;
}

}  // namespace tiletune
