#include <algorithm>
#include <cstdint>

#include "kernels/hopper/repack.h"

namespace tiletune::hopper {
namespace {

constexpr int kThreads = 256;
constexpr int64_t kMaxBlocks = 132 * 8;

// The 16 bytes that start `shift` bytes into the 32 of low and high.
__device__ __forceinline__ uint4 ShiftBytes(uint4 low, uint4 high,
                                            uint32_t shift) {
  uint32_t w[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  if (shift & 8) {
#pragma unroll
    for (int i = 0; i < 6; ++i) w[i] = w[i + 2];
  }
  if (shift & 4) {
#pragma unroll
    for (int i = 0; i < 5; ++i) w[i] = w[i + 1];
  }
  const uint32_t bits = shift % 4 * 8;
  return make_uint4(
      __funnelshift_r(w[0], w[1], bits), __funnelshift_r(w[1], w[2], bits),
      __funnelshift_r(w[2], w[3], bits), __funnelshift_r(w[3], w[4], bits));
}

// Each thread fills 16 bytes of a destination row. Source rows start anywhere,
// so it reads the two aligned vectors around them, where the row has both.
template <typename Element>
__global__ __launch_bounds__(kThreads) void CopyRows(RepackParams p) {
  constexpr int kVector = 16 / sizeof(Element);
  const int64_t vectors = (p.inner + kVector - 1) / kVector;
  const int64_t total = vectors * p.outer * p.batches;
  for (int64_t at = blockIdx.x * int64_t{kThreads} + threadIdx.x; at < total;
       at += int64_t{kThreads} * gridDim.x) {
    const int64_t row = at / vectors;
    const int64_t i = (at - row * vectors) * kVector;
    const int64_t batch = row / p.outer;
    const int64_t outer = row - batch * p.outer;
    const Element* source_row = static_cast<const Element*>(p.source) +
                                batch * p.source_batch_stride +
                                outer * p.source_ld;
    Element* out = static_cast<Element*>(p.destination) +
                   batch * p.destination_batch_stride +
                   outer * p.destination_ld + i;
    const uintptr_t address = reinterpret_cast<uintptr_t>(source_row + i);
    const uint32_t shift = address % 16;
    const uintptr_t begin = address - shift;
    const uintptr_t row_end = reinterpret_cast<uintptr_t>(source_row + p.inner);
    if (begin >= reinterpret_cast<uintptr_t>(source_row) &&
        begin + 32 <= row_end) {
      const uint4* aligned = reinterpret_cast<const uint4*>(begin);
      *reinterpret_cast<uint4*>(out) =
          ShiftBytes(__ldg(aligned), __ldg(aligned + 1), shift);
    } else {
      for (int j = 0; j < kVector && i + j < p.inner; ++j) {
        out[j] = source_row[i + j];
      }
    }
  }
}

// 64 x 64 elements a block, through shared memory.
template <typename Element>
__global__ __launch_bounds__(kThreads) void Transpose(RepackParams p) {
  constexpr int kTile = 64;
  constexpr int kRows = kThreads / kTile;
  __shared__ Element tile[kTile][kTile + 4 / sizeof(Element)];
  const int64_t tiles_inner = (p.inner + kTile - 1) / kTile;
  const int64_t tiles_outer = (p.outer + kTile - 1) / kTile;
  const int x = threadIdx.x % kTile;
  const int y = threadIdx.x / kTile;
  for (int64_t at = blockIdx.x; at < tiles_inner * tiles_outer * p.batches;
       at += gridDim.x) {
    const int64_t batch = at / (tiles_inner * tiles_outer);
    const int64_t rest = at - batch * tiles_inner * tiles_outer;
    const int64_t outer = rest / tiles_inner * kTile;
    const int64_t inner = rest % tiles_inner * kTile;
    const Element* source =
        static_cast<const Element*>(p.source) + batch * p.source_batch_stride;
    Element* out = static_cast<Element*>(p.destination) +
                   batch * p.destination_batch_stride;
    for (int r = y; r < kTile; r += kRows) {
      if (inner + r < p.inner && outer + x < p.outer) {
        tile[r][x] = source[(inner + r) * p.source_ld + outer + x];
      }
    }
    __syncthreads();
    for (int r = y; r < kTile; r += kRows) {
      if (outer + r < p.outer && inner + x < p.inner) {
        out[(outer + r) * p.destination_ld + inner + x] = tile[x][r];
      }
    }
    __syncthreads();
  }
}

// Not <<<>>>, whose error is the thread's last one, whoever made it.
cudaError_t LaunchBlocks(void (*kernel)(RepackParams), int64_t blocks,
                         RepackParams params, cudaStream_t stream) {
  void* arguments[] = {&params};
  return cudaLaunchKernel(reinterpret_cast<const void*>(kernel),
                          dim3(std::min(blocks, kMaxBlocks)), dim3(kThreads),
                          arguments, /*sharedMem=*/0, stream);
}

template <typename Element>
cudaError_t Launch(const RepackParams& p, bool transpose, cudaStream_t stream) {
  if (transpose) {
    const int64_t tiles =
        (p.inner + 63) / 64 * ((p.outer + 63) / 64) * p.batches;
    return LaunchBlocks(&Transpose<Element>, tiles, p, stream);
  }
  const int64_t vectors = (p.inner * sizeof(Element) + 15) / 16;
  const int64_t blocks =
      (vectors * p.outer * p.batches + kThreads - 1) / kThreads;
  return LaunchBlocks(&CopyRows<Element>, blocks, p, stream);
}

}  // namespace

cudaError_t LaunchRepack(const RepackParams& params, bool transpose,
                         int element_bytes, cudaStream_t stream) {
  return element_bytes == 1 ? Launch<uint8_t>(params, transpose, stream)
                            : Launch<uint16_t>(params, transpose, stream);
}

}  // namespace tiletune::hopper
