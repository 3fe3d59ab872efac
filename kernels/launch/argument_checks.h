// What LaunchGemm asks of its arguments, before anything is enqueued.
//
//   absl::Status s = CheckArguments(p, args);
//   if (s.ok()) s = CheckWorkspace(p, args, workspace, bytes, needed);
//   // InvalidArgument, with the argument's name; the problem is Normalized()
//   // and valid, and has elements of D
#ifndef TILETUNE_KERNELS_LAUNCH_ARGUMENT_CHECKS_H_
#define TILETUNE_KERNELS_LAUNCH_ARGUMENT_CHECKS_H_

#include <cstddef>

#include "absl/status/status.h"
#include "kernels/gemm.h"
#include "kernels/problem.h"

namespace tiletune {

// Null or misaligned pointers, operands that overlap D, values that the
// problem would leave unread.
absl::Status CheckArguments(const GemmProblem& problem,
                            const GemmArguments& arguments);

// A workspace of `bytes` where `needed` are: null, short, misaligned, or
// overlapping an operand.
absl::Status CheckWorkspace(const GemmProblem& problem,
                            const GemmArguments& arguments,
                            const void* workspace, size_t bytes, size_t needed);

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_LAUNCH_ARGUMENT_CHECKS_H_
