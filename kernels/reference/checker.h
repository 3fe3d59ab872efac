// GemmChecker: is D what the problem asks for? The reference runs once for a
// problem; any number of candidates are then compared at memory speed.
//
//   auto checker = GemmChecker::Create(problem, args, device, {}, stream);
//   // poison D, launch a candidate on the same arguments, then:
//   absl::StatusOr<GemmCheck> check = (*checker)->Check(args, stream);
//   if (!check->ok()) Reject(check->ToString());
//
// An element passes when it differs from the reference by no more than
//
//   round(D)  half a unit in the last place of d_type (and the next binade's,
//             where the error may carry it there),
//   + accumulation: u (steps + 32) (2 P + S / steps), with P the largest
//   partial
//             sum of the reference, S the sum of |a b|, steps the MMAs along K
//             and u the unit of one accumulation (2^-23; 2^-13 for 8-bit
//             operands on Hopper, whose tensor cores keep about 14 bits there);
//             with scales per block of K, which starts a sum of its own, P is
//             the largest partial sum of a block, on average over the blocks,
//   + 4 fp32 roundings of alpha, beta C and bias, + 5e-4 for a GELU.
//
// A NaN where the reference has none fails: poison D with 0xff before a launch,
// and an element that is never written is found.
#ifndef TILETUNE_KERNELS_REFERENCE_CHECKER_H_
#define TILETUNE_KERNELS_REFERENCE_CHECKER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernels/device.h"
#include "kernels/gemm.h"
#include "kernels/problem.h"
#include "kernels/reference/parameters.h"
#include "kernels/timing/device_buffer.h"

namespace tiletune {

struct CheckerOptions {
  // The inputs are such that every partial sum is exact (small integers): no
  // error of accumulation is allowed.
  bool exact_sums = false;
  // Whether D was poisoned whole, so that gaps between its rows must still
  // hold 0xff. Not for C = D.
  bool gaps_are_poisoned = false;
};

struct GemmCheck {
  int64_t wrong = 0;  // elements beyond what is allowed
  int64_t gap_bytes_touched = 0;
  double worst_ratio = 0;  // error over allowed; infinite for a stray NaN
  // The first wrong element in row-major order; meaningless if there is none.
  int64_t batch = 0, row = 0, column = 0;
  double got = 0, expected = 0, allowed = 0;
  // max |v| against what the candidate wrote; 0 where none was asked for.
  double amax_got = 0, amax_expected = 0;
  bool amax_ok = true;

  bool ok() const { return wrong == 0 && gap_bytes_touched == 0 && amax_ok; }
  // A sentence: what is wrong, where, by how much.
  std::string ToString() const;
};

class GemmChecker {
 public:
  // Runs the reference on `arguments` (their D and amax are not touched) and
  // keeps 8 bytes an element. Waits. ResourceExhausted without the memory.
  static absl::StatusOr<std::unique_ptr<GemmChecker>> Create(
      const GemmProblem& problem, const GemmArguments& arguments,
      const DeviceFacts& device, const CheckerOptions& options,
      GpuStream stream);

  // Compares arguments.d (and amax_d) after what is on the stream. Waits.
  absl::StatusOr<GemmCheck> Check(const GemmArguments& arguments,
                                  GpuStream stream);

 private:
  GemmChecker() = default;

  GemmProblem problem_;
  CheckerOptions options_;
  ReferenceParameters parameters_ = {};
  DeviceBuffer values_;  // ReferenceValue of every element, packed
  DeviceBuffer result_;  // a CheckTotals
};

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_REFERENCE_CHECKER_H_
