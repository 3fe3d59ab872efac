// GoogleTest predicates that hold a D against the fp64 reference.
//
//   EXPECT_TRUE(MatchesReference(problem, want, d, ErrorBound::Exact()));
//   EXPECT_TRUE(MatchesReference(problem, want, d,
//                                ErrorBound::TensorCore(problem)));
//   EXPECT_TRUE(GapsAreUntouched(problem, d_bytes));
#ifndef TILETUNE_TESTING_REFERENCE_MATCHERS_H_
#define TILETUNE_TESTING_REFERENCE_MATCHERS_H_

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/problem.h"
#include "testing/reference/reference_gemm.h"

namespace tiletune {

// How far an element of D may be from the reference, apart from its own
// rounding to d_type: relative * magnitude + absolute.
struct ErrorBound {
  double relative = 0;
  double absolute = 0;

  // For inputs whose sums are exact: nothing but the rounding of D. Holds for
  // no activation or ReLU; GELU and SiLU get the error of their fp32 forms.
  static ErrorBound Exact(const GemmProblem& problem);
  // fp32 accumulation that rounds or truncates at every MMA: 2^-23 for each of
  // K / 16 (16-bit) or K / 32 (8-bit) steps and 32 more.
  static ErrorBound TensorCore(const GemmProblem& problem);
  // fp32 within 32 elements of K and fp64 beyond, as kernels/reference does.
  static ErrorBound BlockedFp32(const GemmProblem& problem);
};

// Every element of `d` (at the problem's strides) within the bound; a NaN only
// where the reference has one. The message names the first that is not.
::testing::AssertionResult MatchesReference(const GemmProblem& problem,
                                            const ReferenceOutput& want,
                                            const void* d,
                                            const ErrorBound& bound);

// Every byte of `d` that belongs to no element still 0xff.
::testing::AssertionResult GapsAreUntouched(const GemmProblem& problem,
                                            const std::vector<uint8_t>& d);

}  // namespace tiletune

#endif  // TILETUNE_TESTING_REFERENCE_MATCHERS_H_
