// The reference GEMM kernel, its PTX run by the emulator, against fp64.
#include "testing/reference/emulated_reference.h"

#include <optional>

#include "gtest/gtest.h"
#include "kernels/reference/launcher.h"
#include "kernels/reference/parameters.h"
#include "testing/reference/assorted_problems.h"
#include "testing/reference/matchers.h"
#include "testing/reference/reference_gemm.h"

namespace tiletune {
namespace {

constexpr char kPtx[] = "kernels/reference/gemm_kernel_ptx.ptx";

// Two workers, so that most problems take several tiles each.
constexpr uint32_t kWorkers = 2;

void RunReference(HostOperands* host, EmulatedOperands* gpu) {
  const GemmProblem& p = host->problem();
  const std::optional<TileGrid> grid =
      MakeTileGrid(p.m, p.n, p.k, static_cast<uint32_t>(p.batch),
                   kReferenceTileM, kReferenceTileN, kReferenceTileK);
  OrderOptions options;
  options.offset = 2;
  const ReferenceParameters parameters =
      MakeReferenceParameters(p, gpu->arguments(), *MakeOrder(*grid, options));
  ASSERT_NO_FATAL_FAILURE(gpu->Run(kPtx, "ReferenceGemm", kWorkers,
                                   kReferenceThreads,
                                   [&](emulator::Launch& launch) {
                                     launch.Add(&parameters, sizeof parameters);
                                   }));
  gpu->DownloadD(host);
}

TEST(EmulatedReference, AgreesWithFp64OnEveryKindOfProblem) {
  for (const GemmProblem& p : AssortedProblems()) {
    HostOperands host(p);
    host.FillNormal(3);
    const ReferenceOutput want = ComputeReference(p, host.arguments());
    EmulatedOperands gpu(host, host.arguments());
    ASSERT_NO_FATAL_FAILURE(RunReference(&host, &gpu)) << ProblemKey(p);
    EXPECT_TRUE(
        MatchesReference(p, want, host.d().data(), ErrorBound::BlockedFp32(p)));
    EXPECT_TRUE(GapsAreUntouched(p, host.d()));
    if (p.epilogue.amax) {
      float amax = 0;
      ASSERT_TRUE(gpu.memory().Read(
          reinterpret_cast<uintptr_t>(gpu.arguments().amax_d), &amax, 4));
      EXPECT_NEAR(amax, want.amax, 1e-5 * want.amax);
    }
  }
}

TEST(EmulatedReference, IsExactOnSmallIntegers) {
  for (const GemmProblem& p : AssortedProblems()) {
    HostOperands host(p);
    host.FillSmallIntegers(5);
    const ReferenceOutput want = ComputeReference(p, host.arguments());
    EmulatedOperands gpu(host, host.arguments());
    ASSERT_NO_FATAL_FAILURE(RunReference(&host, &gpu)) << ProblemKey(p);
    EXPECT_TRUE(
        MatchesReference(p, want, host.d().data(), ErrorBound::Exact(p)));
  }
}

}  // namespace
}  // namespace tiletune
