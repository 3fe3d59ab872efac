// What launching a Hopper kernel takes, decided without CUDA: who is the
// kernel's A and B, what must be repacked first, the order, the workspace.
//
//   GemmPlan plan = MakePlan(problem, config, device);  // checked before
//   size_t workspace_bytes = plan.workspace_bytes;
//   if (plan.a.repack) Repack(...);
#ifndef TILETUNE_KERNELS_HOPPER_PLAN_H_
#define TILETUNE_KERNELS_HOPPER_PLAN_H_

#include <cstddef>
#include <cstdint>

#include "kernels/config.h"
#include "kernels/device.h"
#include "kernels/hopper/work_list.h"
#include "kernels/problem.h"

namespace tiletune::hopper {

// A matrix in memory: `outer` runs of `inner` contiguous elements, `ld` apart.
struct MatrixView {
  int64_t inner = 0;
  int64_t outer = 0;
  int64_t ld = 0;            // elements
  int64_t batch_stride = 0;  // elements
  int64_t batches = 1;       // 1 for a broadcast operand
};

// One operand of the kernel, rows x K.
struct OperandPlan {
  bool is_problem_a = true;  // else the problem's B
  DataType type = DataType::kBf16;
  MatrixView source;  // as the caller holds it
  bool source_is_k_major = true;
  MatrixView view;  // as the kernel reads it
  bool is_k_major = true;
  bool repack = false;  // view is a copy of source in the workspace
  size_t workspace_offset = 0;
};

// What params.clean counts in.
inline constexpr size_t kPartialBlockBytes = 256;

struct GemmPlan {
  WorkList work;          // size() 0: nothing to compute
  uint64_t clusters = 0;  // to launch
  OperandPlan a;          // whose rows are the rows of the wgmma tile
  OperandPlan b;

  // The workspace: the queue's counter at 0 and the tickets of split-K, both
  // among the counters of kernels/gemm.h; then the fp32 partial sums of split-K
  // and repacked operands.
  size_t tickets_offset = 0;
  size_t clean_offset = 0;  // see split_k.cuh
  size_t partials_offset = 0;
  size_t partial_blocks = 0;  // of kPartialBlockBytes
  size_t workspace_bytes = 0;
};

// The problem is Normalized() and the config legal for it.
GemmPlan MakePlan(const GemmProblem& problem, const GemmConfig& config,
                  const DeviceFacts& device);

// True when D, held at `d`, may leave by TMA: see epilogue.cuh.
bool MayStoreByTma(const GemmProblem& problem, const KernelVariant& variant,
                   const void* d);

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_PLAN_H_
