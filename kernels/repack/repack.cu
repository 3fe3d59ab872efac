#include <cstdint>

#include "kernels/repack/repack_arguments.h"
#include "kernels/repack/repack_kernel.h"

namespace tiletune {
namespace {

// Copies tile after tile through shared memory, so that reads run along
// whichever index of the source is contiguous and writes along columns.
template <typename Element>
__device__ __forceinline__ void Repack(const RepackArguments& r) {
  // One more column, so that a column of the tile spans all banks.
  __shared__ Element tile[kRepackTile][kRepackTile + 1];
  constexpr int kRowsAtOnce = kRepackThreads / kRepackTile;
  const int fast = threadIdx.x % kRepackTile;
  const int slow = threadIdx.x / kRepackTile;
  const bool transposes = r.source_column_stride != 1;
  const int64_t column_tiles = (r.columns + kRepackTile - 1) / kRepackTile;
  const int64_t row_tiles = (r.rows + kRepackTile - 1) / kRepackTile;
  const int64_t tiles = row_tiles * column_tiles * r.batches;
  for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    const int64_t column0 = t % column_tiles * kRepackTile;
    const int64_t row0 = t / column_tiles % row_tiles * kRepackTile;
    const int64_t batch = t / column_tiles / row_tiles;
    const Element* from =
        static_cast<const Element*>(r.source) + batch * r.source_batch_stride;
    Element* to = static_cast<Element*>(r.destination) +
                  batch * r.destination_batch_stride;
    for (int i = slow; i < kRepackTile; i += kRowsAtOnce) {
      const int row = transposes ? fast : i;
      const int column = transposes ? i : fast;
      if (row0 + row < r.rows && column0 + column < r.columns) {
        tile[row][column] = from[(row0 + row) * r.source_row_stride +
                                 (column0 + column) * r.source_column_stride];
      }
    }
    __syncthreads();
    for (int row = slow; row < kRepackTile; row += kRowsAtOnce) {
      if (row0 + row < r.rows && column0 + fast < r.columns) {
        to[(row0 + row) * r.destination_row_stride + column0 + fast] =
            tile[row][fast];
      }
    }
    __syncthreads();
  }
}

}  // namespace
}  // namespace tiletune

extern "C" __global__ void __launch_bounds__(tiletune::kRepackThreads)
    tiletune_repack_1(const __grid_constant__ tiletune::RepackArguments r) {
  tiletune::Repack<uint8_t>(r);
}

extern "C" __global__ void __launch_bounds__(tiletune::kRepackThreads)
    tiletune_repack_2(const __grid_constant__ tiletune::RepackArguments r) {
  tiletune::Repack<uint16_t>(r);
}

extern "C" __global__ void __launch_bounds__(tiletune::kRepackThreads)
    tiletune_repack_4(const __grid_constant__ tiletune::RepackArguments r) {
  tiletune::Repack<uint32_t>(r);
}

namespace tiletune {

const void* RepackKernel(int32_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return reinterpret_cast<const void*>(&tiletune_repack_1);
    case 2:
      return reinterpret_cast<const void*>(&tiletune_repack_2);
    case 4:
      return reinterpret_cast<const void*>(&tiletune_repack_4);
  }
  return nullptr;
}

}  // namespace tiletune
