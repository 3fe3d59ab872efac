// Operands: device memory for all that a problem reads and writes, in as many
// copies as keep L2 cold when launches take them in turn.
//
//   OperandOptions options;                       // cold L2, normal inputs
//   auto operands = Operands::Create(problem, device, options, stream);
//   if (!operands.ok()) return operands.status(); // ResourceExhausted
//   for (int i = 0; i < n; ++i) Launch((*operands)->arguments(i));
//   // one pass over all copies moves more than twice L2
#ifndef TILETUNE_KERNELS_TIMING_OPERANDS_H_
#define TILETUNE_KERNELS_TIMING_OPERANDS_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernels/device.h"
#include "kernels/gemm.h"
#include "kernels/problem.h"
#include "kernels/timing/device_buffer.h"

namespace tiletune {

struct OperandOptions {
  bool cold_l2 = true;          // false: one copy, which L2 may keep
  bool small_integers = false;  // else N(0, 1)
  uint64_t seed = 1;
  // Most device memory to take; 0: 40 % of what is free. Fewer copies than a
  // cold L2 asks for are made before Create fails.
  size_t most_bytes = 0;
};

class Operands {
 public:
  // Allocates and fills: inputs as the options say, gaps between their lines
  // too; scales are powers of two near 1, amax is 0, every byte of D and of the
  // gaps in it 0xff. Waits for the stream.
  static absl::StatusOr<std::unique_ptr<Operands>> Create(
      const GemmProblem& problem, const DeviceFacts& device,
      const OperandOptions& options, GpuStream stream);

  // Those of launch `i`: copies are taken in turn. alpha = 1; beta = 0.5 where
  // the problem reads C.
  GemmArguments arguments(int64_t i) const;

  int copies() const { return copies_; }
  // Whether one pass over the copies moves at least twice L2.
  bool is_cold() const { return is_cold_; }
  const GemmProblem& problem() const { return problem_; }

  // D of one copy, from its first to its last element, gaps included, and the
  // 256 guard bytes before and after, all of which PoisonD sets to 0xff; it
  // sets amax back to 0 too.
  size_t d_bytes() const { return d_bytes_; }
  absl::Status PoisonD(int64_t i, GpuStream stream);
  // OK, or DataLoss if a launch wrote to the guard bytes around D. Waits.
  absl::Status CheckGuards(int64_t i, GpuStream stream) const;

 private:
  Operands() = default;

  char* copy(int64_t i) const;

  GemmProblem problem_;
  DeviceBuffer memory_;
  int copies_ = 1;
  bool is_cold_ = false;
  size_t copy_bytes_ = 0;
  size_t d_bytes_ = 0;
  // Offsets of each operand within a copy.
  size_t a_ = 0, b_ = 0, c_ = 0, d_ = 0, bias_ = 0;
  size_t scale_a_ = 0, scale_b_ = 0, scale_d_ = 0, amax_ = 0;
};

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_TIMING_OPERANDS_H_
