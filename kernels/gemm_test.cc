// LaunchGemm, with a family that launches nothing. Its arguments' checks are
// tested with argument_checks.h.
#include "kernels/gemm.h"

#include <cstdint>
#include <string>
#include <thread>
#include <utility>

#include "gtest/gtest.h"
#include "testing/launch/fake_family.h"
#include "testing/launch/fake_gemm.h"

namespace tiletune {
namespace {

class LaunchGemmTest : public FakeGemm {
 protected:
  LaunchGemmTest() {
    // A thread remembers its launches: each test has a device of its own.
    static int32_t next_sm_count = 100;
    device_.sm_count = next_sm_count++;
  }

  absl::Status Launch(GpuStream stream = nullptr) {
    return LaunchGemm(problem_, config_, arguments_, device_, workspace_,
                      workspace_bytes_, stream);
  }

  void ExpectLaunches(GpuStream stream = nullptr) {
    const int before = FakeFamily::enqueued;
    const absl::Status status = Launch(stream);
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(FakeFamily::enqueued, before + 1);
    EXPECT_EQ(FakeFamily::last_a, arguments_.a);
    EXPECT_EQ(FakeFamily::last_stream, stream);
  }

  void ExpectRefused(
      const std::string& reason,
      absl::StatusCode code = absl::StatusCode::kInvalidArgument) {
    const int before = FakeFamily::enqueued;
    const absl::Status status = Launch();
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_NE(std::string(status.message()).find(reason), std::string::npos)
        << status << " does not say: " << reason;
    EXPECT_EQ(FakeFamily::enqueued, before);
    EXPECT_EQ(FakeFamily::launched, 0);
  }

  void* workspace_ = nullptr;
  size_t workspace_bytes_ = 0;
};

TEST_F(LaunchGemmTest, HandsTheNormalizedProblemToTheFamily) {
  ExpectLaunches();
  EXPECT_EQ(FakeFamily::last_problem, Normalized(problem_));
}

TEST_F(LaunchGemmTest, WorksALaunchOutOnce) {
  for (uintptr_t stream : {0x10, 0x20, 0x30}) {
    ExpectLaunches(reinterpret_cast<GpuStream>(stream));
  }
  EXPECT_EQ(FakeFamily::prepared, 1);
}

TEST_F(LaunchGemmTest, KeepsWhatOtherOperandsDoNotChange) {
  ExpectLaunches();
  arguments_.a = Address(0x800000);
  ExpectLaunches();
  EXPECT_EQ(FakeFamily::prepared, 2);
  EXPECT_EQ(FakeFamily::reused, 1);
  problem_.k = 128;
  ExpectLaunches();
  EXPECT_EQ(FakeFamily::prepared, 3);
  EXPECT_EQ(FakeFamily::reused, 1);
}

// More than a thread keeps: places are used again, even the one whose launch is
// being made over.
TEST_F(LaunchGemmTest, TakesTheOperandsItIsGivenHoweverManyThereWere) {
  for (int round = 0; round < 2; ++round) {
    for (uintptr_t i = 0; i < 3000; ++i) {
      arguments_.a = Address(0x10000000 + i * 0x10000);
      ExpectLaunches();
    }
  }
}

TEST_F(LaunchGemmTest, ChecksOtherOperandsToo) {
  ExpectLaunches();
  arguments_.a = arguments_.d;
  ExpectRefused("d overlaps a");
  arguments_.a = nullptr;
  ExpectRefused("a is null");
}

TEST_F(LaunchGemmTest, ChecksAKnownRequestOfAnotherWorkspace) {
  FakeFamily::workspace_needed = 4096;
  workspace_ = Address(0x400000);
  workspace_bytes_ = 4096;
  ExpectLaunches();
  workspace_bytes_ = 4095;
  ExpectRefused("has 4095 bytes; 4096 are needed");
  workspace_ = nullptr;
  ExpectRefused("workspace is null");
}

TEST_F(LaunchGemmTest, ChecksAKnownProblemOnAnotherDevice) {
  ExpectLaunches();
  device_.modelled = true;
  ExpectRefused("is modelled", absl::StatusCode::kFailedPrecondition);
  device_.modelled = false;
  device_.capability_major = 6;
  ExpectRefused("compute capability", absl::StatusCode::kFailedPrecondition);
}

TEST_F(LaunchGemmTest, DoesNotRememberWhatFailed) {
  FakeFamily::enqueue_status = absl::InternalError("no GPU");
  EXPECT_EQ(Launch().code(), absl::StatusCode::kInternal);
  FakeFamily::enqueue_status = absl::OkStatus();
  ExpectLaunches();
  EXPECT_EQ(FakeFamily::prepared, 2);
  EXPECT_EQ(FakeFamily::reused, 0);
}

TEST_F(LaunchGemmTest, ReportsTheFailureOfAKnownLaunch) {
  ExpectLaunches();
  FakeFamily::enqueue_status = absl::InternalError("no GPU");
  EXPECT_EQ(Launch().code(), absl::StatusCode::kInternal);
}

TEST_F(LaunchGemmTest, RemembersForEachThreadOnItsOwn) {
  ExpectLaunches();
  std::thread([this] { ExpectLaunches(); }).join();
  EXPECT_EQ(FakeFamily::prepared, 2);
  EXPECT_EQ(FakeFamily::reused, 0);
}

TEST_F(LaunchGemmTest, AsksAFamilyThatOnlyLaunchesEachTime) {
  FakeFamily::prepares = false;
  EXPECT_TRUE(Launch().ok());
  EXPECT_TRUE(Launch().ok());
  EXPECT_EQ(FakeFamily::launched, 2);
  EXPECT_EQ(FakeFamily::prepared, 0);
}

TEST_F(LaunchGemmTest, EnqueuesNothingWhereThereIsNothingToWrite) {
  problem_.m = 0;
  arguments_ = GemmArguments();
  EXPECT_TRUE(Launch().ok());
  EXPECT_TRUE(Launch().ok());
  EXPECT_EQ(FakeFamily::enqueued, 0);
  EXPECT_EQ(FakeFamily::prepared, 0);
}

TEST_F(LaunchGemmTest, RefusesWrongArguments) {
  arguments_.a = nullptr;
  ExpectRefused("a is null");
}

TEST_F(LaunchGemmTest, RefusesInvalidProblems) {
  problem_.m = -1;
  ExpectRefused("M is -1");
  problem_.m = int64_t{1} << 62;
  ExpectRefused("2^63");
}

// The families do not ask again, whichever way a launch comes.
TEST_F(LaunchGemmTest, AsksCheckLegalEveryWayIn) {
  config_.variant = FindVariant("sm100_16b_128x128x64_c1x1_s6_clc2");
  const int32_t sm_count = device_.sm_count;
  device_ = *ModelledDevice("b200");
  device_.modelled = false;
  device_.sm_count = sm_count;
  GemmConfig leaves_sms_alone = config_;
  leaves_sms_alone.max_sms = 50;
  EXPECT_EQ(WorkspaceBytes(problem_, leaves_sms_alone, device_).status().code(),
            absl::StatusCode::kFailedPrecondition);
  for (const bool kept : {false, true}) {
    FakeFamily::prepares = true;
    if (kept) ExpectLaunches();  // the same but for max_sms
    std::swap(config_, leaves_sms_alone);
    ExpectRefused("max_sms needs", absl::StatusCode::kFailedPrecondition);
    std::swap(config_, leaves_sms_alone);
  }
}

TEST_F(LaunchGemmTest, RefusesIllegalConfigs) {
  config_.split_k = 2;
  ExpectRefused("does not split K", absl::StatusCode::kFailedPrecondition);
  config_.variant = nullptr;
  ExpectRefused("no variant", absl::StatusCode::kFailedPrecondition);
}

TEST_F(LaunchGemmTest, RefusesVariantsThatAreNotLinked) {
  FakeFamily::linked = false;
  ExpectRefused("not linked", absl::StatusCode::kUnimplemented);
}

TEST_F(LaunchGemmTest, ReportsWhatTheFamilyCannotPrepare) {
  FakeFamily::prepare_status = absl::InternalError("cuTensorMapEncodeTiled");
  ExpectRefused("cuTensorMapEncodeTiled", absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace tiletune
