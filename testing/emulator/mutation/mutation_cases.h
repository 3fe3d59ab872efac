// MutationCases: the GEMMs on which a mutant of a Blackwell kernel is tried.
//
// Use it with Judge; every line of the kernel should be reached by some case,
// and every ring of barriers should wrap.
//
//   for (const KernelCase& c : MutationCases(variant, /*seeds=*/2))
//     std::cout << ToString(c) << "\n";
#ifndef TILETUNE_TESTING_EMULATOR_MUTATION_MUTATION_CASES_H_
#define TILETUNE_TESTING_EMULATOR_MUTATION_MUTATION_CASES_H_

#include <vector>

#include "kernels/variant.h"
#include "testing/blackwell/kernel_case.h"

namespace tiletune::emulator {

// For each of `seeds` seeds, with tails in M, N and K throughout:
// - plain TN on two resident clusters, with refusals;
// - NT with beta, C in place of D, and a bias, on one cluster that computes
//   every tile: no fewer than three laps through accumulators and stages;
// - split-K, the slices of a tile in different clusters, and all in one;
// - many times with long delays, so that any operation may complete when all
//   else is done (these come last).
// And once for each warp of the CTA, that warp starved.
std::vector<KernelCase> MutationCases(const KernelVariant& variant, int seeds);

// Two GEMMs for KernelRunner::RunDependent: the second takes the first's D as
// its A, and may start before the first ends.
struct DependentCases {
  KernelCase first;
  KernelCase second;
};
DependentCases MutationPair(const KernelVariant& variant);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MUTATION_MUTATION_CASES_H_
