// TMA loads in one to five dimensions: what arrives in shared memory, for any
// tensor map, coordinates and destination.
//
// v[0..4]: coordinates; v[5]: bytes to expect; v[6]: bytes of shared memory to
// observe, whether the bytes arrived behind them; v[7]: destination offset.
#include "testing/emulator/hardware/kernels/micro.cuh"

namespace tiletune::micro {
namespace {

template <int kRank>
__device__ void Load(uint32_t to, const CUtensorMap* map, const int32_t* v,
                     uint32_t barrier) {
  if constexpr (kRank == 1) {
    asm volatile(
        "cp.async.bulk.tensor.1d.shared::cluster.global.tile"
        ".mbarrier::complete_tx::bytes [%0], [%1, {%3}], [%2];" ::"r"(to),
        "l"(map), "r"(barrier), "r"(v[0])
        : "memory");
  } else if constexpr (kRank == 2) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile"
        ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(to),
        "l"(map), "r"(barrier), "r"(v[0]), "r"(v[1])
        : "memory");
  } else if constexpr (kRank == 3) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile"
        ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(
            to),
        "l"(map), "r"(barrier), "r"(v[0]), "r"(v[1]), "r"(v[2])
        : "memory");
  } else if constexpr (kRank == 4) {
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.tile"
        ".mbarrier::complete_tx::bytes"
        " [%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(to),
        "l"(map), "r"(barrier), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3])
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.5d.shared::cluster.global.tile"
        ".mbarrier::complete_tx::bytes"
        " [%0], [%1, {%3, %4, %5, %6, %7}], [%2];" ::"r"(to),
        "l"(map), "r"(barrier), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]),
        "r"(v[4])
        : "memory");
  }
}

template <int kRank>
__device__ void LoadAndShow(const Maps& maps, const Params& p, uint8_t* out) {
  __shared__ alignas(1024) uint8_t tile[16384];
  __shared__ uint64_t barrier;
  FillWords(Words(tile), 0xCDCDCDCD, 4096);
  if (threadIdx.x == 0) {
    BarrierInit(Shared(&barrier), 1);
    FenceBarrierInit();
  }
  FenceProxyAsync();
  __syncthreads();
  if (threadIdx.x == 0) {
    ArriveExpect(Shared(&barrier), p.v[5]);
    Load<kRank>(Shared(tile) + p.v[7], &maps.map[0], p.v, Shared(&barrier));
  }
  const bool complete = WaitParity(Shared(&barrier), 0);
  if (threadIdx.x == 0) Words(out)[p.v[6] / 4] = complete;
  CopyWords(Words(out), Words(tile), p.v[6] / 4);
}

}  // namespace

MICRO_KERNEL(tma_load_1d) { LoadAndShow<1>(maps, p, out); }
MICRO_KERNEL(tma_load_2d) { LoadAndShow<2>(maps, p, out); }
MICRO_KERNEL(tma_load_3d) { LoadAndShow<3>(maps, p, out); }
MICRO_KERNEL(tma_load_4d) { LoadAndShow<4>(maps, p, out); }
MICRO_KERNEL(tma_load_5d) { LoadAndShow<5>(maps, p, out); }

// Prefetches of the map, the box and plain bytes change nothing that can be
// seen; the load after them gives the box.
MICRO_KERNEL(tma_prefetch) {
  if (threadIdx.x == 0) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&maps.map[0]) : "memory");
    asm volatile(
        "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(
            &maps.map[0]),
        "r"(p.v[0]), "r"(p.v[1])
        : "memory");
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], 256;" ::"l"(in)
                 : "memory");
  }
  LoadAndShow<2>(maps, p, out);
}

}  // namespace tiletune::micro
