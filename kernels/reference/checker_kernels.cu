#include "kernels/reference/checker_kernels.h"
#include "kernels/reference/element.cuh"
#include "kernels/reference/epilogue.cuh"
#include "kernels/reference/tile.cuh"

namespace tiletune {
namespace {

// The steepest slope of any activation is GELU's and SiLU's, below 1.13.
constexpr float kSlope = 1.13f;
// Roundings of one fp32 operation, and of the reference value itself.
constexpr float kFp32Unit = 5.9604645e-8f;  // 2^-24

__device__ void AtomicMaxNonNegative(int* bits, float value) {
  atomicMax(bits, __float_as_int(value));
}

__global__ __launch_bounds__(kReferenceThreads) void ReferenceValues(
    const __grid_constant__ ReferenceParameters p, ReferenceValue* values,
    ErrorModel model, CheckTotals* totals) {
  __shared__ TileStorage storage;
  const uint64_t tiles = p.order.size();
  for (uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const TileCoord coord = p.order.At(tile);
    const int64_t row0 = static_cast<int64_t>(coord.m) * kReferenceTileM;
    const int64_t column0 = static_cast<int64_t>(coord.n) * kReferenceTileN;
    InnerProducts products;
    ComputeTile<true>(p, coord.batch, row0, column0, storage, products);
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
      for (int j = 0; j < kPerThread; ++j) {
        const int64_t row = row0 + TileRow(i);
        const int64_t column = column0 + TileColumn(j);
        if (row >= p.m || column >= p.n) continue;
        const EpilogueValue v =
            ApplyEpilogue(p, coord.batch, row, column, products.sum[i][j]);
        const float grown =
            model.accumulation * (2 * products.largest[i][j] +
                                  products.magnitude[i][j] / model.steps);
        const float accumulated =
            fabsf(static_cast<float>(v.multiplier)) * grown +
            4 * kFp32Unit * static_cast<float>(v.magnitude);
        ReferenceValue out;
        out.value = static_cast<float>(v.value);
        out.allowed = kSlope * accumulated + model.activation +
                      kFp32Unit * fabsf(out.value);
        values[(coord.batch * p.m + row) * p.n + column] = out;
        AtomicMaxNonNegative(&totals->amax_bits, fabsf(out.value));
        AtomicMaxNonNegative(&totals->amax_allowed_bits, out.allowed);
      }
    }
  }
}

// What rounding to `type` may move `value` by: half a unit in its last place.
__device__ float RoundingError(float value, int32_t type) {
  float unit = 0;       // relative: 2^-(significant bits)
  float subnormal = 0;  // half the spacing of the smallest numbers
  switch (type) {
    case data_type_code::kBf16:
      unit = 0x1p-8f;
      subnormal = 0x1p-134f;
      break;
    case data_type_code::kFp16:
      unit = 0x1p-11f;
      subnormal = 0x1p-25f;
      break;
    case data_type_code::kFp32:
      unit = 0x1p-24f;
      subnormal = 0x1p-149f;
      break;
    case data_type_code::kFp8E4m3:
      unit = 0x1p-4f;
      subnormal = 0x1p-10f;
      break;
    default:
      unit = 0x1p-3f;
      subnormal = 0x1p-17f;
      break;
  }
  return fmaxf(unit * fabsf(value), subnormal);
}

__device__ float Largest(int32_t type) {
  switch (type) {
    case data_type_code::kFp16:
      return 65504.0f;
    case data_type_code::kFp8E4m3:
      return 448.0f;
    case data_type_code::kFp8E5m2:
      return 57344.0f;
    default:
      return 3.3895314e38f;  // of bf16; fp32 has a little more
  }
}

__device__ bool Saturates(int32_t type) {
  return type == data_type_code::kFp8E4m3 || type == data_type_code::kFp8E5m2;
}

// Error over allowed: above 1 is wrong.
__device__ float Ratio(float got, float expected, float allowed, int32_t type) {
  if (isnan(expected)) return isnan(got) ? 0.0f : INFINITY;
  if (isnan(got)) return INFINITY;
  const float largest = Largest(type);
  if (Saturates(type)) {
    expected = fminf(fmaxf(expected, -largest), largest);
  } else if (fabsf(expected) + allowed + RoundingError(expected, type) >
             largest) {
    // On the brink, either side of the overflow will do.
    if (isinf(got) && (got > 0) == (expected > 0)) return 0.0f;
    if (isinf(expected)) return fabsf(got) >= largest ? 0.0f : INFINITY;
  }
  const float error = fabsf(got - expected);
  const float bound =
      allowed + 1.0001f * RoundingError(fabsf(expected) + allowed, type);
  return error == 0 ? 0.0f : error / bound;
}

struct Element {
  float got, expected, allowed;
};

__device__ Element ElementAt(const CompareParameters& p, int64_t index) {
  const int64_t column = index % p.n;
  const int64_t row = index / p.n % p.m;
  const int64_t batch = index / p.n / p.m;
  const float scale = p.scale_d != nullptr ? *p.scale_d : 1.0f;
  const ReferenceValue want = p.values[index];
  return {LoadElement(p.d.data, p.d.type,
                      batch * p.d.batch_stride + row * p.d.row_stride + column),
          want.value * scale, want.allowed * fabsf(scale)};
}

// Bytes other than 0xff from one past row `row` to the next row.
__device__ unsigned TouchedInGap(const CompareParameters& p, int64_t batch,
                                 int64_t row, int bytes_per_element) {
  const int64_t start = batch * p.d.batch_stride + row * p.d.row_stride;
  const unsigned char* const bytes =
      static_cast<const unsigned char*>(p.d.data);
  unsigned touched = 0;
  for (int64_t i = (start + p.n) * bytes_per_element;
       i < (start + p.d.row_stride) * bytes_per_element; ++i) {
    touched += bytes[i] != 0xff;
  }
  return touched;
}

__device__ int BytesPerElement(int32_t type) {
  if (type == data_type_code::kFp32) return 4;
  return Saturates(type) ? 1 : 2;
}

__global__ void Compare(CompareParameters p) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  const int64_t begin =
      static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int64_t elements = p.batches * p.m * p.n;
  float worst = 0;
  unsigned long long wrong = 0;
  unsigned long long first = ~0ull;
  for (int64_t i = begin; i < elements; i += step) {
    const Element e = ElementAt(p, i);
    const float ratio = Ratio(e.got, e.expected, e.allowed, p.d.type);
    worst = fmaxf(worst, ratio);
    if (ratio > 1) {
      ++wrong;
      if (static_cast<unsigned long long>(i) < first) first = i;
    }
  }
  if (worst > 0) AtomicMaxNonNegative(&p.totals->worst_ratio_bits, worst);
  if (wrong != 0) {
    atomicAdd(&p.totals->wrong, wrong);
    atomicMin(&p.totals->first_wrong, first);
  }
  if (!p.gaps_are_poisoned || p.d.row_stride <= p.n) return;
  // Between the rows of one batch; the last row has no gap behind it.
  const int64_t gaps = p.batches * (p.m - 1);
  for (int64_t i = begin; i < gaps; i += step) {
    const unsigned touched = TouchedInGap(p, i / (p.m - 1), i % (p.m - 1),
                                          BytesPerElement(p.d.type));
    if (touched != 0) {
      atomicAdd(&p.totals->gap_bytes_touched,
                static_cast<unsigned long long>(touched));
    }
  }
}

__global__ void DescribeFirstWrong(CompareParameters p) {
  CheckTotals& totals = *p.totals;
  if (totals.first_wrong == ~0ull) return;
  const Element e = ElementAt(p, static_cast<int64_t>(totals.first_wrong));
  totals.got = e.got;
  totals.expected = e.expected;
  totals.allowed = e.allowed + RoundingError(e.expected, p.d.type);
}

}  // namespace

const void* ReferenceValuesKernel() {
  return reinterpret_cast<const void*>(&ReferenceValues);
}
const void* CompareKernel() { return reinterpret_cast<const void*>(&Compare); }
const void* DescribeFirstWrongKernel() {
  return reinterpret_cast<const void*>(&DescribeFirstWrong);
}

}  // namespace tiletune
