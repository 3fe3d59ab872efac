// Tuning for equal bits at every batch size: which candidates of a problem may
// take part (kernels/batch_invariant.h says why).
//
//   absl::StatusOr<InvariantCandidates> of =
//       InvariantCandidatesOf(problem, device, IsLinked);
//   search_options.runnable = of->allows;
//   printf("sum order %s\n", of->sum_order.c_str());
//   // dispatch, told to be batch invariant, then finds winners of that order
#ifndef TILETUNE_AUTOTUNE_SEARCH_BATCH_INVARIANT_H_
#define TILETUNE_AUTOTUNE_SEARCH_BATCH_INVARIANT_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "kernels/batch_invariant.h"
#include "kernels/config.h"
#include "kernels/device.h"
#include "kernels/problem.h"

namespace tiletune {

struct InvariantCandidates {
  std::string sum_order;
  // Configs of that order that can be launched; and the default config, which
  // takes part in every search because gains are measured against it.
  std::function<bool(const GemmConfig&)> allows;
};

// The sum order is the one predicted best for the problem's layer: the same for
// every M. FailedPrecondition when no order serves all M.
absl::StatusOr<InvariantCandidates> InvariantCandidatesOf(
    const GemmProblem& problem, const DeviceFacts& device,
    CanLaunch can_launch);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_SEARCH_BATCH_INVARIANT_H_
