// A GEMM whose operand A the GEMM before it in the stream wrote, in the
// emulator and under its strict checks: with A read where it lies and B
// repacked, the kernel loads A before griddepcontrol.wait, and yet what it
// reads is complete and visible, as the repack's launch waits for it.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/config.h"
#include "kernels/device.h"
#include "kernels/hopper/launcher.h"
#include "kernels/problem.h"
#include "kernels/variant.h"
#include "testing/reference/host_operands.h"
#include "testing/reference/matchers.h"
#include "testing/reference/reference_gemm.h"

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

  static void* Upload(const std::vector<uint8_t>& host) {
    void* device = nullptr;
    EXPECT_EQ(cudaMalloc(&device, host.size()), cudaSuccess);
    cudaMemcpy(device, host.data(), host.size(), cudaMemcpyHostToDevice);
    return device;
  }

  size_t WorkspaceBytes(const GemmProblem& p) const {
    return HopperLauncher().workspace_bytes(p, config_, facts_);
  }

  testing::AssertionResult Launch(const GemmProblem& p, const void* a,
                                  const void* b, void* d, void* workspace) {
    GemmArguments arguments;
    arguments.a = a;
    arguments.b = b;
    arguments.d = d;
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
    void* const a1 = Upload(one.a());
    void* const b1 = Upload(one.b());
    void* const middle = Upload(one.d());
    void* const b2 = Upload(two.b());
    void* const d = Upload(two.d());
    // The same for both, so that a repack overwrites what the GEMM before
    // reads.
    void* const workspace = Upload(std::vector<uint8_t>(
        std::max(WorkspaceBytes(first), WorkspaceBytes(second))));
    EXPECT_TRUE(Launch(first, a1, b1, middle, workspace));
    EXPECT_TRUE(Launch(second, middle, b2, d, workspace));
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess) << "a race, see above";

    cudaMemcpy(one.d().data(), middle, one.d().size(), cudaMemcpyDeviceToHost);
    EXPECT_TRUE(MatchesReference(first,
                                 ComputeReference(first, one.arguments()),
                                 one.d().data(), ErrorBound::Exact(first)));
    two.a() = one.d();
    cudaMemcpy(two.d().data(), d, two.d().size(), cudaMemcpyDeviceToHost);
    EXPECT_TRUE(MatchesReference(second,
                                 ComputeReference(second, two.arguments()),
                                 two.d().data(), ErrorBound::Exact(second)));
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
