// The definition of right: a GEMM in fp64 on the CPU with the exact semantics
// of kernels/problem.h. Slow and obvious; for tests.
//
//   ReferenceOutput want = ComputeReference(problem, operands.arguments());
//   double v = want.value[(batch * m + row) * n + column];
//
// Products of elements are exact in fp64; sums over K round at 2^-53.
#ifndef TILETUNE_TESTING_REFERENCE_REFERENCE_GEMM_H_
#define TILETUNE_TESTING_REFERENCE_REFERENCE_GEMM_H_

#include <vector>

#include "kernels/problem.h"
#include "testing/reference/host_operands.h"

namespace tiletune {

// Packed, batch by batch, row by row.
struct ReferenceOutput {
  // scale_d * v, before the conversion to d_type.
  std::vector<double> value;
  // |scale_d| times the sum of magnitudes of all that was added: what the error
  // of a computation in lower precision scales with.
  std::vector<double> magnitude;
  double amax = 0;  // max |v|, without scale_d; NaN if any v is
};

ReferenceOutput ComputeReference(const GemmProblem& problem,
                                 const HostArguments& arguments);

// The activation of problem.h in fp64; GELU in its erf form.
double Activate(Activation activation, double x);

// D as a perfect kernel writes it, at the problem's strides.
void WriteReference(const GemmProblem& problem, const ReferenceOutput& output,
                    void* d);

}  // namespace tiletune

#endif  // TILETUNE_TESTING_REFERENCE_REFERENCE_GEMM_H_
