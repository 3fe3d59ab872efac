// The reference family: one naive kernel that runs any problem on any GPU. For
// checking the others, and for GPUs that no other family serves.
//
//   const FamilyLauncher& family = ReferenceLauncher();
#ifndef TILETUNE_KERNELS_REFERENCE_LAUNCHER_H_
#define TILETUNE_KERNELS_REFERENCE_LAUNCHER_H_

#include "kernels/launcher.h"
#include "kernels/reference/parameters.h"

namespace tiletune {

const FamilyLauncher& ReferenceLauncher();

// The kernel parameters of a normalized problem, tiles in `order`.
ReferenceParameters MakeReferenceParameters(const GemmProblem& problem,
                                            const GemmArguments& arguments,
                                            const Order& order);

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_REFERENCE_LAUNCHER_H_
