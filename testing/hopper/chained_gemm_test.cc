// A GEMM whose operand A the GEMM before it in the stream wrote, in the
// emulator and under its strict checks: with A read where it lies and B
// repacked, the kernel loads A before griddepcontrol.wait, and yet what it
// reads is complete and visible, as the repack's launch waits for it.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "kernels/config.h"
#include "kernels/device.h"
#include "kernels/hopper/launcher.h"
#include "kernels/problem.h"
#include "kernels/timing/device_buffer.h"
#include "kernels/variant.h"
#include "testing/reference/gpu_operands.h"
#include "testing/reference/host_operands.h"

namespace tiletune {
namespace {

constexpr char kVariant[] = "sm90_16b_u128x128x64_c1x1_s5_coop_static";

class ChainedGemm : public testing::Test {
 protected:
  ChainedGemm() : facts_(*QueryDevice(0)) {
    config_.variant = FindVariant(kVariant);
  }
  ~ChainedGemm() override { cudaDeviceReset(); }

  // Rows of A and B that TMA cannot read, and N of D likewise.
  static GemmProblem Problem(int64_t n, int64_t k) {
    GemmProblem p;
    p.m = 130;
    p.n = n;
    p.k = k;
    p.lda = p.ldb = k | 1;
    p.ldd = n | 1;
    return Normalized(p);
  }

  size_t WorkspaceBytes(const GemmProblem& p) const {
    return HopperLauncher().workspace_bytes(p, config_, facts_);
  }

  testing::AssertionResult Launch(const GemmProblem& p,
                                  const GemmArguments& arguments,
                                  void* workspace) {
    const absl::Status status = HopperLauncher().launch(
        p, config_, arguments, facts_, workspace, /*stream=*/nullptr);
    if (status.ok()) return testing::AssertionSuccess();
    return testing::AssertionFailure() << status;
  }

  // D of `first` is A of `second`.
  void RunPair(const GemmProblem& first, const GemmProblem& second) {
    ASSERT_EQ(second.lda, first.ldd);
    HostOperands one(first), two(second);
    one.FillSmallIntegers(1);
    two.FillSmallIntegers(2);
    // All of it first: a copy would wait for the launch before it.
    const auto gpu_one = GpuOperands::Upload(one, one.arguments());
    const auto gpu_two = GpuOperands::Upload(two, two.arguments());
    ASSERT_TRUE(gpu_one.ok() && gpu_two.ok());
    GemmArguments arguments = (*gpu_two)->arguments();
    arguments.a = (*gpu_one)->arguments().d;
    // The same for both, so that a repack overwrites what the GEMM before
    // reads.
    absl::StatusOr<DeviceBuffer> workspace = DeviceBuffer::Allocate(
        std::max(WorkspaceBytes(first), WorkspaceBytes(second)));
    ASSERT_TRUE(workspace.ok() && workspace->Fill(0, nullptr).ok());
    EXPECT_TRUE(Launch(first, (*gpu_one)->arguments(), workspace->data()));
    EXPECT_TRUE(Launch(second, arguments, workspace->data()));
    EXPECT_TRUE((*gpu_one)->DIsExact(&one)) << "or a race, see above";
    two.a() = one.d();
    EXPECT_TRUE((*gpu_two)->DIsExact(&two));
  }

  DeviceFacts facts_;
  GemmConfig config_;
};

TEST_F(ChainedGemm, ReadsAllOfAnOperandThatTheGemmBeforeWrote) {
  const GemmProblem first = Problem(/*n=*/457, /*k=*/9);
  RunPair(first, Problem(/*n=*/40, first.n));
}

// Then it is the GEMM itself that has to wait.
TEST_F(ChainedGemm, DoesSoWhereNothingIsRepackedInBetween) {
  const GemmProblem first = Problem(/*n=*/457, /*k=*/9);
  GemmProblem second = Problem(/*n=*/40, first.n);
  second.ldb = 464;
  RunPair(first, second);
}

}  // namespace
}  // namespace tiletune
