// The kernels behind checker.h and what passes between them.
#ifndef TILETUNE_KERNELS_REFERENCE_CHECKER_KERNELS_H_
#define TILETUNE_KERNELS_REFERENCE_CHECKER_KERNELS_H_

#include <cstdint>

#include "kernels/reference/parameters.h"

namespace tiletune {

// What an element of D should be, before rounding to d_type, and by how much
// it may differ apart from that rounding.
struct ReferenceValue {
  float value;
  float allowed;
};

// How errors grow; see checker.h.
struct ErrorModel {
  float accumulation;  // u (steps + 32)
  float steps;
  float activation;  // absolute
};

struct CheckTotals {
  unsigned long long wrong;
  unsigned long long gap_bytes_touched;
  unsigned long long first_wrong;  // packed index; all ones: none
  int worst_ratio_bits;            // of a non-negative float
  int amax_bits;                   // max |v| of the reference
  int amax_allowed_bits;           // the largest error allowed anywhere
  float got, expected, allowed;    // of first_wrong
};

struct CompareParameters {
  int64_t m, n, batches;
  ReferenceMatrix d;
  const ReferenceValue* values;
  const float* scale_d;  // null: 1
  CheckTotals* totals;
  bool gaps_are_poisoned;
};

// (ReferenceParameters, ReferenceValue*, ErrorModel, CheckTotals*):
// kReferenceThreads threads, any grid. Fills the values and the amax.
const void* ReferenceValuesKernel();
// (CompareParameters): any grid, threads in x. Adds to the totals.
const void* CompareKernel();
// (CompareParameters): one thread. Fills in got, expected and allowed.
const void* DescribeFirstWrongKernel();

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_REFERENCE_CHECKER_KERNELS_H_
