// cuBLASLt, by dlopen: what a user would otherwise call, for comparison. Never
// linked, never called by LaunchGemm.
//
//   auto matmul = CublasLtMatmul::Create(problem, workspace_bytes);
//   if (!matmul.ok()) return matmul.status();      // Unavailable: not
//   installed
//   (*matmul)->Launch(/*algorithm=*/0, args, workspace, stream);
//   // 0 is its first heuristic; algorithms() of them, best guess first
//
// Our row-major D is cuBLAS's column-major transpose, so A and B change places
// here; no data moves. (cuBLAS documentation, "cuBLASLt API".)
#ifndef TILETUNE_KERNELS_CUBLASLT_CUBLASLT_H_
#define TILETUNE_KERNELS_CUBLASLT_CUBLASLT_H_

#include <cstddef>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernels/gemm.h"
#include "kernels/problem.h"

namespace tiletune {

class CublasLtMatmul {
 public:
  // More heuristics than cuBLASLt has for any problem.
  static constexpr int kAllAlgorithms = 128;

  // Plans the problem on the current device, with the best `most_algorithms`
  // that cuBLASLt's heuristics name. Unavailable when there is no cuBLASLt;
  // Unimplemented when it has nothing for the problem (SiLU, bias per row,
  // scales per row, batches with scales per block, amax, or its own limits).
  static absl::StatusOr<std::unique_ptr<CublasLtMatmul>> Create(
      const GemmProblem& problem, size_t workspace_bytes,
      int most_algorithms = kAllAlgorithms);

  virtual ~CublasLtMatmul() = default;

  virtual int algorithms() const = 0;
  // Enqueues with algorithm 0 <= index < algorithms(). `workspace` has the
  // bytes given to Create. Capturable.
  virtual absl::Status Launch(int algorithm, const GemmArguments& arguments,
                              void* workspace, GpuStream stream) const = 0;
};

// Such as 130001 for 13.0.1, or why there is none.
absl::StatusOr<size_t> CublasLtVersion();

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_CUBLASLT_CUBLASLT_H_
