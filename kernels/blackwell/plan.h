// LaunchPlan: everything a launch of a Blackwell kernel takes, decided without
// calling CUDA, so that the emulator's tests launch what the GPU would.
//
//   LaunchPlan plan =
//       MakePlan(problem, config, arguments, device, workspace);
//   LaunchRepack(plan.repacks[0], plan.repacks[1], ..., stream);
//   plan.parameters.a_map = *EncodeTensorMap(*plan.a_map);  // b, d too
//   // then launch plan.grid CTAs in clusters of plan.cluster
#ifndef TILETUNE_KERNELS_BLACKWELL_PLAN_H_
#define TILETUNE_KERNELS_BLACKWELL_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernels/blackwell/parameters.h"
#include "kernels/gemm.h"
#include "kernels/ptx/tensor_map.h"
#include "kernels/repack/repack_arguments.h"

namespace tiletune::blackwell {

struct LaunchPlan {
  GemmParameters parameters = {};  // complete but for the tensor maps
  // The maps to encode; absent ones are not used by this launch.
  std::optional<TensorMapSpec> a_map;
  std::optional<TensorMapSpec> b_map;
  std::optional<TensorMapSpec> d_map;

  // To be enqueued before the kernel, in this order.
  void* cleared = nullptr;  // this memory set to 0
  size_t cleared_bytes = 0;
  RepackArguments repacks[2];  // of A and B; without elements: none

  uint32_t grid = 0;     // CTAs along x; 0: nothing to do, do not launch
  uint32_t cluster = 1;  // CTAs along x
};

// Both take what CheckLegal accepts, and ask nothing again: a problem that is
// Normalized(), and a config that is legal for it on the device.

// Bytes of workspace for MakePlan.
size_t PlanWorkspaceBytes(const GemmProblem& problem, const GemmConfig& config);

// `workspace` has that many bytes, the first kWorkspaceCounterBytes as gemm.h
// describes them.
LaunchPlan MakePlan(const GemmProblem& problem, const GemmConfig& config,
                    const GemmArguments& arguments, const DeviceFacts& device,
                    void* workspace);

}  // namespace tiletune::blackwell

#endif  // TILETUNE_KERNELS_BLACKWELL_PLAN_H_
