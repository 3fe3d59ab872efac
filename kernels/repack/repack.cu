#include <cstdint>

#include "kernels/repack/repack_arguments.h"
#include "kernels/repack/repack_kernel.h"

namespace tiletune {
namespace {

// For all threads, before anything else: the source may be the work of the
// grids before, and the destination still be read by them.
__device__ __forceinline__ void WaitForGridsBefore() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

// The next grid may take what these blocks leave; it waits for their end. It
// starts when every block has come here (none exits before), after its wait,
// and so when the grids before have completed: LaunchRepack promises that.
// Where that needed a wait, the fence hands on what it made visible (PTX
// ISA 8.10, causality order: launch_dependents by itself orders no memory).
__device__ __forceinline__ void LaunchDependents(bool is_dependent) {
  if (is_dependent) asm volatile("fence.acq_rel.gpu;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

// Tells the kernels after this one how much of the workspace remains zero.
__device__ __forceinline__ void LowerClean(uint32_t* clean, uint32_t blocks) {
  if (blockIdx.x != 0 || threadIdx.x != 0 || clean == nullptr) return;
  if (*clean > blocks) *clean = blocks;
}

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

// The 16 bytes of a row from `source` on, which need not be aligned: from the
// two aligned vectors around them, where both are within the matrix.
__device__ __forceinline__ uint4 LoadVector(const char* source,
                                            const char* begin, const char* end,
                                            int64_t count) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(source);
  const uint32_t shift = address % 16;
  const char* const aligned = source - shift;
  if (aligned >= begin && aligned + 32 <= end) {
    const uint4* const vectors = reinterpret_cast<const uint4*>(aligned);
    return ShiftBytes(__ldg(vectors), __ldg(vectors + 1), shift);
  }
  uint32_t words[4] = {};
  for (int i = 0; i < 16 && i < count; ++i) {
    const uint32_t byte = static_cast<uint8_t>(source[i]);
    words[i / 4] |= byte << (i % 4 * 8);
  }
  return make_uint4(words[0], words[1], words[2], words[3]);
}

// Through shared memory, so that reads run along the source's contiguous index
// and writes along the destination's.
template <typename Element>
__device__ __forceinline__ void Transpose(const RepackArguments& r) {
  constexpr int kTile = kTransposeTile;
  constexpr int kRows = kRepackThreads / kTile;
  __shared__ Element tile[kTile][kTile + 4 / sizeof(Element)];
  WaitForGridsBefore();
  if (!r.is_dependent || threadIdx.x == 0) LaunchDependents(r.is_dependent);
  LowerClean(r.clean, r.clean_blocks);
  const int64_t tiles_inner = (r.inner + kTile - 1) / kTile;
  const int64_t tiles_outer = (r.outer + kTile - 1) / kTile;
  const int x = threadIdx.x % kTile;
  const int y = threadIdx.x / kTile;
  for (int64_t at = blockIdx.x; at < tiles_inner * tiles_outer * r.batches;
       at += gridDim.x) {
    const int64_t batch = at / (tiles_inner * tiles_outer);
    const int64_t rest = at - batch * tiles_inner * tiles_outer;
    const int64_t outer = rest / tiles_inner * kTile;
    const int64_t inner = rest % tiles_inner * kTile;
    const Element* source =
        static_cast<const Element*>(r.source) + batch * r.source_batch_stride;
    Element* out = static_cast<Element*>(r.destination) +
                   batch * r.destination_batch_stride;
    for (int i = y; i < kTile; i += kRows) {
      if (inner + i < r.inner && outer + x < r.outer) {
        tile[i][x] = source[(inner + i) * r.source_stride + outer + x];
      }
    }
    __syncthreads();
    for (int i = y; i < kTile; i += kRows) {
      if (outer + i < r.outer && inner + x < r.inner) {
        out[(outer + i) * r.destination_stride + inner + x] = tile[x][i];
      }
    }
    __syncthreads();
  }
}

}  // namespace
}  // namespace tiletune

// A warp copies a segment of a row; the row's last vector goes out whole.
extern "C" __global__ void __launch_bounds__(tiletune::kDependentThreads)
    tiletune_copy_rows(const __grid_constant__ tiletune::RowCopies both) {
  using namespace tiletune;
  WaitForGridsBefore();
  if (!both.is_dependent || threadIdx.x >= kRepackThreads) {
    LaunchDependents(both.is_dependent);
    if (threadIdx.x >= kRepackThreads) return;
  }
  LowerClean(both.clean, both.clean_blocks);
  int64_t task = blockIdx.x * int64_t{kCopyWarps} + threadIdx.x / 32;
  const bool second = task >= both.copies[0].tasks;
  if (second) task -= both.copies[0].tasks;
  const RowCopy& c = both.copies[second ? 1 : 0];
  if (task >= c.tasks) return;
  const int64_t row = task / c.segments;
  const int64_t batch = row / c.outer;
  const int64_t outer = row - batch * c.outer;
  const char* const begin = c.source + batch * c.source_batch_stride;
  const char* const from = begin + outer * c.source_stride;
  char* const to = c.destination + batch * c.destination_batch_stride +
                   outer * c.destination_stride;
  const int64_t first =
      (task - row * c.segments) * kSegmentBytes + threadIdx.x % 32 * 16;
  uint4 v[kVectorsPerLane];
#pragma unroll
  for (int i = 0; i < kVectorsPerLane; ++i) {
    const int64_t at = first + i * 32 * 16;
    if (at < c.row_bytes) {
      v[i] = LoadVector(from + at, begin, begin + c.source_bytes,
                        c.row_bytes - at);
    }
  }
#pragma unroll
  for (int i = 0; i < kVectorsPerLane; ++i) {
    const int64_t at = first + i * 32 * 16;
    if (at < c.row_bytes) *reinterpret_cast<uint4*>(to + at) = v[i];
  }
}

extern "C" __global__ void __launch_bounds__(tiletune::kRepackThreads)
    tiletune_transpose_bytes(
        const __grid_constant__ tiletune::RepackArguments r) {
  tiletune::Transpose<uint8_t>(r);
}

extern "C" __global__ void __launch_bounds__(tiletune::kRepackThreads)
    tiletune_transpose_words(
        const __grid_constant__ tiletune::RepackArguments r) {
  tiletune::Transpose<uint16_t>(r);
}

namespace tiletune {

const void* RepackFunction(RepackKernel kernel) {
  switch (kernel) {
    case RepackKernel::kCopyRows:
      return reinterpret_cast<const void*>(&tiletune_copy_rows);
    case RepackKernel::kTransposeBytes:
      return reinterpret_cast<const void*>(&tiletune_transpose_bytes);
    case RepackKernel::kTransposeWords:
      return reinterpret_cast<const void*>(&tiletune_transpose_words);
  }
  return nullptr;
}

}  // namespace tiletune
