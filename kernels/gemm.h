// Launching a GEMM with a given config. Most users want
// dispatch/tuned_gemm.h, which chooses the config too.
//
//   GemmArguments args;
//   args.a = a; args.b = b; args.d = d;              // device pointers
//   size_t bytes = *WorkspaceBytes(problem, config, device);
//   absl::Status s = LaunchGemm(problem, config, args, device, workspace,
//                               bytes, stream);
#ifndef TILETUNE_KERNELS_GEMM_H_
#define TILETUNE_KERNELS_GEMM_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernels/config.h"
#include "kernels/device.h"
#include "kernels/problem.h"

struct CUstream_st;  // a cudaStream_t points to this

namespace tiletune {

using GpuStream = CUstream_st*;

// Device pointers, but for the scalars. C may equal D (in place).
struct GemmArguments {
  const void* a = nullptr;
  const void* b = nullptr;
  const void* c = nullptr;  // read only when the problem reads C
  void* d = nullptr;
  const void* bias = nullptr;  // BiasType(problem), M or N elements

  // alpha and beta on the host, unless the device pointers are set.
  float alpha = 1.0f;
  float beta = 0.0f;
  const float* alpha_device = nullptr;
  const float* beta_device = nullptr;

  // fp32 on the device: 1 element each (kPerTensor), M and N (kPerRowColumn),
  // or as scale_layout.h says and aligned to 16 bytes (kBlock128).
  const float* scale_a = nullptr;
  const float* scale_b = nullptr;
  const float* scale_d = nullptr;  // 1 element, 8-bit D only; null: 1
  float* amax_d = nullptr;         // 1 element, max-accumulated
};

// What a workspace must be aligned to, in bytes.
inline constexpr size_t kWorkspaceAlignment = 256;

// Device memory that LaunchGemm needs besides the operands, in bytes, or why
// the config cannot run. A pure function; 0 for most configs. One workspace
// serves one stream at a time, and any sequence of problems and configs on it.
//
// Counters (of a queue, of split-K) live in the first kWorkspaceCounterBytes.
// Those must be zero before the workspace is first used (cudaMemset, once);
// every launch leaves them as the next needs them, so that none needs a memset
// of its own. What a launch leaves behind them matters to later ones: if
// anything else has written to the workspace, make the counters zero again.
inline constexpr size_t kWorkspaceCounterBytes = 64 << 10;
absl::StatusOr<size_t> WorkspaceBytes(const GemmProblem& problem,
                                      const GemmConfig& config,
                                      const DeviceFacts& device);

// Enqueues the GEMM on `stream` and returns without waiting. Safe on several
// streams at once and under CUDA-graph capture. Every error is found before
// anything is enqueued: InvalidArgument (null, misaligned, short workspace),
// FailedPrecondition (config not legal here), Unimplemented (variant not
// linked into this program), Internal (a CUDA call failed; its name is given).
// Operands may not overlap D, but for C = D; where M, N or batch is 0 nothing
// is enqueued and pointers are not looked at.
//
// A thread keeps its last 1,024 launches, 3 MB at most: one that it made
// before, with the same problem, config, arguments, device and workspace, costs
// the host what the kernel alone does, and neither allocates nor locks.
absl::Status LaunchGemm(const GemmProblem& problem, const GemmConfig& config,
                        const GemmArguments& arguments,
                        const DeviceFacts& device, void* workspace,
                        size_t workspace_bytes, GpuStream stream);

// True when this program links a launcher for the variant.
bool IsLinked(const KernelVariant& variant);

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_GEMM_H_
