// The GPU's reference kernel against the CPU's fp64 one, and the checker that
// candidates go through against D's that are known to be right or wrong.
#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/gemm.h"
#include "kernels/reference/checker.h"
#include "kernels/registry.h"
#include "testing/reference/assorted_problems.h"
#include "testing/reference/gpu_operands.h"
#include "testing/reference/matchers.h"
#include "testing/reference/need_gpu.h"
#include "testing/reference/reference_gemm.h"

namespace tiletune {
namespace {

GemmConfig ReferenceConfig() {
  GemmConfig config;
  config.variant = FindVariant("reference_naive");
  return config;
}

class GpuReferenceTest : public ::testing::Test {
 protected:
  // Runs the reference kernel on `host` and brings D back.
  static void Run(const DeviceFacts& device, HostOperands* host,
                  std::unique_ptr<GpuOperands>* gpu) {
    auto uploaded = GpuOperands::Upload(*host, host->arguments());
    ASSERT_TRUE(uploaded.ok()) << uploaded.status();
    *gpu = *std::move(uploaded);
    const absl::Status launched =
        LaunchGemm(host->problem(), ReferenceConfig(), (*gpu)->arguments(),
                   device, nullptr, 0, nullptr);
    ASSERT_TRUE(launched.ok()) << launched;
    const absl::Status downloaded = (*gpu)->DownloadD(host);
    ASSERT_TRUE(downloaded.ok()) << downloaded;
  }
};

TEST_F(GpuReferenceTest, AgreesWithFp64OnEveryKindOfProblem) {
  TILETUNE_NEED_GPU(device);
  for (const GemmProblem& p : AssortedProblems()) {
    HostOperands host(p);
    host.FillNormal(3);
    const ReferenceOutput want = ComputeReference(p, host.arguments());
    std::unique_ptr<GpuOperands> gpu;
    ASSERT_NO_FATAL_FAILURE(Run(device, &host, &gpu)) << ProblemKey(p);
    EXPECT_TRUE(
        MatchesReference(p, want, host.d().data(), ErrorBound::BlockedFp32(p)));
    EXPECT_TRUE(GapsAreUntouched(p, host.d()));
    if (p.epilogue.amax) {
      EXPECT_NEAR(*gpu->DownloadAmax(), want.amax, 1e-5 * want.amax);
    }
  }
}

TEST_F(GpuReferenceTest, IsExactOnSmallIntegers) {
  TILETUNE_NEED_GPU(device);
  for (const GemmProblem& p : AssortedProblems()) {
    HostOperands host(p);
    host.FillSmallIntegers(5);
    const ReferenceOutput want = ComputeReference(p, host.arguments());
    std::unique_ptr<GpuOperands> gpu;
    ASSERT_NO_FATAL_FAILURE(Run(device, &host, &gpu)) << ProblemKey(p);
    EXPECT_TRUE(
        MatchesReference(p, want, host.d().data(), ErrorBound::Exact(p)));
  }
}

TEST_F(GpuReferenceTest, RunsUnderGraphCapture) {
  TILETUNE_NEED_GPU(device);
  const GemmProblem p = PlainProblem(100, 100, 100);
  HostOperands host(p);
  host.FillNormal(3);
  auto gpu = GpuOperands::Upload(host, host.arguments());
  ASSERT_TRUE(gpu.ok()) << gpu.status();
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
            cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
            cudaSuccess);
  EXPECT_TRUE(LaunchGemm(p, ReferenceConfig(), (*gpu)->arguments(), device,
                         nullptr, 0, stream)
                  .ok());
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  ASSERT_TRUE((*gpu)->DownloadD(&host).ok());
  EXPECT_TRUE(MatchesReference(p, ComputeReference(p, host.arguments()),
                               host.d().data(), ErrorBound::BlockedFp32(p)));
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}

// A D, written by the reference and then tampered with, as the checker sees it.
class CheckerTest : public GpuReferenceTest {
 protected:
  void Prepare(const DeviceFacts& device, const GemmProblem& p) {
    host_ = std::make_unique<HostOperands>(p);
    host_->FillNormal(11);
    ASSERT_NO_FATAL_FAILURE(Run(device, host_.get(), &gpu_));
    CheckerOptions options;
    options.gaps_are_poisoned = true;
    auto checker =
        GemmChecker::Create(p, gpu_->arguments(), device, options, nullptr);
    ASSERT_TRUE(checker.ok()) << checker.status();
    checker_ = *std::move(checker);
  }

  // Overwrites bytes of D on the GPU.
  void Tamper(size_t offset, const std::vector<uint8_t>& bytes) {
    ASSERT_EQ(cudaMemcpy(static_cast<char*>(gpu_->arguments().d) + offset,
                         bytes.data(), bytes.size(), cudaMemcpyHostToDevice),
              cudaSuccess);
  }

  GemmCheck Check() {
    absl::StatusOr<GemmCheck> check =
        checker_->Check(gpu_->arguments(), nullptr);
    EXPECT_TRUE(check.ok()) << check.status();
    return check.ok() ? *check : GemmCheck();
  }

  std::unique_ptr<HostOperands> host_;
  std::unique_ptr<GpuOperands> gpu_;
  std::unique_ptr<GemmChecker> checker_;
};

TEST_F(CheckerTest, PassesTheReferenceOnEveryKindOfProblem) {
  TILETUNE_NEED_GPU(device);
  for (const GemmProblem& p : AssortedProblems()) {
    ASSERT_NO_FATAL_FAILURE(Prepare(device, p)) << ProblemKey(p);
    const GemmCheck check = Check();
    EXPECT_TRUE(check.ok()) << ProblemKey(p) << ": " << check.ToString();
  }
}

TEST_F(CheckerTest, FindsOneWrongElementAndSaysWhere) {
  TILETUNE_NEED_GPU(device);
  ASSERT_NO_FATAL_FAILURE(Prepare(device, PlainProblem(100, 80, 64)));
  Tamper((7 * 80 + 5) * 2, {0x00, 0x44});  // 512 in bf16
  const GemmCheck check = Check();
  EXPECT_EQ(check.wrong, 1);
  EXPECT_EQ(check.row, 7);
  EXPECT_EQ(check.column, 5);
  EXPECT_EQ(check.got, 512);
  EXPECT_GT(check.worst_ratio, 1);
}

TEST_F(CheckerTest, FindsAnElementThatWasNeverWritten) {
  TILETUNE_NEED_GPU(device);
  ASSERT_NO_FATAL_FAILURE(Prepare(device, PlainProblem(100, 80, 64)));
  Tamper(99 * 80 * 2, {0xff, 0xff});
  const GemmCheck check = Check();
  EXPECT_EQ(check.wrong, 1);
  EXPECT_EQ(check.row, 99);
}

TEST_F(CheckerTest, FindsAWriteBetweenTheRows) {
  TILETUNE_NEED_GPU(device);
  GemmProblem p = PlainProblem(20, 30, 16);
  p.ldd = 32;
  ASSERT_NO_FATAL_FAILURE(Prepare(device, p));
  Tamper(31 * 2, {0x00});
  EXPECT_EQ(Check().gap_bytes_touched, 1);
}

TEST_F(CheckerTest, FindsAProductLeftOut) {
  TILETUNE_NEED_GPU(device);
  const GemmProblem p = PlainProblem(128, 128, 1024);
  ASSERT_NO_FATAL_FAILURE(Prepare(device, p));
  GemmProblem shorter = Normalized(p);
  shorter.k = 1008;  // one MMA of the tail forgotten
  ASSERT_TRUE(LaunchGemm(shorter, ReferenceConfig(), gpu_->arguments(), device,
                         nullptr, 0, nullptr)
                  .ok());
  EXPECT_GT(Check().wrong, 0);
}

TEST_F(CheckerTest, FindsAWrongAmax) {
  TILETUNE_NEED_GPU(device);
  GemmProblem p = PlainProblem(64, 64, 64);
  p.a_type = p.b_type = p.d_type = DataType::kFp8E4m3;
  p.epilogue.amax = true;
  ASSERT_NO_FATAL_FAILURE(Prepare(device, p));
  EXPECT_TRUE(Check().ok());
  const float half = *gpu_->DownloadAmax() / 2;
  ASSERT_EQ(cudaMemcpy(gpu_->arguments().amax_d, &half, sizeof half,
                       cudaMemcpyHostToDevice),
            cudaSuccess);
  EXPECT_FALSE(Check().amax_ok);
}

}  // namespace
}  // namespace tiletune
