#include "testing/reference/host_operands.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "kernels/scale_layout.h"
#include "testing/emulator/engines/formats.h"

namespace tiletune {
namespace {

emulator::Format FormatOf(DataType type) {
  switch (type) {
    case DataType::kBf16:
      return emulator::Format::kBf16;
    case DataType::kFp16:
      return emulator::Format::kF16;
    case DataType::kFp32:
      return emulator::Format::kF32;
    case DataType::kFp8E4m3:
      return emulator::Format::kE4m3;
    case DataType::kFp8E5m2:
      return emulator::Format::kE5m2;
  }
  return emulator::Format::kF32;
}

uint32_t EncodeElement(DataType type, double value) {
  emulator::EncodeOptions options;
  options.satfinite = BitsOf(type) == 8;
  return emulator::Encode(FormatOf(type), value, options);
}

// Lines of contiguous elements, and where they start.
struct Lines {
  int64_t count, length, pitch, batches, batch_stride;
};

Lines LinesOfA(const GemmProblem& p) {
  const bool k_major = AIsKMajor(p.layout);
  return {k_major ? p.m : p.k, k_major ? p.k : p.m, p.lda,
          p.batch_stride_a == 0 ? 1 : p.batch, p.batch_stride_a};
}

Lines LinesOfB(const GemmProblem& p) {
  const bool k_major = BIsKMajor(p.layout);
  return {k_major ? p.n : p.k, k_major ? p.k : p.n, p.ldb,
          p.batch_stride_b == 0 ? 1 : p.batch, p.batch_stride_b};
}

Lines LinesOfC(const GemmProblem& p) {
  return {p.m, p.n, p.ldc, p.batch_stride_c == 0 ? 1 : p.batch,
          p.batch_stride_c};
}

Lines LinesOfD(const GemmProblem& p) {
  return {p.m, p.n, p.ldd, p.batch, p.batch_stride_d};
}

size_t BytesOfLines(const Lines& lines, DataType type) {
  if (lines.count == 0 || lines.length == 0 || lines.batches == 0) return 0;
  const int64_t elements = (lines.batches - 1) * lines.batch_stride +
                           (lines.count - 1) * lines.pitch + lines.length;
  return static_cast<size_t>(elements * BytesOf(type));
}

template <typename Draw>
void FillLines(const Lines& lines, DataType type, std::vector<uint8_t>* bytes,
               const Draw& draw) {
  if (bytes->empty()) return;
  for (int64_t batch = 0; batch < lines.batches; ++batch) {
    for (int64_t line = 0; line < lines.count; ++line) {
      const int64_t start = batch * lines.batch_stride + line * lines.pitch;
      for (int64_t i = 0; i < lines.length; ++i) {
        WriteElement(bytes->data(), type, start + i, draw());
      }
    }
  }
}

}  // namespace

double ReadElement(const void* data, DataType type, int64_t index) {
  const size_t size = static_cast<size_t>(BytesOf(type));
  uint32_t bits = 0;
  std::memcpy(
      &bits,
      static_cast<const uint8_t*>(data) + static_cast<size_t>(index) * size,
      size);
  return emulator::Decode(FormatOf(type), bits);
}

void WriteElement(void* data, DataType type, int64_t index, double value) {
  const size_t size = static_cast<size_t>(BytesOf(type));
  const uint32_t bits = EncodeElement(type, value);
  std::memcpy(static_cast<uint8_t*>(data) + static_cast<size_t>(index) * size,
              &bits, size);
}

double RoundTo(DataType type, double value) {
  return emulator::Decode(FormatOf(type), EncodeElement(type, value));
}

HostOperands::HostOperands(const GemmProblem& problem)
    : problem_(Normalized(problem)) {
  const GemmProblem& p = problem_;
  a_.assign(BytesOfLines(LinesOfA(p), p.a_type), 0xff);
  b_.assign(BytesOfLines(LinesOfB(p), p.b_type), 0xff);
  d_.assign(BytesOfLines(LinesOfD(p), p.d_type), 0xff);
  if (p.epilogue.reads_c) {
    c_.assign(BytesOfLines(LinesOfC(p), p.c_type), 0xff);
  }
  if (p.epilogue.bias != Bias::kNone) {
    const int64_t count = p.epilogue.bias == Bias::kPerRow ? p.m : p.n;
    bias_.assign(static_cast<size_t>(count * BytesOf(BiasType(p))), 0xff);
  }
  const ScaleLayout scales = ScaleLayoutOf(p);
  // One even where there are none, so that pointers to them are not null.
  scale_a_.assign(static_cast<size_t>(std::max<int64_t>(1, scales.a_count)),
                  1.0f);
  scale_b_.assign(static_cast<size_t>(std::max<int64_t>(1, scales.b_count)),
                  1.0f);
}

void HostOperands::FillAll(Kind kind, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const auto draw = [&] {
    if (kind == Kind::kNormal) return normal(random);
    return static_cast<double>(random() % 5) - 2.0;
  };
  const GemmProblem& p = problem_;
  FillLines(LinesOfA(p), p.a_type, &a_, draw);
  FillLines(LinesOfB(p), p.b_type, &b_, draw);
  if (p.epilogue.reads_c) FillLines(LinesOfC(p), p.c_type, &c_, draw);
  const DataType bias_type = BiasType(p);
  const int64_t bias_count =
      static_cast<int64_t>(bias_.size()) / BytesOf(bias_type);
  FillLines({1, bias_count, bias_count, 1, 0}, bias_type, &bias_, draw);
  std::uniform_real_distribution<float> uniform(0.5f, 2.0f);
  for (std::vector<float>* scales : {&scale_a_, &scale_b_}) {
    for (float& scale : *scales) {
      scale = kind == Kind::kNormal
                  ? uniform(random)
                  : std::ldexp(1.0f, static_cast<int>(random() % 3) - 1);
    }
  }
  if (p.scaling == Scaling::kBlock128) FillUpLinesOfScales();
}

// With NaN, as are the gaps between lines of elements.
void HostOperands::FillUpLinesOfScales() {
  const ScaleLayout s = ScaleLayoutOf(problem_);
  if (s.k_blocks == 0) return;
  for (size_t i = 0; i < scale_a_.size(); ++i) {
    if (static_cast<int64_t>(i) % s.a_stride >= problem_.m) scale_a_[i] = NAN;
  }
  for (size_t i = 0; i < scale_b_.size(); ++i) {
    if (static_cast<int64_t>(i) % s.b_stride >= s.k_blocks) scale_b_[i] = NAN;
  }
}

void HostOperands::FillNormal(uint64_t seed) { FillAll(Kind::kNormal, seed); }

void HostOperands::FillSmallIntegers(uint64_t seed) {
  FillAll(Kind::kSmallIntegers, seed);
}

HostArguments HostOperands::arguments() const {
  HostArguments args;
  args.a = a_.data();
  args.b = b_.data();
  if (problem_.epilogue.reads_c) {
    args.c = c_.data();
    args.beta = 0.5f;
  }
  if (problem_.epilogue.bias != Bias::kNone) args.bias = bias_.data();
  if (problem_.scaling != Scaling::kNone) {
    args.scale_a = scale_a_.data();
    args.scale_b = scale_b_.data();
  }
  return args;
}

}  // namespace tiletune
