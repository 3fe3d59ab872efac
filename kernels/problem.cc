#include "kernels/problem.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "kernels/scale_layout.h"

namespace tiletune {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// Both factors at least 0. Saturates, so that Validate can refuse the result.
int64_t SaturatingMultiply(int64_t x, int64_t y) {
  if (x == 0 || y == 0) return 0;
  return x > kMax / y ? kMax : x * y;
}

int64_t SaturatingAdd(int64_t x, int64_t y) {
  return x > kMax - y ? kMax : x + y;
}

// How one operand lies in memory: `lines` runs of `run` contiguous elements.
struct Extent {
  int64_t lines;
  int64_t run;
};

Extent ExtentOfA(const GemmProblem& p) {
  return AIsKMajor(p.layout) ? Extent{p.m, p.k} : Extent{p.k, p.m};
}

Extent ExtentOfB(const GemmProblem& p) {
  return BIsKMajor(p.layout) ? Extent{p.n, p.k} : Extent{p.k, p.n};
}

void FillPacked(const Extent& extent, int64_t batch, int64_t* ld,
                int64_t* batch_stride) {
  // Never 0, so that a packed matrix without elements is valid too.
  if (*ld == kPacked) *ld = std::max<int64_t>(1, extent.run);
  if (*batch_stride == kPacked || batch <= 1) {
    *batch_stride =
        *ld < 0 || extent.lines < 0 ? 0 : SaturatingMultiply(extent.lines, *ld);
  }
}

// Elements from the first to one past the last, for all batches.
int64_t Span(const Extent& extent, int64_t batch, int64_t ld, int64_t stride) {
  if (extent.lines == 0 || extent.run == 0 || batch == 0) return 0;
  int64_t span = SaturatingMultiply(extent.lines - 1, ld);
  span = SaturatingAdd(span, SaturatingMultiply(batch - 1, stride));
  return SaturatingAdd(span, extent.run);
}

absl::Status CheckOperand(const char* name, const Extent& extent, int64_t batch,
                          int64_t ld, int64_t stride, DataType type) {
  if (ld < std::max<int64_t>(1, extent.run)) {
    return absl::InvalidArgumentError(
        absl::StrCat("ld", name, " is ", ld, ", but a line of ", name, " has ",
                     extent.run, " elements"));
  }
  if (stride < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "batch_stride_", name, " is ", stride, "; it must be at least 0"));
  }
  // The strides alone too: where there is one line or batch, the span lacks
  // them.
  const int64_t span = Span(extent, batch, ld, stride);
  if (std::max({span, ld, stride}) >= kMax / BytesOf(type)) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " spans more than 2^63 bytes"));
  }
  return absl::OkStatus();
}

bool Is8Bit(DataType t) { return BitsOf(t) == 8; }

absl::Status CheckTypes(const GemmProblem& p) {
  if (p.a_type != p.b_type && !(Is8Bit(p.a_type) && Is8Bit(p.b_type))) {
    return absl::InvalidArgumentError(
        absl::StrCat("A of ", std::string(Name(p.a_type)), " with B of ",
                     std::string(Name(p.b_type)),
                     ": both must have one type, or be 8-bit both"));
  }
  if (p.epilogue.reads_c && Is8Bit(p.c_type)) {
    return absl::InvalidArgumentError("C must be bf16, fp16 or fp32");
  }
  if (p.scaling != Scaling::kNone && !Is8Bit(p.a_type)) {
    return absl::InvalidArgumentError(
        "scales of A and B are for 8-bit operands only");
  }
  if (p.epilogue.amax && !Is8Bit(p.d_type)) {
    return absl::InvalidArgumentError("amax is for an 8-bit D only");
  }
  return absl::OkStatus();
}

absl::Status CheckAlignment(const GemmProblem& p) {
  const int32_t alignment = p.pointer_alignment;
  if (alignment < 1 || alignment > 16 || (alignment & (alignment - 1)) != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "pointer_alignment is ", alignment, "; it must be 1, 2, 4, 8 or 16"));
  }
  int widest = std::max(BytesOf(p.a_type), BytesOf(p.d_type));
  if (p.epilogue.reads_c) widest = std::max(widest, BytesOf(p.c_type));
  if (p.epilogue.bias != Bias::kNone) {
    widest = std::max(widest, BytesOf(BiasType(p)));
  }
  if (alignment < widest) {
    return absl::InvalidArgumentError(
        absl::StrCat("pointer_alignment is ", alignment,
                     "; the widest element has ", widest, " bytes"));
  }
  return absl::OkStatus();
}

// Of blocks: those of a row of A, or of a column of blocks of B, padded.
absl::Status CheckScales(const GemmProblem& p) {
  if (p.scaling != Scaling::kBlock128) return absl::OkStatus();
  const int64_t matrices = std::max<int64_t>(1, p.batch);
  const int64_t lines = SaturatingMultiply(p.k / kScaleBlock + 4, matrices);
  const int64_t widest = SaturatingAdd(std::max(p.m, p.n), 3);
  if (SaturatingMultiply(lines, widest) < kMax / 4) return absl::OkStatus();
  return absl::InvalidArgumentError("the scales span more than 2^63 bytes");
}

// Two batches of D may interleave (rows of one between rows of another) but
// must not share an element.
absl::Status CheckBatchesOfD(const GemmProblem& p) {
  if (p.batch <= 1 || p.m == 0 || p.n == 0) return absl::OkStatus();
  const int64_t one = Span({p.m, p.n}, 1, p.ldd, 0);
  const int64_t interleaved =
      SaturatingAdd(SaturatingMultiply(p.batch - 1, p.batch_stride_d), p.n);
  const bool apart = p.batch_stride_d >= one;
  const bool between = p.batch_stride_d >= p.n && p.ldd >= interleaved;
  if (apart || between) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("batch_stride_d of ", p.batch_stride_d,
                   " lets the batches of D overlap"));
}

auto AsTuple(const GemmProblem& p) {
  return std::make_tuple(p.m, p.n, p.k, p.batch, p.a_type, p.b_type, p.c_type,
                         p.d_type, p.layout, p.lda, p.ldb, p.ldc, p.ldd,
                         p.batch_stride_a, p.batch_stride_b, p.batch_stride_c,
                         p.batch_stride_d, p.pointer_alignment, p.scaling,
                         p.epilogue.reads_c, p.epilogue.bias,
                         p.epilogue.activation, p.epilogue.amax);
}

}  // namespace

bool operator==(const GemmProblem& x, const GemmProblem& y) {
  return AsTuple(x) == AsTuple(y);
}

DataType BiasType(const GemmProblem& p) {
  return Is8Bit(p.d_type) ? DataType::kBf16 : p.d_type;
}

GemmProblem Normalized(const GemmProblem& problem) {
  GemmProblem p = problem;
  FillPacked(ExtentOfA(p), p.batch, &p.lda, &p.batch_stride_a);
  FillPacked(ExtentOfB(p), p.batch, &p.ldb, &p.batch_stride_b);
  FillPacked({p.m, p.n}, p.batch, &p.ldd, &p.batch_stride_d);
  if (p.epilogue.reads_c) {
    FillPacked({p.m, p.n}, p.batch, &p.ldc, &p.batch_stride_c);
  } else {
    p.c_type = p.d_type;
    p.ldc = p.ldd;
    p.batch_stride_c = p.batch_stride_d;
  }
  return p;
}

absl::Status Validate(const GemmProblem& problem) {
  for (const auto& [name, size] :
       {std::pair<const char*, int64_t>{"M", problem.m},
        {"N", problem.n},
        {"K", problem.k},
        {"batch", problem.batch}}) {
    if (size < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, " is ", size, "; it must be at least 0"));
    }
  }
  const GemmProblem p = Normalized(problem);
  const absl::Status checks[] = {
      CheckTypes(p),
      CheckScales(p),
      CheckAlignment(p),
      CheckOperand("a", ExtentOfA(p), p.batch, p.lda, p.batch_stride_a,
                   p.a_type),
      CheckOperand("b", ExtentOfB(p), p.batch, p.ldb, p.batch_stride_b,
                   p.b_type),
      CheckOperand("d", {p.m, p.n}, p.batch, p.ldd, p.batch_stride_d, p.d_type),
      CheckOperand("c", {p.m, p.n}, p.batch, p.ldc, p.batch_stride_c, p.c_type),
      CheckBatchesOfD(p),
  };
  for (const absl::Status& status : checks) {
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

double Flops(const GemmProblem& p) {
  return 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) *
         static_cast<double>(p.k) * static_cast<double>(p.batch);
}

double CompulsoryBytes(const GemmProblem& problem) {
  const GemmProblem p = Normalized(problem);
  const double m = p.m, n = p.n, k = p.k, batch = p.batch;
  const double copies_a = p.batch_stride_a == 0 ? 1 : batch;
  const double copies_b = p.batch_stride_b == 0 ? 1 : batch;
  double bytes = copies_a * m * k * BytesOf(p.a_type) +
                 copies_b * k * n * BytesOf(p.b_type) +
                 batch * m * n * BytesOf(p.d_type);
  if (p.epilogue.reads_c) {
    const double copies_c = p.batch_stride_c == 0 ? 1 : batch;
    bytes += copies_c * m * n * BytesOf(p.c_type);
  }
  const ScaleLayout scales = ScaleLayoutOf(p);
  bytes += sizeof(float) * static_cast<double>(scales.a_count);
  bytes += sizeof(float) * static_cast<double>(scales.b_count);
  if (p.epilogue.bias == Bias::kPerRow) bytes += m * BytesOf(BiasType(p));
  if (p.epilogue.bias == Bias::kPerColumn) bytes += n * BytesOf(BiasType(p));
  return bytes;
}

}  // namespace tiletune
