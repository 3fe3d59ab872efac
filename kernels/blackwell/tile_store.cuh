// TileStore: one epilogue warp's way of writing D by TMA.
//
// Use it when D can be described to TMA. The warp lays 128 bytes of each of its
// rows into a swizzled buffer, and one thread stores the buffer while the other
// one fills. Device code.
//
//   TileStore<Shape> store(buffers, &parameters.d_map);
//   store.Put(byte_in_row, words, count);   // up to 64 bytes of every row
//   store.Flush(x, y, batch, m, n);         // after the 128th byte
//   store.Drain();                          // before the warp leaves
#ifndef TILETUNE_KERNELS_BLACKWELL_TILE_STORE_CUH_
#define TILETUNE_KERNELS_BLACKWELL_TILE_STORE_CUH_

#include <cuda.h>

#include <cstdint>

#include "kernels/blackwell/kernel_shape.h"
#include "kernels/ptx/elect.h"
#include "kernels/ptx/fence.h"
#include "kernels/ptx/tma.h"

namespace tiletune::blackwell {

template <class Shape>
class TileStore {
 public:
  // `buffers`: this warp's own, 1024-byte aligned. All 32 lanes, in all
  // functions.
  __device__ __forceinline__ TileStore(uint8_t* buffers, const CUtensorMap* map)
      : buffers_(buffers), map_(map) {}

  // Puts `vectors` x 16 bytes of this thread's row, from byte `byte_in_row`
  // (a multiple of 16) of the 128 in the buffer.
  __device__ __forceinline__ void Put(uint32_t byte_in_row,
                                      const uint32_t (&words)[16],
                                      uint32_t vectors) {
    // The store before last has to have left this buffer.
    if (is_clean_) {
      if (ptx::elect_sync()) ptx::cp_async_bulk_wait_group_read<1>();
      __syncwarp();
      is_clean_ = false;
    }
    const uint32_t lane = threadIdx.x % 32;
    uint8_t* row =
        buffers_ + buffer_ * Shape::kStoreBufferBytes + lane * kSpanBytes;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (i < vectors) {
        // The 128-byte swizzle: PTX ISA 5.5.7.
        const uint32_t chunk = (byte_in_row / 16 + i) ^ lane % 8;
        *reinterpret_cast<uint4*>(row + chunk * 16) = make_uint4(
            words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]);
      }
    }
  }

  // Stores the buffer to column x, rows y onwards, of D. With 16-row boxes the
  // upper lanes hold the columns from x + kThreadColumns. Boxes that begin
  // outside the m x n matrix are left out.
  __device__ __forceinline__ void Flush(uint32_t x, uint32_t y, uint32_t batch,
                                        uint32_t m, uint32_t n) {
    ptx::fence_proxy_async_shared_cta();
    __syncwarp();
    if (ptx::elect_sync()) {
      const uint8_t* source = buffers_ + buffer_ * Shape::kStoreBufferBytes;
#pragma unroll
      for (int box = 0; box < 32 / Shape::kStoreRows; ++box) {
        const uint32_t box_x = x + box * Shape::kThreadColumns;
        if (box_x < n && y < m) {
          ptx::cp_async_bulk_tensor_3d_store(
              map_, source + box * Shape::kStoreRows * kSpanBytes,
              static_cast<int32_t>(box_x), static_cast<int32_t>(y),
              static_cast<int32_t>(batch));
        }
      }
      ptx::cp_async_bulk_commit_group();
    }
    __syncwarp();
    buffer_ ^= 1;
    is_clean_ = true;
  }

  // Waits until everything stored is in global memory.
  __device__ __forceinline__ void Drain() {
    if (ptx::elect_sync()) ptx::cp_async_bulk_wait_group<0>();
    __syncwarp();
  }

 private:
  uint8_t* const buffers_;
  const CUtensorMap* const map_;
  uint32_t buffer_ = 0;
  bool is_clean_ = true;  // nothing put into this buffer since its last store
};

}  // namespace tiletune::blackwell

#endif  // TILETUNE_KERNELS_BLACKWELL_TILE_STORE_CUH_
