// TMA loads into other CTAs of a cluster.
//
// v[0..1]: coordinates; v[2]: bytes of one box; v[3]: CTA mask; v[4]: bytes of
// shared memory to observe in each CTA.
#include "testing/emulator/hardware/kernels/micro.cuh"

namespace tiletune::micro {
namespace {

__device__ void Multicast(uint32_t to, const CUtensorMap* map, int x, int y,
                          uint32_t barrier, uint16_t mask) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(to),
      "l"(map), "r"(barrier), "r"(x), "r"(y), "h"(mask)
      : "memory");
}

// Shared memory is filled and the barrier ready in the whole cluster.
__device__ void Prepare(uint8_t* tile, uint64_t* barrier) {
  FillWords(Words(tile), 0xCDCDCDCD, 2048);
  if (threadIdx.x == 0) {
    BarrierInit(Shared(barrier), 1);
    FenceBarrierInit();
  }
  FenceProxyAsync();
  ClusterSync();
}

}  // namespace

// CTA 0 sends one box to every CTA of the mask.
MICRO_KERNEL(tma_multicast_from_first) {
  __shared__ alignas(1024) uint8_t tile[8192];
  __shared__ uint64_t barrier;
  Prepare(tile, &barrier);
  const uint32_t rank = ClusterRank();
  const bool receives = (p.v[3] >> rank & 1) != 0;
  if (threadIdx.x == 0 && receives) ArriveExpect(Shared(&barrier), p.v[2]);
  if (threadIdx.x == 0 && rank == 0) {
    Multicast(Shared(tile), &maps.map[0], p.v[0], p.v[1], Shared(&barrier),
              p.v[3]);
  }
  if (receives) WaitParity(Shared(&barrier), 0);
  ClusterSync();
  CopyWords(Words(out + blockIdx.x * p.v[4]), Words(tile), p.v[4] / 4);
}

// Every CTA sends its own slice to the whole cluster.
MICRO_KERNEL(tma_multicast_slices) {
  __shared__ alignas(1024) uint8_t tile[8192];
  __shared__ uint64_t barrier;
  Prepare(tile, &barrier);
  const uint32_t rank = ClusterRank();
  if (threadIdx.x == 0) {
    ArriveExpect(Shared(&barrier), 4 * p.v[2]);
    Multicast(Shared(tile) + rank * p.v[2], &maps.map[0], p.v[0],
              p.v[1] + 8 * rank, Shared(&barrier), p.v[3]);
  }
  WaitParity(Shared(&barrier), 0);
  ClusterSync();
  CopyWords(Words(out + blockIdx.x * p.v[4]), Words(tile), p.v[4] / 4);
}

// Each CTA loads into its neighbour and signals the neighbour's barrier.
MICRO_KERNEL(tma_load_to_neighbour) {
  __shared__ alignas(1024) uint8_t tile[8192];
  __shared__ uint64_t barrier;
  Prepare(tile, &barrier);
  const uint32_t rank = ClusterRank();
  if (threadIdx.x == 0) {
    ArriveExpect(Shared(&barrier), p.v[2]);
    const uint32_t other = (rank + 1) % 4;
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile"
        ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
            MapToRank(Shared(tile), other)),
        "l"(&maps.map[0]), "r"(MapToRank(Shared(&barrier), other)), "r"(p.v[0]),
        "r"(p.v[1] + 8 * static_cast<int>(rank))
        : "memory");
  }
  WaitParity(Shared(&barrier), 0);
  ClusterSync();
  CopyWords(Words(out + blockIdx.x * p.v[4]), Words(tile), p.v[4] / 4);
}

}  // namespace tiletune::micro
