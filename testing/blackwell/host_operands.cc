#include "testing/blackwell/host_operands.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "absl/strings/str_cat.h"
#include "testing/emulator/engines/formats.h"

namespace tiletune {
namespace {

using emulator::Format;

constexpr uint8_t kPoison = 0xa5;

Format FormatOf(DataType type) {
  switch (type) {
    case DataType::kBf16:
      return Format::kBf16;
    case DataType::kFp16:
      return Format::kF16;
    case DataType::kFp32:
      return Format::kF32;
    case DataType::kFp8E4m3:
      return Format::kE4m3;
    case DataType::kFp8E5m2:
      return Format::kE5m2;
  }
  return Format::kF32;
}

uint32_t BitsAt(const std::vector<uint8_t>& bytes, DataType type, int64_t i) {
  uint32_t bits = 0;
  std::memcpy(&bits, bytes.data() + i * BytesOf(type), BytesOf(type));
  return bits;
}

float ValueAt(const std::vector<uint8_t>& bytes, DataType type, int64_t i) {
  return emulator::Decode(FormatOf(type), BitsAt(bytes, type, i));
}

// Small integers (sums of products of which are exact in fp32) or normals.
class ValueSource {
 public:
  ValueSource(uint64_t seed, bool random) : random_(random), engine_(seed) {}

  double Next() {
    if (random_) return normal_(engine_);
    return static_cast<double>(engine_() % 5) - 2;
  }

  std::vector<uint8_t> Matrix(DataType type, int64_t elements) {
    std::vector<uint8_t> bytes(elements * BytesOf(type));
    emulator::EncodeOptions options;
    options.satfinite = BitsOf(type) == 8;
    for (int64_t i = 0; i < elements; ++i) {
      const uint32_t bits = emulator::Encode(FormatOf(type), Next(), options);
      std::memcpy(bytes.data() + i * BytesOf(type), &bits, BytesOf(type));
    }
    return bytes;
  }

  // Powers of two around 1, so that scaling is exact.
  std::vector<float> Scales(int64_t count) {
    std::vector<float> scales(count);
    for (float& s : scales)
      s = std::ldexp(1.0f, static_cast<int>(engine_() % 3) - 1);
    return scales;
  }

 private:
  const bool random_;
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
};

// Elements from the first to one past the last.
int64_t Span(int64_t lines, int64_t run, int64_t stride, int64_t batches,
             int64_t batch_stride) {
  if (lines == 0 || run == 0) return 0;
  return (batches - 1) * batch_stride + (lines - 1) * stride + run;
}

double Apply(Activation activation, double x) {
  switch (activation) {
    case Activation::kNone:
      return x;
    case Activation::kRelu:
      return x < 0 ? 0 : x;
    case Activation::kGelu:
      return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
    case Activation::kSilu:
      return x / (1 + std::exp(-x));
  }
  return x;
}

// The distance between neighbouring values of `type` near `value`.
double Spacing(DataType type, double value) {
  int mantissa = 23, smallest = -126;
  switch (type) {
    case DataType::kBf16:
      mantissa = 7;
      break;
    case DataType::kFp16:
      mantissa = 10, smallest = -14;
      break;
    case DataType::kFp8E4m3:
      mantissa = 3, smallest = -6;
      break;
    case DataType::kFp8E5m2:
      mantissa = 2, smallest = -14;
      break;
    case DataType::kFp32:
      break;
  }
  const int exponent = value == 0 ? smallest : std::ilogb(value);
  return std::ldexp(1.0, std::max(exponent, smallest) - mantissa);
}

}  // namespace

HostOperands::HostOperands(const KernelCase& c) : case_(c) {
  const GemmProblem& p = case_.problem;
  ValueSource source(c.seed, c.has_random_inputs);
  const bool a_k = AIsKMajor(p.layout), b_k = BIsKMajor(p.layout);
  a_ = source.Matrix(p.a_type, Span(a_k ? p.m : p.k, a_k ? p.k : p.m, p.lda,
                                    p.batch, p.batch_stride_a));
  b_ = source.Matrix(p.b_type, Span(b_k ? p.n : p.k, b_k ? p.k : p.n, p.ldb,
                                    p.batch, p.batch_stride_b));
  const int64_t d_elements = Span(p.m, p.n, p.ldd, p.batch, p.batch_stride_d);
  d_.assign(d_elements * BytesOf(p.d_type), kPoison);
  if (p.epilogue.reads_c) {
    c_ = source.Matrix(p.c_type,
                       Span(p.m, p.n, p.ldc, p.batch, p.batch_stride_c));
    if (c.in_place) d_ = c_;
  }
  if (p.epilogue.bias != Bias::kNone) {
    bias_ = source.Matrix(BiasType(p),
                          p.epilogue.bias == Bias::kPerRow ? p.m : p.n);
  }
  if (p.scaling != Scaling::kNone) {
    const bool vectors = p.scaling == Scaling::kPerRowColumn;
    scale_a_ = source.Scales(vectors ? p.m : 1);
    scale_b_ = source.Scales(vectors ? p.n : 1);
  }
  if (c.has_d_scale) scale_d_ = 0.25f;

  a_batches_ = p.batch_stride_a == 0 ? 1 : p.batch;
  b_batches_ = p.batch_stride_b == 0 ? 1 : p.batch;
  a_rows_.resize(a_batches_ * p.m * p.k);
  b_rows_.resize(b_batches_ * p.n * p.k);
  for (int64_t z = 0; z < a_batches_; ++z) {
    for (int64_t i = 0; i < p.m; ++i) {
      for (int64_t k = 0; k < p.k; ++k) {
        a_rows_[(z * p.m + i) * p.k + k] = ValueAt(
            a_, p.a_type,
            z * p.batch_stride_a + (a_k ? i * p.lda + k : k * p.lda + i));
      }
    }
  }
  for (int64_t z = 0; z < b_batches_; ++z) {
    for (int64_t i = 0; i < p.n; ++i) {
      for (int64_t k = 0; k < p.k; ++k) {
        b_rows_[(z * p.n + i) * p.k + k] = ValueAt(
            b_, p.b_type,
            z * p.batch_stride_b + (b_k ? i * p.ldb + k : k * p.ldb + i));
      }
    }
  }
}

bool HostOperands::IsExact() const {
  const Activation activation = case_.problem.epilogue.activation;
  return !case_.has_random_inputs &&
         (activation == Activation::kNone || activation == Activation::kRelu);
}

HostOperands::Expected HostOperands::ExpectedAt(int64_t batch, int64_t m,
                                                int64_t n) const {
  const GemmProblem& p = case_.problem;
  const float* a =
      a_rows_.data() + ((a_batches_ == 1 ? 0 : batch) * p.m + m) * p.k;
  const float* b =
      b_rows_.data() + ((b_batches_ == 1 ? 0 : batch) * p.n + n) * p.k;
  double sum = 0, magnitude = 0;
  for (int64_t k = 0; k < p.k; ++k) {
    const double product = double{a[k]} * b[k];
    sum += product;
    magnitude += std::fabs(product);
  }
  double scale = case_.alpha;
  if (p.scaling != Scaling::kNone) {
    const bool vectors = p.scaling == Scaling::kPerRowColumn;
    scale *= double{scale_a_[vectors ? m : 0]} * scale_b_[vectors ? n : 0];
  }
  double value = scale * sum;
  magnitude *= std::fabs(scale);
  if (p.epilogue.reads_c) {
    const double c =
        case_.beta *
        double{ValueAt(c_, p.c_type, batch * p.batch_stride_c + m * p.ldc + n)};
    value += c;
    magnitude += std::fabs(c);
  }
  if (p.epilogue.bias != Bias::kNone) {
    const double bias =
        ValueAt(bias_, BiasType(p), p.epilogue.bias == Bias::kPerRow ? m : n);
    value += bias;
    magnitude += std::fabs(bias);
  }
  const double result = Apply(p.epilogue.activation, value);
  if (IsExact()) return {result, 0};
  // Each of K + 3 additions rounds once in fp32; activations amplify by less
  // than 1.2 and are themselves good to 1e-5 relative and 1e-6 absolute.
  const double sums = (p.k + 3) * std::ldexp(magnitude, -24);
  const double activation = p.epilogue.activation == Activation::kNone ||
                                    p.epilogue.activation == Activation::kRelu
                                ? 0
                                : 1e-6 + 1e-5 * std::fabs(result);
  return {result, 1.2 * sums + activation};
}

std::string HostOperands::Judge(const std::vector<uint8_t>& d,
                                float amax) const {
  const GemmProblem& p = case_.problem;
  const Format format = FormatOf(p.d_type);
  const bool is_8_bit = BitsOf(p.d_type) == 8;
  emulator::EncodeOptions options;
  options.satfinite = is_8_bit;
  int64_t wrong = 0;
  std::string first;
  double largest = 0, largest_slack = 0;
  std::vector<bool> written(d.size() / BytesOf(p.d_type), false);
  for (int64_t z = 0; z < p.batch; ++z) {
    for (int64_t m = 0; m < p.m; ++m) {
      for (int64_t n = 0; n < p.n; ++n) {
        const int64_t i = z * p.batch_stride_d + m * p.ldd + n;
        written[i] = true;
        const Expected expected = ExpectedAt(z, m, n);
        largest = std::max(largest, std::fabs(expected.value));
        largest_slack = std::max(largest_slack, expected.slack);
        const double value = scale_d_ * expected.value;
        const uint32_t bits = emulator::Encode(format, value, options);
        const double want = emulator::Decode(format, bits);
        const double got = ValueAt(d, p.d_type, i);
        const double slack = expected.slack == 0 ? 0
                                                 : scale_d_ * expected.slack +
                                                       Spacing(p.d_type, want);
        if (got == want || std::fabs(got - want) <= slack) continue;
        if (wrong++ == 0) {
          first = absl::StrCat("D[", z, "][", m, "][", n, "] is ", got,
                               ", not ", want, " (within ", slack, ")");
        }
      }
    }
  }
  if (wrong != 0) {
    return absl::StrCat(wrong, " of ", p.batch * p.m * p.n,
                        " elements are wrong: ", first);
  }
  for (size_t i = 0; i < written.size(); ++i) {
    if (!written[i] && BitsAt(d, p.d_type, i) != BitsAt(d_, p.d_type, i)) {
      return absl::StrCat("element ", i, " between the rows was overwritten");
    }
  }
  if (p.epilogue.amax && std::fabs(amax - largest) > largest_slack) {
    return absl::StrCat("amax is ", amax, ", not ", largest);
  }
  return "";
}

}  // namespace tiletune
