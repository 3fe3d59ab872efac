// RepackArguments: what the repack kernel is told, and how it is launched.
//
// Use it to plan a repack; repack.h launches it. Strides are in elements.
//
//   RepackArguments r;
//   r.rows = m; r.columns = k;
//   uint32_t grid = RepackGrid(r);   // CTAs of kRepackThreads threads
#ifndef TILETUNE_KERNELS_REPACK_REPACK_ARGUMENTS_H_
#define TILETUNE_KERNELS_REPACK_REPACK_ARGUMENTS_H_

#include <cstdint>

namespace tiletune {

// Element (row, column) of a batch goes from
//   source + row * source_row_stride + column * source_column_stride
// to destination + row * destination_row_stride + column.
struct RepackArguments {
  const void* source = nullptr;
  void* destination = nullptr;
  int32_t element_bytes = 2;  // 1, 2 or 4
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t batches = 1;
  int64_t source_row_stride = 0;
  int64_t source_column_stride = 1;
  int64_t source_batch_stride = 0;
  int64_t destination_row_stride = 0;
  int64_t destination_batch_stride = 0;
};

inline constexpr int kRepackThreads = 256;
inline constexpr int kRepackTile = 32;  // rows and columns a CTA moves at once

// The least row stride, in elements, that is a multiple of 16 bytes.
constexpr int64_t PackedRowStride(int64_t columns, int32_t element_bytes) {
  const int64_t vector = 16 / element_bytes;
  return (columns + vector - 1) / vector * vector;
}

// Tiles of kRepackTile x kRepackTile in all batches.
constexpr int64_t RepackTiles(const RepackArguments& r) {
  return (r.rows + kRepackTile - 1) / kRepackTile *
         ((r.columns + kRepackTile - 1) / kRepackTile) * r.batches;
}

// CTAs along grid x; each takes every so many-th tile.
constexpr uint32_t RepackGrid(const RepackArguments& r) {
  constexpr int64_t kMost = 1 << 16;
  const int64_t tiles = RepackTiles(r);
  return static_cast<uint32_t>(tiles < kMost ? tiles : kMost);
}

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_REPACK_REPACK_ARGUMENTS_H_
