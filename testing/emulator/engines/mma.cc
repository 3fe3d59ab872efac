#include "testing/emulator/engines/mma.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "testing/emulator/engines/formats.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define TILETUNE_MMA_X86 1
#define TILETUNE_INLINE inline __attribute__((always_inline))
#else
#define TILETUNE_MMA_X86 0
#define TILETUNE_INLINE inline
#endif

namespace tiletune::emulator {
namespace {

// The register block: kRows x kColumns accumulators stay in registers while k
// runs. B is stored as panels of kColumns columns, k by k.
constexpr int kRows = 4;
constexpr int kLanes = 8;
constexpr int kColumns = 2 * kLanes;

// Eight floats as one value: GCC and Clang lower it to whatever vectors the
// target has, at any optimisation level. (Plain loops were up to four times
// slower, and slower at -O3 than at -O2.)
typedef float Vector __attribute__((vector_size(kLanes * sizeof(float))));

TILETUNE_INLINE void Read(const void* from, Vector* to) {
  std::memcpy(to, from, sizeof(*to));
}

TILETUNE_INLINE void Write(const Vector& from, void* to) {
  std::memcpy(to, &from, sizeof(from));
}

// d[rows x kColumns] = a[rows x k] * panel[k x kColumns] (+ d), ascending k. d
// holds fp32 bit patterns. Each accumulator sees its own sum in order, so the
// result does not depend on the vector width.
template <int rows>
TILETUNE_INLINE void Block(const float* a, const float* panel, int k,
                           bool read_d, uint32_t* d, ptrdiff_t d_stride) {
  Vector left[rows] = {}, right[rows] = {};
  if (read_d) {
#pragma GCC unroll 4
    for (int i = 0; i < rows; ++i) {
      Read(d + i * d_stride, &left[i]);
      Read(d + i * d_stride + kLanes, &right[i]);
    }
  }
  for (int l = 0; l < k; ++l) {
    Vector b_left, b_right;
    Read(panel + l * kColumns, &b_left);
    Read(panel + l * kColumns + kLanes, &b_right);
#pragma GCC unroll 4
    for (int i = 0; i < rows; ++i) {
      const float x = a[i * k + l];
      left[i] += x * b_left;
      right[i] += x * b_right;
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < rows; ++i) {
    Write(left[i], d + i * d_stride);
    Write(right[i], d + i * d_stride + kLanes);
  }
}

// One panel against all m rows of A; d is m x kColumns.
TILETUNE_INLINE void PanelBody(const float* a, int m, const float* panel, int k,
                               bool read_d, uint32_t* d, ptrdiff_t d_stride) {
  int i = 0;
  for (; i + kRows <= m; i += kRows) {
    Block<kRows>(a + i * k, panel, k, read_d, d + i * d_stride, d_stride);
  }
  for (; i < m; ++i) {
    Block<1>(a + i * k, panel, k, read_d, d + i * d_stride, d_stride);
  }
}

using PanelFunction = void (*)(const float* a, int m, const float* panel, int k,
                               bool read_d, uint32_t* d, ptrdiff_t d_stride);

void PanelPortable(const float* a, int m, const float* panel, int k,
                   bool read_d, uint32_t* d, ptrdiff_t d_stride) {
  PanelBody(a, m, panel, k, read_d, d, d_stride);
}

#if TILETUNE_MMA_X86
__attribute__((target("avx2,fma"))) void PanelAvx2(const float* a, int m,
                                                   const float* panel, int k,
                                                   bool read_d, uint32_t* d,
                                                   ptrdiff_t d_stride) {
  PanelBody(a, m, panel, k, read_d, d, d_stride);
}
#endif

PanelFunction ChoosePanel() {
#if TILETUNE_MMA_X86
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return PanelAvx2;
  }
#endif
  return PanelPortable;
}

float FromBits(uint32_t word) {
  float value;
  std::memcpy(&value, &word, sizeof(value));
  return value;
}

uint32_t ToBits(float value) {
  uint32_t word;
  std::memcpy(&word, &value, sizeof(word));
  return word;
}

// What an MMA starts from, as fp32. Integers start from 0 and are added
// afterwards: their sums are exact in fp32 only near zero.
float Initial(const MmaAccumulation& options, float scale, uint32_t word) {
  switch (options.format) {
    case AccumulatorFormat::kF32:
      return FromBits(word) * scale;
    case AccumulatorFormat::kF16:
      return DecodeF16(static_cast<uint16_t>(word)) * scale;
    case AccumulatorFormat::kS32:
      return 0;
  }
  return 0;
}

uint32_t Final(const MmaAccumulation& options, float sum, uint32_t previous) {
  switch (options.format) {
    case AccumulatorFormat::kF32:
      return ToBits(sum);
    case AccumulatorFormat::kF16:
      return EncodeF16(sum);
    case AccumulatorFormat::kS32:
      break;
  }
  int64_t total = static_cast<int64_t>(sum);
  if (options.accumulate) total += static_cast<int32_t>(previous);
  if (options.saturate) {
    total = std::clamp<int64_t>(total, std::numeric_limits<int32_t>::min(),
                                std::numeric_limits<int32_t>::max());
  }
  return static_cast<uint32_t>(total);
}

// B columns [first, first + count) as a panel, zero-padded to kColumns.
void MakePanel(const MmaOperands& operands, int first, int count,
               float* panel) {
  const int k = operands.k;
  if (count < kColumns) std::fill(panel, panel + k * kColumns, 0.0f);
  for (int j = 0; j < count; ++j) {
    const float* b = operands.b + static_cast<ptrdiff_t>(first + j) * k;
    for (int l = 0; l < k; ++l) panel[l * kColumns + j] = b[l];
  }
}

}  // namespace

void MultiplyAccumulate(const MmaOperands& operands,
                        const MmaAccumulation& options, uint32_t* d,
                        ptrdiff_t d_stride) {
  static const PanelFunction panel_function = ChoosePanel();
  const int m = operands.m, n = operands.n, k = operands.k;
  const bool plain = options.format == AccumulatorFormat::kF32 &&
                     (options.input_d_shift == 0 || !options.accumulate);
  const float scale = std::ldexp(1.0f, -options.input_d_shift);

  thread_local std::vector<float> panel;
  thread_local std::vector<uint32_t> sums;
  panel.resize(static_cast<size_t>(k) * kColumns);
  for (int n0 = 0; n0 < n; n0 += kColumns) {
    const int columns = std::min(kColumns, n - n0);
    MakePanel(operands, n0, columns, panel.data());
    if (plain && columns == kColumns) {
      panel_function(operands.a, m, panel.data(), k, options.accumulate, d + n0,
                     d_stride);
      continue;
    }
    // The general case works on an fp32 copy of these columns of D.
    sums.assign(static_cast<size_t>(m) * kColumns, 0);
    for (int i = 0; options.accumulate && i < m; ++i) {
      for (int j = 0; j < columns; ++j) {
        sums[i * kColumns + j] =
            ToBits(Initial(options, scale, d[i * d_stride + n0 + j]));
      }
    }
    panel_function(operands.a, m, panel.data(), k, /*read_d=*/true, sums.data(),
                   kColumns);
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < columns; ++j) {
        uint32_t& word = d[i * d_stride + n0 + j];
        word = Final(options, FromBits(sums[i * kColumns + j]), word);
      }
    }
  }
}

void ApplyScales(float* operand, int rows, int depth, const float* scales,
                 int count) {
  const int block = depth / count;
  for (int row = 0; row < rows; ++row) {
    for (int k = 0; k < depth; ++k) {
      operand[row * depth + k] *= scales[row * count + k / block];
    }
  }
}

void Negate(float* operand, size_t count) {
  for (size_t i = 0; i < count; ++i) operand[i] = -operand[i];
}

}  // namespace tiletune::emulator
