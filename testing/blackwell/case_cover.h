// The cases that a Blackwell kernel is proven with.
//
// Use it with kernel_runner.h. Every pair of values of layout, types of the
// operands and of D, offset, direction, epilogue, scaling, tails in M, N and K,
// batch, strides or alignment, waves, split-K, residents and kind of inputs
// occurs in some case.
//
//   for (const KernelCase& c : CaseCover(*FindVariant(name), /*seed=*/1))
//     EXPECT_EQ(runner.Run(c), "");
#ifndef TILETUNE_TESTING_BLACKWELL_CASE_COVER_H_
#define TILETUNE_TESTING_BLACKWELL_CASE_COVER_H_

#include <cstdint>
#include <vector>

#include "kernels/variant.h"
#include "testing/blackwell/kernel_case.h"

namespace tiletune {

// Legal cases only; the problems are Normalized(). One in ten try_cancel
// requests is refused. The same cases for the same arguments.
std::vector<KernelCase> CaseCover(const KernelVariant& variant, uint64_t seed);

}  // namespace tiletune

#endif  // TILETUNE_TESTING_BLACKWELL_CASE_COVER_H_
