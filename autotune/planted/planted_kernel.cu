#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include "autotune/planted/planted_kernel.h"

namespace tiletune {
namespace {

// What the defects that speak of tiles mean by one.
constexpr int64_t kTile = 16;
constexpr int64_t kKBlock = 32;
constexpr uint64_t kHangLimitNs = 20'000'000'000;
constexpr uint64_t kSecondsNs = 6'000'000'000;

// Launches so far of the defects that strike at times.
__device__ unsigned launches;

__device__ uint64_t Nanoseconds() {
  uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

// Every loop without end has one after all: a kernel that outlives its process
// would hold the GPU.
__device__ void WaitFor(uint64_t nanoseconds) {
  const uint64_t start = Nanoseconds();
  while (Nanoseconds() - start < nanoseconds) __nanosleep(1000);
}

__device__ __noinline__ int Recurse(volatile int* depth) {
  volatile int frame[256];
  frame[*depth & 255] = *depth;
  *depth += 1;
  // 256 MiB of stack for one thread: no GPU grants it.
  if (*depth > 262144) return 0;
  return Recurse(depth) + frame[*depth & 255];
}

__device__ void Fault(const PlantedParameters& p) {
  switch (p.defect) {
    case Defect::kHangs:
      WaitFor(kHangLimitNs);
      break;
    case Defect::kTakesSeconds:
      WaitFor(kSecondsNs);
      break;
    case Defect::kTraps:
      asm volatile("trap;");
      break;
    case Defect::kIllegalAddress:
      *reinterpret_cast<volatile int*>(0x10) = 1;
      break;
    case Defect::kMisaligned:
      *reinterpret_cast<volatile uint64_t*>(static_cast<char*>(p.d) + 1) = 1;
      break;
    case Defect::kOverflowsStack: {
      volatile int depth = 0;
      // Used, so that it is not optimised away.
      if (Recurse(&depth) == 1) static_cast<char*>(p.d)[0] = 0;
      break;
    }
    default:
      break;
  }
}

__device__ float Element(const PlantedParameters& p, const void* matrix,
                         int64_t index) {
  return p.is_e4m3 ? static_cast<float>(
                         static_cast<const __nv_fp8_e4m3*>(matrix)[index])
                   : __bfloat162float(
                         static_cast<const __nv_bfloat16*>(matrix)[index]);
}

__device__ float Bf16At(const void* matrix, int64_t index) {
  return __bfloat162float(static_cast<const __nv_bfloat16*>(matrix)[index]);
}

__device__ float InnerProduct(const PlantedParameters& p, int64_t batch,
                              int64_t row, int64_t column) {
  if (p.defect == Defect::kBatchZeroOnly) batch = 0;
  int64_t k = p.k;
  if (p.defect == Defect::kSkipsLastKBlock) k = (k - 1) / kKBlock * kKBlock;
  if (p.defect == Defect::kOneKTooMany && row + 1 < p.m) ++k;
  const int64_t a = batch * p.stride_a + row * p.lda;
  const int64_t b = batch * p.stride_b + column * p.ldb;
  float sum = 0;
  for (int64_t i = 0; i < k; ++i) {
    const int64_t j = i < p.k ? i : p.k - 1;  // B is read within its bounds
    sum += Element(p, p.a, a + i) * Element(p, p.b, b + j);
    if (p.defect == Defect::kSumsInBf16) {
      sum = __bfloat162float(__float2bfloat16(sum));
    }
  }
  return sum;
}

// The value of an element before it is rounded.
__device__ float Value(const PlantedParameters& p, int64_t batch, int64_t row,
                       int64_t column) {
  float value = InnerProduct(p, batch, row, column);
  if (p.scale_a != nullptr) {
    const bool swaps = p.defect == Defect::kSwapsScales;
    value *= p.scale_a[swaps ? column % p.m : row] *
             p.scale_b[swaps ? row % p.n : column];
  }
  if (p.c != nullptr && p.defect != Defect::kIgnoresBeta) {
    const float beta = p.defect == Defect::kBetaIsOne ? 1.0f : p.beta;
    value += beta * Bf16At(p.c, batch * p.stride_c + row * p.ldc + column);
  }
  if (p.bias != nullptr && p.defect != Defect::kIgnoresBias) {
    const bool wrong = p.defect == Defect::kBiasOfWrongSide;
    value += Bf16At(p.bias, wrong ? row % p.n : column);
  }
  if (p.relu && p.defect != Defect::kForgetsActivation && value < 0) value = 0;
  return value;
}

__device__ __nv_bfloat16 Rounded(const PlantedParameters& p, float value) {
  return p.defect == Defect::kTruncates ? __float2bfloat16_rz(value)
                                        : __float2bfloat16(value);
}

// Whether the element is left as it was.
__device__ bool IsSkipped(const PlantedParameters& p, int64_t row,
                          int64_t column, bool strikes) {
  const int64_t tile_row = row / kTile, tile_column = column / kTile;
  switch (p.defect) {
    case Defect::kSkipsLastRows:
      return tile_row == (p.m - 1) / kTile;
    case Defect::kSkipsLastColumns:
      return tile_column == (p.n - 1) / kTile;
    case Defect::kWritesNothing:
      return true;
    case Defect::kSkipsOneTile:
      return tile_row == 0 && tile_column == 2;
    case Defect::kSkipsATileAtTimes:
      return strikes && tile_row == 1 && tile_column == 1;
    default:
      return false;
  }
}

__device__ void WriteElement(const PlantedParameters& p, int64_t batch,
                             int64_t row, int64_t column, bool strikes) {
  if (IsSkipped(p, row, column, strikes)) return;
  int64_t from_row = row, from_column = column;
  const bool first_tile = row < kTile && column < kTile;
  if (p.defect == Defect::kTransposedTile && first_tile) {
    from_row = column;
    from_column = row;
  }
  if (p.defect == Defect::kOneTileTwice && row < kTile && column / kTile == 2) {
    from_column = column - kTile;
  }
  if (p.defect == Defect::kOffByOneColumn) {
    from_column = column == 0 ? 0 : column - 1;
  }
  float value = Value(p, batch, from_row, from_column);
  if (p.amax_d != nullptr) {
    const float shown = p.defect == Defect::kWrongAmax ? value / 2 : value;
    atomicMax(reinterpret_cast<int*>(p.amax_d), __float_as_int(fabsf(shown)));
  }
  if (p.defect == Defect::kTearsAtTimes && strikes && row == 3) value /= 2;
  if (p.defect == Defect::kOneNan && row == 5 && column == 7) {
    value = __int_as_float(0x7fc00000);
  }
  auto* const d = static_cast<__nv_bfloat16*>(p.d);
  const int64_t at = batch * p.stride_d + row * p.ldd + column;
  if (p.defect == Defect::kAddsToOldOutput) value += __bfloat162float(d[at]);
  d[at] = Rounded(p, value);
}

__device__ void WriteOutside(const PlantedParameters& p) {
  auto* const d = static_cast<__nv_bfloat16*>(p.d);
  const __nv_bfloat16 one = __float2bfloat16(1.0f);
  const int64_t end = (p.batch - 1) * p.stride_d + (p.m - 1) * p.ldd + p.n;
  if (p.defect == Defect::kWritesBefore) d[-1] = one;
  if (p.defect == Defect::kWritesBehind) d[end] = one;
  if (p.defect == Defect::kWritesBetween && p.ldd > p.n) d[p.n] = one;
}

__global__ void PlantedGemm(const __grid_constant__ PlantedParameters p) {
  __shared__ unsigned launch;
  if (threadIdx.x == 0) {
    if (blockIdx.x == 0) Fault(p);
    // Block 0 of a launch counts it; the others may see the count before or
    // after, and so strike or not: a race, as the real ones are.
    if (blockIdx.x == 0) atomicAdd(&launches, 1u);
    launch = *const_cast<volatile unsigned*>(&launches);
  }
  __syncthreads();
  const bool strikes = launch % 10 == 9;
  const int64_t elements = p.batch * p.m * p.n;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < elements; i += step) {
    WriteElement(p, i / (p.m * p.n), i / p.n % p.m, i % p.n, strikes);
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) WriteOutside(p);
}

}  // namespace

const void* PlantedKernel() {
  return reinterpret_cast<const void*>(&PlantedGemm);
}

}  // namespace tiletune
