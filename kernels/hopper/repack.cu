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

// Tells the split-K kernels after this one where the copy begins.
__device__ __forceinline__ void LowerClean(uint32_t* clean, uint32_t blocks) {
  if (blockIdx.x != 0 || threadIdx.x != 0 || clean == nullptr) return;
  if (*clean > blocks) *clean = blocks;
}

// What CopyRows needs, in bytes.
struct RowCopy {
  const char* source;
  char* destination;
  int64_t row_bytes;
  int64_t outer;
  int64_t source_ld;
  int64_t source_batch_stride;
  int64_t source_bytes;  // from the first row's start to the last one's end
  int64_t destination_ld;
  int64_t destination_batch_stride;
  int64_t segments;  // of a row
  int64_t tasks;     // segments in all
};

struct RowCopies {
  RowCopy copies[2];
  uint32_t* clean;
  uint32_t clean_blocks;
  bool is_dependent;
};

constexpr int kVectorsPerLane = 4;
constexpr int kSegmentBytes = 32 * kVectorsPerLane * 16;
constexpr int kWarps = kThreads / 32;

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

// Of a dependent launch, one warp more than copies: it does the fence.
constexpr int kDependentThreads = kThreads + 32;

// A warp copies a segment of a row; the row's last vector goes out whole.
__global__ __launch_bounds__(kDependentThreads) void CopyRows(RowCopies both) {
  WaitForGridsBefore();
  if (!both.is_dependent || threadIdx.x >= kThreads) {
    LaunchDependents(both.is_dependent);
    if (threadIdx.x >= kThreads) return;
  }
  LowerClean(both.clean, both.clean_blocks);
  int64_t task = blockIdx.x * int64_t{kWarps} + threadIdx.x / 32;
  const bool second = task >= both.copies[0].tasks;
  if (second) task -= both.copies[0].tasks;
  const RowCopy& c = both.copies[second ? 1 : 0];
  if (task >= c.tasks) return;
  const int64_t row = task / c.segments;
  const int64_t batch = row / c.outer;
  const int64_t outer = row - batch * c.outer;
  const char* const begin = c.source + batch * c.source_batch_stride;
  const char* const from = begin + outer * c.source_ld;
  char* const to = c.destination + batch * c.destination_batch_stride +
                   outer * c.destination_ld;
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

// 64 x 64 elements a block, through shared memory.
template <typename Element>
__global__ __launch_bounds__(kThreads) void Transpose(RepackParams p) {
  constexpr int kTile = 64;
  constexpr int kRows = kThreads / kTile;
  __shared__ Element tile[kTile][kTile + 4 / sizeof(Element)];
  WaitForGridsBefore();
  if (!p.is_dependent || threadIdx.x == 0) LaunchDependents(p.is_dependent);
  LowerClean(p.clean, p.clean_blocks);
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
template <class Params>
cudaError_t LaunchBlocks(void (*kernel)(Params), int64_t blocks, int threads,
                         Params params, cudaStream_t stream) {
  cudaLaunchAttribute dependent = {};
  dependent.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  dependent.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<uint32_t>(blocks));
  config.blockDim = dim3(static_cast<uint32_t>(threads));
  config.stream = stream;
  config.attrs = &dependent;
  config.numAttrs = params.is_dependent ? 1 : 0;
  void* arguments[] = {&params};
  return cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel),
                             arguments);
}

RowCopy RowCopyOf(const RepackParams& p) {
  RowCopy c = {};
  if (p.element_bytes == 0 || p.transpose) return c;
  const int64_t bytes = p.element_bytes;
  c.source = static_cast<const char*>(p.source);
  c.destination = static_cast<char*>(p.destination);
  c.row_bytes = p.inner * bytes;
  c.outer = p.outer;
  c.source_ld = p.source_ld * bytes;
  c.source_batch_stride = p.source_batch_stride * bytes;
  c.source_bytes = (p.outer - 1) * c.source_ld + c.row_bytes;
  c.destination_ld = p.destination_ld * bytes;
  c.destination_batch_stride = p.destination_batch_stride * bytes;
  c.segments = (c.row_bytes + kSegmentBytes - 1) / kSegmentBytes;
  c.tasks = c.segments * c.outer * p.batches;
  return c;
}

cudaError_t LaunchTranspose(const RepackParams& p, cudaStream_t stream) {
  if (p.element_bytes == 0 || !p.transpose) return cudaSuccess;
  const int64_t tiles = (p.inner + 63) / 64 * ((p.outer + 63) / 64) * p.batches;
  const int64_t blocks = std::min(tiles, kMaxBlocks);
  return p.element_bytes == 1
             ? LaunchBlocks(&Transpose<uint8_t>, blocks, kThreads, p, stream)
             : LaunchBlocks(&Transpose<uint16_t>, blocks, kThreads, p, stream);
}

}  // namespace

cudaError_t LaunchRepack(const RepackParams& a, const RepackParams& b,
                         cudaStream_t stream) {
  cudaError_t error = LaunchTranspose(a, stream);
  if (error == cudaSuccess) error = LaunchTranspose(b, stream);
  const RepackParams& first = a.element_bytes != 0 ? a : b;
  const RowCopies rows = {{RowCopyOf(a), RowCopyOf(b)},
                          first.clean,
                          first.clean_blocks,
                          first.is_dependent};
  const int64_t tasks = rows.copies[0].tasks + rows.copies[1].tasks;
  if (error != cudaSuccess || tasks == 0) return error;
  const int threads = rows.is_dependent ? kDependentThreads : kThreads;
  return LaunchBlocks(&CopyRows, (tasks + kWarps - 1) / kWarps, threads, rows,
                      stream);
}

}  // namespace tiletune::hopper
