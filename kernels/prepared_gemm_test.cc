#include "kernels/prepared_gemm.h"

#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "testing/launch/fake_family.h"
#include "testing/launch/fake_gemm.h"

namespace tiletune {
namespace {

class PreparedGemmTest : public FakeGemm {
 protected:
  absl::StatusOr<PreparedGemm> Prepare(void* workspace = nullptr,
                                       size_t bytes = 0) {
    return PreparedGemm::Prepare(problem_, config_, arguments_, device_,
                                 workspace, bytes);
  }
};

TEST_F(PreparedGemmTest, IsPreparedOnceAndLaunchedOften) {
  const absl::StatusOr<PreparedGemm> gemm = Prepare();
  ASSERT_TRUE(gemm.ok()) << gemm.status();
  EXPECT_EQ(FakeFamily::enqueued, 0);
  const GpuStream stream = reinterpret_cast<GpuStream>(0x10);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(gemm->Launch(stream).ok());
  EXPECT_EQ(FakeFamily::prepared, 1);
  EXPECT_EQ(FakeFamily::enqueued, 3);
  EXPECT_EQ(FakeFamily::last_stream, stream);
  EXPECT_EQ(gemm->problem(), Normalized(problem_));
  EXPECT_EQ(gemm->config(), config_);
}

TEST_F(PreparedGemmTest, TakesOtherOperands) {
  PreparedGemm gemm = *Prepare();
  const PreparedGemm before = gemm;
  arguments_.a = Address(0x400000);
  EXPECT_TRUE(gemm.SetArguments(arguments_).ok());
  EXPECT_EQ(FakeFamily::reused, 1);
  EXPECT_TRUE(gemm.Launch(nullptr).ok());
  EXPECT_EQ(FakeFamily::last_a, Address(0x400000));
  EXPECT_TRUE(before.Launch(nullptr).ok());
  EXPECT_EQ(FakeFamily::last_a, Address(0x100000));
}

TEST_F(PreparedGemmTest, KeepsItsWorkspaceUnlessItGetsAnother) {
  FakeFamily::workspace_needed = 4096;
  EXPECT_FALSE(Prepare().ok());
  PreparedGemm gemm = *Prepare(Address(0x500000), 4096);
  EXPECT_TRUE(gemm.SetArguments(arguments_).ok());
  EXPECT_FALSE(gemm.SetArguments(arguments_, Address(0x600000), 4095).ok());
  EXPECT_TRUE(gemm.SetArguments(arguments_, Address(0x600000), 4096).ok());
  arguments_.d = Address(0x600100);
  EXPECT_EQ(gemm.SetArguments(arguments_).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(PreparedGemmTest, LaunchesNothingAfterArgumentsThatWillNotDo) {
  PreparedGemm gemm = *Prepare();
  GemmArguments wrong = arguments_;
  wrong.d = nullptr;
  EXPECT_EQ(gemm.SetArguments(wrong).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(gemm.Launch(nullptr).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(FakeFamily::enqueued, 0);
  EXPECT_TRUE(gemm.SetArguments(arguments_).ok());
  EXPECT_TRUE(gemm.Launch(nullptr).ok());
  EXPECT_EQ(FakeFamily::enqueued, 1);
}

TEST_F(PreparedGemmTest, LaunchesNothingWhenTheFamilyCouldNotPrepare) {
  PreparedGemm gemm = *Prepare();
  FakeFamily::prepare_status = absl::InternalError("cuTensorMapEncodeTiled");
  EXPECT_FALSE(gemm.SetArguments(arguments_).ok());
  EXPECT_EQ(gemm.Launch(nullptr).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_FALSE(Prepare().ok());
}

TEST_F(PreparedGemmTest, OneOfNothingSaysSo) {
  PreparedGemm gemm;
  EXPECT_EQ(gemm.Launch(nullptr).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(gemm.SetArguments(arguments_).code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(PreparedGemmTest, IsRefusedWhereLaunchGemmWouldBe) {
  device_.modelled = true;
  EXPECT_EQ(Prepare().status().code(), absl::StatusCode::kFailedPrecondition);
  device_.modelled = false;
  config_.split_k = 2;
  EXPECT_EQ(Prepare().status().code(), absl::StatusCode::kFailedPrecondition);
  config_.split_k = 1;
  arguments_.b = nullptr;
  EXPECT_EQ(Prepare().status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(PreparedGemmTest, OfNoElementsLaunchesNothing) {
  problem_.n = 0;
  arguments_ = GemmArguments();
  const absl::StatusOr<PreparedGemm> gemm = Prepare();
  ASSERT_TRUE(gemm.ok()) << gemm.status();
  EXPECT_TRUE(gemm->Launch(nullptr).ok());
  EXPECT_EQ(FakeFamily::enqueued, 0);
}

TEST_F(PreparedGemmTest, ServesAFamilyThatOnlyLaunches) {
  FakeFamily::prepares = false;
  PreparedGemm gemm = *Prepare();
  EXPECT_FALSE(gemm.keeps_work());
  arguments_.a = Address(0x400000);
  EXPECT_TRUE(gemm.SetArguments(arguments_).ok());
  EXPECT_TRUE(gemm.Launch(nullptr).ok());
  EXPECT_EQ(FakeFamily::launched, 1);
  EXPECT_EQ(FakeFamily::last_a, Address(0x400000));
}

}  // namespace
}  // namespace tiletune
