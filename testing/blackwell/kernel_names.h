// Finds Blackwell kernels by what a user typed.
//
// Use it in command lines.
//
//   absl::StatusOr<const KernelVariant*> v = FindBlackwellKernel(word);
//   if (!v.ok()) std::cerr << v.status().message();   // names those near
//   for (const std::string& name : BlackwellKernels("*_clc?")) ...
#ifndef TILETUNE_TESTING_BLACKWELL_KERNEL_NAMES_H_
#define TILETUNE_TESTING_BLACKWELL_KERNEL_NAMES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kernels/variant.h"

namespace tiletune {

// The names that match a glob (kernels/glob.h), in the registry's order.
std::vector<std::string> BlackwellKernels(const std::string& glob);

// NotFound with the five names nearest to `name`, or what the kernel is if it
// is none of this family.
absl::StatusOr<const KernelVariant*> FindBlackwellKernel(
    const std::string& name);

}  // namespace tiletune

#endif  // TILETUNE_TESTING_BLACKWELL_KERNEL_NAMES_H_
