// HostOperands: the operands of a problem in host memory, byte for byte as the
// GPU has them: types, layouts, leading dimensions and batch strides included.
//
//   HostOperands operands(problem);
//   operands.FillNormal(/*seed=*/1);
//   ReferenceOutput want = ComputeReference(problem, operands.arguments());
//   copy operands.a() ... to the GPU, launch, copy D back into operands.d();
//   EXPECT_TRUE(MatchesReference(problem, want, operands.d().data(), bound));
#ifndef TILETUNE_TESTING_REFERENCE_HOST_OPERANDS_H_
#define TILETUNE_TESTING_REFERENCE_HOST_OPERANDS_H_

#include <cstdint>
#include <vector>

#include "kernels/problem.h"

namespace tiletune {

// One element of memory of `type`, and its conversion: to nearest even, 8-bit
// types saturating. `index` counts elements.
double ReadElement(const void* data, DataType type, int64_t index);
void WriteElement(void* data, DataType type, int64_t index, double value);
// `value` as an element of `type` would hold it.
double RoundTo(DataType type, double value);

// As GemmArguments, in host memory; scalars always on the host.
struct HostArguments {
  const void* a = nullptr;
  const void* b = nullptr;
  const void* c = nullptr;
  const void* bias = nullptr;
  float alpha = 1.0f;
  float beta = 0.0f;
  const float* scale_a = nullptr;
  const float* scale_b = nullptr;
  float scale_d = 1.0f;
};

class HostOperands {
 public:
  // Every byte 0xff (NaN in every type), gaps included; scales 1. The problem
  // must be valid.
  explicit HostOperands(const GemmProblem& problem);

  // N(0, 1) elements; scales within [0.5, 2).
  void FillNormal(uint64_t seed);
  // Integers from -2 to 2, scales powers of two: sums are exact in fp32 up to
  // K = 2^22. Gaps between lines stay NaN in both.
  void FillSmallIntegers(uint64_t seed);

  // alpha = 1, beta = 0.5 where C is read, unless changed by the caller.
  HostArguments arguments() const;

  std::vector<uint8_t>& a() { return a_; }
  std::vector<uint8_t>& b() { return b_; }
  std::vector<uint8_t>& c() { return c_; }
  std::vector<uint8_t>& d() { return d_; }
  std::vector<uint8_t>& bias() { return bias_; }
  std::vector<float>& scale_a() { return scale_a_; }
  std::vector<float>& scale_b() { return scale_b_; }
  const GemmProblem& problem() const { return problem_; }  // normalized

 private:
  enum class Kind { kNormal, kSmallIntegers };
  void FillAll(Kind kind, uint64_t seed);
  void FillUpLinesOfScales();

  GemmProblem problem_;
  std::vector<uint8_t> a_, b_, c_, d_, bias_;
  std::vector<float> scale_a_, scale_b_;
};

}  // namespace tiletune

#endif  // TILETUNE_TESTING_REFERENCE_HOST_OPERANDS_H_
