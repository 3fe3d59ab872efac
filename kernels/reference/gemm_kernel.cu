#include "kernels/reference/element.cuh"
#include "kernels/reference/epilogue.cuh"
#include "kernels/reference/gemm_kernel.h"
#include "kernels/reference/tile.cuh"

namespace tiletune {
namespace {

// Non-negative floats compare like their bits. A NaN beats every number, as in
// a maximum that propagates it.
__device__ void AtomicMaxMagnitude(float* maximum, double value) {
  const float magnitude = fabsf(static_cast<float>(value));
  atomicMax(reinterpret_cast<int*>(maximum), __float_as_int(magnitude));
}

__device__ void WriteTile(const ReferenceParameters& p, int64_t batch,
                          int64_t row0, int64_t column0,
                          const InnerProducts& products) {
  const double scale_d = p.scale_d != nullptr ? *p.scale_d : 1.0;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
    for (int j = 0; j < kPerThread; ++j) {
      const int64_t row = row0 + TileRow(i);
      const int64_t column = column0 + TileColumn(j);
      if (row >= p.m || column >= p.n) continue;
      const double value =
          ApplyEpilogue(p, batch, row, column, products.sum[i][j]).value;
      if (p.amax_d != nullptr) AtomicMaxMagnitude(p.amax_d, value);
      StoreElement(const_cast<void*>(p.d.data), p.d.type,
                   batch * p.d.batch_stride + row * p.d.row_stride +
                       column * p.d.column_stride,
                   value * scale_d);
    }
  }
}

__global__ __launch_bounds__(kReferenceThreads) void ReferenceGemm(
    const __grid_constant__ ReferenceParameters p) {
  __shared__ TileStorage storage;
  const uint64_t tiles = p.order.size();
  for (uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const TileCoord coord = p.order.At(tile);
    const int64_t row0 = static_cast<int64_t>(coord.m) * kReferenceTileM;
    const int64_t column0 = static_cast<int64_t>(coord.n) * kReferenceTileN;
    InnerProducts products;
    ComputeTile<false>(p, coord.batch, row0, column0, storage, products);
    WriteTile(p, coord.batch, row0, column0, products);
  }
}

}  // namespace

const void* ReferenceGemmKernel() {
  return reinterpret_cast<const void*>(&ReferenceGemm);
}

}  // namespace tiletune
