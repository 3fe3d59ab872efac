#include "testing/reference/reference_gemm.h"

#include <cmath>
#include <cstdint>

#include "kernels/scale_layout.h"

namespace tiletune {
namespace {

// The rows of A, or the columns of B, of one batch: `count` runs of K.
std::vector<double> Gather(const void* data, DataType type, int64_t count,
                           int64_t k, bool k_major, int64_t ld, int64_t start) {
  std::vector<double> runs(static_cast<size_t>(count * k));
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t kk = 0; kk < k; ++kk) {
      const int64_t index = k_major ? i * ld + kk : kk * ld + i;
      runs[static_cast<size_t>(i * k + kk)] =
          ReadElement(data, type, start + index);
    }
  }
  return runs;
}

// Multiplies the rows of A, or the columns of B, of a batch by their scales.
void ScaleBlocks(const float* scales, int64_t row_block, int64_t row_stride,
                 int64_t k_stride, int64_t k, std::vector<double>& runs) {
  for (size_t i = 0; i < runs.size(); ++i) {
    const int64_t row = static_cast<int64_t>(i) / k;
    const int64_t k_block = static_cast<int64_t>(i) % k / kScaleBlock;
    runs[i] *= scales[row / row_block * row_stride + k_block * k_stride];
  }
}

struct Sum {
  double value = 0;
  double magnitude = 0;
};

Sum InnerProduct(const double* a, const double* b, int64_t k) {
  Sum sum;
  for (int64_t i = 0; i < k; ++i) {
    const double product = a[i] * b[i];
    sum.value += product;
    sum.magnitude += std::fabs(product);
  }
  return sum;
}

double ScaleOf(const GemmProblem& p, const HostArguments& args, int64_t row,
               int64_t column) {
  switch (p.scaling) {
    case Scaling::kNone:
      return 1;
    case Scaling::kPerTensor:
      return static_cast<double>(args.scale_a[0]) * args.scale_b[0];
    case Scaling::kPerRowColumn:
      return static_cast<double>(args.scale_a[row]) * args.scale_b[column];
    case Scaling::kBlock128:  // in the products
      return 1;
  }
  return 1;
}

// alpha scale_a scale_b product + beta C + bias.
Sum BeforeActivation(const GemmProblem& p, const HostArguments& args,
                     int64_t batch, int64_t row, int64_t column,
                     const Sum& product) {
  const double multiplier = args.alpha * ScaleOf(p, args, row, column);
  Sum sum = {multiplier * product.value,
             std::fabs(multiplier) * product.magnitude};
  if (p.epilogue.reads_c && args.beta != 0) {
    const double c = args.beta * ReadElement(args.c, p.c_type,
                                             batch * p.batch_stride_c +
                                                 row * p.ldc + column);
    sum.value += c;
    sum.magnitude += std::fabs(c);
  }
  if (p.epilogue.bias != Bias::kNone) {
    const double bias =
        ReadElement(args.bias, BiasType(p),
                    p.epilogue.bias == Bias::kPerRow ? row : column);
    sum.value += bias;
    sum.magnitude += std::fabs(bias);
  }
  return sum;
}

}  // namespace

double Activate(Activation activation, double x) {
  switch (activation) {
    case Activation::kNone:
      return x;
    case Activation::kRelu:
      return x < 0 ? 0 : x;
    case Activation::kGelu:
      // x Phi(x); its limit at -infinity is 0, not a NaN.
      return std::isinf(x) && x < 0 ? 0
                                    : 0.5 * x * std::erfc(-x / std::sqrt(2.0));
    case Activation::kSilu:
      return std::isinf(x) && x < 0 ? 0 : x / (1 + std::exp(-x));
  }
  return x;
}

ReferenceOutput ComputeReference(const GemmProblem& problem,
                                 const HostArguments& args) {
  const GemmProblem p = Normalized(problem);
  const bool eight_bit = BitsOf(p.d_type) == 8;
  const double scale_d = eight_bit ? args.scale_d : 1;
  ReferenceOutput out;
  out.value.reserve(static_cast<size_t>(p.batch * p.m * p.n));
  out.magnitude.reserve(out.value.capacity());
  for (int64_t batch = 0; batch < p.batch; ++batch) {
    std::vector<double> a =
        Gather(args.a, p.a_type, p.m, p.k, AIsKMajor(p.layout), p.lda,
               batch * p.batch_stride_a);
    std::vector<double> b =
        Gather(args.b, p.b_type, p.n, p.k, BIsKMajor(p.layout), p.ldb,
               batch * p.batch_stride_b);
    if (p.scaling == Scaling::kBlock128) {
      const ScaleLayout s = ScaleLayoutOf(p);
      ScaleBlocks(args.scale_a + batch * s.a_batch_stride, 1, 1, s.a_stride,
                  p.k, a);
      ScaleBlocks(args.scale_b + batch * s.b_batch_stride, kScaleBlock,
                  s.b_stride, 1, p.k, b);
    }
    for (int64_t row = 0; row < p.m; ++row) {
      for (int64_t column = 0; column < p.n; ++column) {
        const Sum product =
            InnerProduct(a.data() + row * p.k, b.data() + column * p.k, p.k);
        const Sum sum = BeforeActivation(p, args, batch, row, column, product);
        const double v = Activate(p.epilogue.activation, sum.value);
        if (std::isnan(v) || std::isnan(out.amax)) {
          out.amax = std::nan("");
        } else {
          out.amax = std::fmax(out.amax, std::fabs(v));
        }
        out.value.push_back(scale_d * v);
        out.magnitude.push_back(std::fabs(scale_d) * sum.magnitude);
      }
    }
  }
  return out;
}

void WriteReference(const GemmProblem& problem, const ReferenceOutput& output,
                    void* d) {
  const GemmProblem p = Normalized(problem);
  size_t i = 0;
  for (int64_t batch = 0; batch < p.batch; ++batch) {
    for (int64_t row = 0; row < p.m; ++row) {
      for (int64_t column = 0; column < p.n; ++column) {
        WriteElement(d, p.d_type,
                     batch * p.batch_stride_d + row * p.ldd + column,
                     output.value[i++]);
      }
    }
  }
}

}  // namespace tiletune
