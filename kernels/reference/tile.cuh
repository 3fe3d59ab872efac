// One tile of the reference GEMM: 64 x 64 of D by 256 threads, 4 x 4 elements
// each, inner products over K in steps of 32.
//
// Products of 16- and 8-bit elements are exact in fp32. The 32 of one step are
// summed in fp32 and the steps in fp64, so the error is at most 32 x 2^-24 of
// the sum of magnitudes whatever K is: far below any tensor core's, at a
// fraction of the cost of fp64 throughout. Scales along K are applied to the
// elements, and add two roundings to those 32.
#ifndef TILETUNE_KERNELS_REFERENCE_TILE_CUH_
#define TILETUNE_KERNELS_REFERENCE_TILE_CUH_

#include <cstdint>

#include "kernels/reference/element.cuh"
#include "kernels/reference/parameters.h"

namespace tiletune {

inline constexpr int kPerThread = 4;  // rows, and columns, of one thread

// The inner products of a thread's 4 x 4 elements.
struct InnerProducts {
  double sum[kPerThread][kPerThread];
  // What rounding errors scale with: the largest partial sum, and the sum of
  // magnitudes. Only if tracked. With scales along K, each block of which is
  // summed by itself: the largest partial sum in a block, on average.
  float largest[kPerThread][kPerThread];
  float magnitude[kPerThread][kPerThread];
};

// Row (column) `i` of the thread's elements within the tile.
__device__ inline int TileRow(int i) { return threadIdx.x / 16 + 16 * i; }
__device__ inline int TileColumn(int i) { return threadIdx.x % 16 + 16 * i; }

struct TileStorage {
  float a[kReferenceTileK][kReferenceTileM + 1];
  float b[kReferenceTileK][kReferenceTileN + 1];
};

// Loads rows [row0, +64) by k [k0, +32) of `matrix` as step[k][row], zero
// outside of rows x k. `matrix` has the rows along its first index.
template <int kRows>
__device__ inline void LoadStep(const ReferenceMatrix& matrix,
                                const ReferenceScales& scales, int64_t batch,
                                int64_t row0, int64_t k0, int64_t rows,
                                int64_t k, float step[][kRows + 1]) {
  const bool k_contiguous = matrix.column_stride == 1;
  for (int e = threadIdx.x; e < kRows * kReferenceTileK;
       e += kReferenceThreads) {
    // Neighbouring threads read neighbouring addresses.
    const int r = k_contiguous ? e / kReferenceTileK : e % kRows;
    const int kk = k_contiguous ? e % kReferenceTileK : e / kRows;
    float value = 0.0f;
    if (row0 + r < rows && k0 + kk < k) {
      value = LoadElement(matrix.data, matrix.type,
                          batch * matrix.batch_stride +
                              (row0 + r) * matrix.row_stride +
                              (k0 + kk) * matrix.column_stride);
      if (scales.data != nullptr) {
        value *=
            scales.data[batch * scales.batch_stride +
                        ((row0 + r) >> scales.row_shift) * scales.row_stride +
                        k0 / kReferenceScaleBlock * scales.k_stride];
      }
    }
    step[kk][r] = value;
  }
}

// The inner products of the tile at (row0, column0). All threads of the CTA.
template <bool kTracksError>
__device__ inline void ComputeTile(const ReferenceParameters& p, int64_t batch,
                                   int64_t row0, int64_t column0,
                                   TileStorage& storage, InnerProducts& out) {
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
    for (int j = 0; j < kPerThread; ++j) {
      out.sum[i][j] = 0;
      out.largest[i][j] = 0;
      out.magnitude[i][j] = 0;
    }
  }
  // B is read as its transpose: rows along N.
  const ReferenceMatrix b_rows = {p.b.data, p.b.column_stride, p.b.row_stride,
                                  p.b.batch_stride, p.b.type};
  const bool by_blocks = p.a_scales.data != nullptr;
  const float blocks = static_cast<float>((p.k + kReferenceScaleBlock - 1) /
                                          kReferenceScaleBlock);
  float of_block[kPerThread][kPerThread];
  float largest[kPerThread][kPerThread];
  for (int64_t k0 = 0; k0 < p.k; k0 += kReferenceTileK) {
    const bool first_of_block = k0 % kReferenceScaleBlock == 0;
    const int64_t next = k0 + kReferenceTileK;
    const bool last_of_block = next % kReferenceScaleBlock == 0 || next >= p.k;
    __syncthreads();
    LoadStep<kReferenceTileM>(p.a, p.a_scales, batch, row0, k0, p.m, p.k,
                              storage.a);
    LoadStep<kReferenceTileN>(b_rows, p.b_scales, batch, column0, k0, p.n, p.k,
                              storage.b);
    __syncthreads();
    float step[kPerThread][kPerThread] = {};
    for (int kk = 0; kk < kReferenceTileK; ++kk) {
      float a[kPerThread];
      float b[kPerThread];
#pragma unroll
      for (int i = 0; i < kPerThread; ++i) {
        a[i] = storage.a[kk][TileRow(i)];
        b[i] = storage.b[kk][TileColumn(i)];
      }
#pragma unroll
      for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
        for (int j = 0; j < kPerThread; ++j) {
          step[i][j] = fmaf(a[i], b[j], step[i][j]);
          if (kTracksError) {
            out.magnitude[i][j] =
                fmaf(fabsf(a[i]), fabsf(b[j]), out.magnitude[i][j]);
          }
        }
      }
    }
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
      for (int j = 0; j < kPerThread; ++j) {
        out.sum[i][j] += static_cast<double>(step[i][j]);
        if (kTracksError && !by_blocks) {
          const float partial = fabsf(static_cast<float>(out.sum[i][j]));
          out.largest[i][j] = fmaxf(out.largest[i][j], partial);
        } else if (kTracksError) {
          of_block[i][j] =
              first_of_block ? step[i][j] : of_block[i][j] + step[i][j];
          const float partial = fabsf(of_block[i][j]);
          largest[i][j] =
              first_of_block ? partial : fmaxf(largest[i][j], partial);
          if (last_of_block) out.largest[i][j] += largest[i][j] / blocks;
        }
      }
    }
  }
}

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_REFERENCE_TILE_CUH_
