// TMA loads for CTA pairs: the same as tma.h, but the bytes may be counted by
// the barrier of the other CTA of the pair.
//
// Use it where one MMA reads the shared memory of two CTAs (cta_group::2), so
// that one barrier, in the even CTA, says that both halves have landed. With
// kCtaGroup 1 the barrier must be in this CTA. Device code only, sm_100f.
//
//   uint32_t full = ptx::mapa_shared_cluster(ptx::cvta_to_shared(&barrier),
//                                            rank & ~1u);
//   ptx::cp_async_bulk_tensor_3d_load<2>(tile, &map, full, k, m, batch);
#ifndef TILETUNE_KERNELS_PTX_TMA_CTA_GROUP_H_
#define TILETUNE_KERNELS_PTX_TMA_CTA_GROUP_H_

#include <cuda.h>

#include <cstdint>

#include "kernels/ptx/cluster.h"

namespace tiletune::ptx {

// Loads the box at (x, y, z) to `destination` in this CTA and completes its
// bytes on the barrier at the shared::cluster address `barrier`.
// PTX ISA 9.7.9.25.5.2.
template <int kCtaGroup>
__device__ __forceinline__ void cp_async_bulk_tensor_3d_load(
    void* destination, const CUtensorMap* map, uint32_t barrier, int32_t x,
    int32_t y, int32_t z) {
  if constexpr (kCtaGroup == 1) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile"
        ".mbarrier::complete_tx::bytes.cta_group::1"
        " [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(cvta_to_shared(destination)),
        "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z)
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile"
        ".mbarrier::complete_tx::bytes.cta_group::2"
        " [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(cvta_to_shared(destination)),
        "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z)
        : "memory");
  }
}

// The same box, to the same offset in every CTA of `cta_mask`. Each of them
// counts its bytes on the barrier at the same offset in itself or, with
// kCtaGroup 2, in the CTA of its pair whose rank has the parity of the CTA that
// `barrier` lies in. PTX ISA 9.7.9.25.5.2.
template <int kCtaGroup>
__device__ __forceinline__ void cp_async_bulk_tensor_3d_load_multicast(
    void* destination, const CUtensorMap* map, uint32_t barrier, int32_t x,
    int32_t y, int32_t z, uint16_t cta_mask) {
  if constexpr (kCtaGroup == 1) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile"
        ".mbarrier::complete_tx::bytes.multicast::cluster.cta_group::1"
        " [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(
            cvta_to_shared(destination)),
        "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z), "h"(cta_mask)
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile"
        ".mbarrier::complete_tx::bytes.multicast::cluster.cta_group::2"
        " [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(
            cvta_to_shared(destination)),
        "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z), "h"(cta_mask)
        : "memory");
  }
}

}  // namespace tiletune::ptx

#endif  // TILETUNE_KERNELS_PTX_TMA_CTA_GROUP_H_
