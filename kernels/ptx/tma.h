// TMA: bulk tensor copies between global and shared memory.
//
// Use it to move whole tiles with one instruction of one thread. Loads report
// their bytes to an mbarrier; stores complete in bulk groups of the thread that
// issued them. Coordinates are in elements, innermost dimension first, and may
// lie outside the tensor: such elements load as zero and are never stored.
// Device code only, sm_90 or later. The map is a __grid_constant__ parameter
// made by kernels/ptx/tensor_map.h.
//
//   ptx::mbarrier_arrive_expect_tx(&full, kTileBytes);
//   ptx::cp_async_bulk_tensor_3d_load(tile, &map, &full, k, m, batch);
//   ...
//   ptx::cp_async_bulk_tensor_3d_store(&map, tile, n, m, batch);
//   ptx::cp_async_bulk_commit_group();
//   ptx::cp_async_bulk_wait_group_read<0>();  // `tile` may be written again
#ifndef TILETUNE_KERNELS_PTX_TMA_H_
#define TILETUNE_KERNELS_PTX_TMA_H_

#include <cuda.h>

#include <cstdint>

#include "kernels/ptx/cluster.h"

namespace tiletune::ptx {

// Fetches the 128-byte map itself ahead of its first use. PTX ISA 9.7.9.15.
__device__ __forceinline__ void prefetch_tensormap(const CUtensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

// Loads the box at (x, y, z) to `destination` in this CTA and completes its
// bytes, the out-of-bounds ones too, on `barrier`. PTX ISA 9.7.9.25.5.2.
__device__ __forceinline__ void cp_async_bulk_tensor_3d_load(
    void* destination, const CUtensorMap* map, uint64_t* barrier, int32_t x,
    int32_t y, int32_t z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(
          cvta_to_shared(destination)),
      "l"(map), "r"(cvta_to_shared(barrier)), "r"(x), "r"(y), "r"(z)
      : "memory");
}

// The same box, to the same shared-memory offset in every CTA of the cluster
// whose rank is a set bit of `cta_mask`; each of them sees the bytes complete
// on its own barrier at the offset of `barrier`. PTX ISA 9.7.9.25.5.2.
__device__ __forceinline__ void cp_async_bulk_tensor_3d_load_multicast(
    void* destination, const CUtensorMap* map, uint64_t* barrier, int32_t x,
    int32_t y, int32_t z, uint16_t cta_mask) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(cvta_to_shared(destination)),
      "l"(map), "r"(cvta_to_shared(barrier)), "r"(x), "r"(y), "r"(z),
      "h"(cta_mask)
      : "memory");
}

// Stores the box at `source` to (x, y, z), which must not be negative. The
// writers of `source` must have run fence.proxy.async. PTX ISA 9.7.9.25.5.2.
__device__ __forceinline__ void cp_async_bulk_tensor_3d_store(
    const CUtensorMap* map, const void* source, int32_t x, int32_t y,
    int32_t z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group"
      " [%0, {%2, %3, %4}], [%1];" ::"l"(map),
      "r"(cvta_to_shared(source)), "r"(x), "r"(y), "r"(z)
      : "memory");
}

// Closes a bulk group of this thread's stores so far. PTX ISA 9.7.9.25.3.1.
__device__ __forceinline__ void cp_async_bulk_commit_group() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Waits until at most kPending of this thread's latest groups are incomplete:
// the rest have been written to global memory. PTX ISA 9.7.9.25.3.2.
template <int kPending>
__device__ __forceinline__ void cp_async_bulk_wait_group() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(kPending) : "memory");
}

// The same, but only until their shared-memory sources have been read.
template <int kPending>
__device__ __forceinline__ void cp_async_bulk_wait_group_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
}

}  // namespace tiletune::ptx

#endif  // TILETUNE_KERNELS_PTX_TMA_H_
