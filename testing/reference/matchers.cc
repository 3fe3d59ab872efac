#include "testing/reference/matchers.h"

#include <algorithm>
#include <cmath>

namespace tiletune {
namespace {

double ActivationError(Activation activation) {
  switch (activation) {
    case Activation::kNone:
    case Activation::kRelu:
      return 0;
    case Activation::kGelu:
      return 5e-4;  // what problem.h allows
    case Activation::kSilu:
      return 1e-6;
  }
  return 0;
}

ErrorBound BoundOf(const GemmProblem& p, double relative) {
  // No activation is steeper than 1.13; alpha, beta C and bias take four fp32
  // roundings of what they add up.
  return {1.13 * (relative + 4 * 0x1p-24),
          ActivationError(p.epilogue.activation)};
}

// `got` may be any value that some exact result within `error` of `want`
// rounds to.
bool IsWithin(DataType type, double got, double want, double error) {
  if (std::isnan(want)) return std::isnan(got);
  if (std::isnan(got)) return false;
  if (std::isinf(want)) return got == RoundTo(type, want);
  return got >= RoundTo(type, want - error) &&
         got <= RoundTo(type, want + error);
}

}  // namespace

ErrorBound ErrorBound::Exact(const GemmProblem& p) {
  const Activation activation = p.epilogue.activation;
  if (activation == Activation::kNone || activation == Activation::kRelu) {
    return {};
  }
  return BoundOf(p, 0);
}

ErrorBound ErrorBound::TensorCore(const GemmProblem& p) {
  const double per_mma = BitsOf(p.a_type) == 8 ? 32 : 16;
  const double steps = std::ceil(static_cast<double>(p.k) / per_mma);
  return BoundOf(p, 0x1p-23 * (steps + 32));
}

ErrorBound ErrorBound::BlockedFp32(const GemmProblem& p) {
  // Two more where scales are applied to the elements.
  const int roundings = p.scaling == Scaling::kBlock128 ? 34 : 32;
  return BoundOf(p, roundings * 0x1p-24);
}

::testing::AssertionResult MatchesReference(const GemmProblem& problem,
                                            const ReferenceOutput& want,
                                            const void* d,
                                            const ErrorBound& bound) {
  const GemmProblem p = Normalized(problem);
  int64_t wrong = 0;
  auto failure = ::testing::AssertionFailure();
  size_t i = 0;
  for (int64_t batch = 0; batch < p.batch; ++batch) {
    for (int64_t row = 0; row < p.m; ++row) {
      for (int64_t column = 0; column < p.n; ++column, ++i) {
        const double got = ReadElement(
            d, p.d_type, batch * p.batch_stride_d + row * p.ldd + column);
        const double error =
            bound.relative * want.magnitude[i] + bound.absolute;
        if (IsWithin(p.d_type, got, want.value[i], error)) continue;
        if (wrong++ == 0) {
          failure << ProblemKey(p) << ": D[" << batch << "][" << row << "]["
                  << column << "] = " << got << " instead of " << want.value[i]
                  << " +- " << error << " before rounding";
        }
      }
    }
  }
  if (wrong == 0) return ::testing::AssertionSuccess();
  return failure << "; " << wrong << " elements are wrong";
}

::testing::AssertionResult GapsAreUntouched(const GemmProblem& problem,
                                            const std::vector<uint8_t>& d) {
  const GemmProblem p = Normalized(problem);
  const int64_t bytes = BytesOf(p.d_type);
  std::vector<bool> is_element(d.size(), false);
  for (int64_t batch = 0; batch < p.batch; ++batch) {
    for (int64_t row = 0; row < p.m; ++row) {
      const int64_t start = (batch * p.batch_stride_d + row * p.ldd) * bytes;
      std::fill_n(is_element.begin() + start, p.n * bytes, true);
    }
  }
  for (size_t i = 0; i < d.size(); ++i) {
    if (is_element[i] || d[i] == 0xff) continue;
    return ::testing::AssertionFailure()
           << ProblemKey(p) << ": byte " << i << " of D lies in a gap and was "
           << "written: " << static_cast<int>(d[i]);
  }
  return ::testing::AssertionSuccess();
}

}  // namespace tiletune
