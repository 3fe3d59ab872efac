// HostOperands: the inputs of a KernelCase in host memory, and what the kernel
// should make of them.
//
// Use it to fill emulated device memory before a run, and to judge D after it.
//
//   HostOperands host(c);
//   device.Write(a, host.a().data(), host.a().size());
//   ...
//   std::string wrong = host.Judge(d_bytes, amax);   // empty: right
#ifndef TILETUNE_TESTING_BLACKWELL_HOST_OPERANDS_H_
#define TILETUNE_TESTING_BLACKWELL_HOST_OPERANDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "testing/blackwell/kernel_case.h"

namespace tiletune {

class HostOperands {
 public:
  // The problem of `c` must be Normalized() and valid.
  explicit HostOperands(const KernelCase& c);

  // Bytes as in device memory, gaps between rows included; empty where the
  // case has no such operand. d() is D before the launch: C where they are
  // one, else poison.
  const std::vector<uint8_t>& a() const { return a_; }
  const std::vector<uint8_t>& b() const { return b_; }
  const std::vector<uint8_t>& c() const { return c_; }
  const std::vector<uint8_t>& d() const { return d_; }
  const std::vector<uint8_t>& bias() const { return bias_; }
  const std::vector<float>& scale_a() const { return scale_a_; }
  const std::vector<float>& scale_b() const { return scale_b_; }
  float scale_d() const { return scale_d_; }

  // What is wrong with D (of d().size() bytes) and amax after the launch:
  // every element is compared, and every byte of the gaps must be as it was.
  // Small-integer inputs under exact activations must match bit for bit; other
  // cases within a bound from K, the inputs and the rounding of D. Empty when
  // nothing is wrong.
  std::string Judge(const std::vector<uint8_t>& d, float amax) const;

 private:
  // What one element of D should be.
  struct Expected {
    double value;  // before the scale and the rounding of D
    double slack;  // how far `value` may be off, 0 if not at all
  };
  Expected ExpectedAt(int64_t batch, int64_t m, int64_t n) const;
  bool IsExact() const;

  const KernelCase case_;
  std::vector<uint8_t> a_, b_, c_, d_, bias_;
  std::vector<float> scale_a_, scale_b_;
  float scale_d_ = 1;
  // A and B decoded, K fastest: [batch][row][k].
  std::vector<float> a_rows_, b_rows_;
  int64_t a_batches_ = 1;
  int64_t b_batches_ = 1;
};

}  // namespace tiletune

#endif  // TILETUNE_TESTING_BLACKWELL_HOST_OPERANDS_H_
