// TMA stores and reductions: what changes in the tensor, which is `out`.
//
// v[0..4]: coordinates; v[5]: bytes of shared memory to fill from `in`; v[6]:
// source offset.
#include "testing/emulator/hardware/kernels/micro.cuh"

namespace tiletune::micro {
namespace {

__device__ void Store(const CUtensorMap* map, uint32_t from, const int32_t* v,
                      int rank) {
  switch (rank) {
    case 1:
      asm volatile(
          "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group"
          " [%0, {%2}], [%1];" ::"l"(map),
          "r"(from), "r"(v[0])
          : "memory");
      break;
    case 2:
      asm volatile(
          "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"
          " [%0, {%2, %3}], [%1];" ::"l"(map),
          "r"(from), "r"(v[0]), "r"(v[1])
          : "memory");
      break;
    case 3:
      asm volatile(
          "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group"
          " [%0, {%2, %3, %4}], [%1];" ::"l"(map),
          "r"(from), "r"(v[0]), "r"(v[1]), "r"(v[2])
          : "memory");
      break;
    case 4:
      asm volatile(
          "cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group"
          " [%0, {%2, %3, %4, %5}], [%1];" ::"l"(map),
          "r"(from), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3])
          : "memory");
      break;
    default:
      asm volatile(
          "cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group"
          " [%0, {%2, %3, %4, %5, %6}], [%1];" ::"l"(map),
          "r"(from), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "r"(v[4])
          : "memory");
  }
}

__device__ void FillTile(uint8_t* tile, const Params& p, const uint8_t* in) {
  FillWords(Words(tile), 0, 4096);
  __syncthreads();
  CopyWords(Words(tile), Words(in), p.v[5] / 4);
  FenceProxyAsync();
  __syncthreads();
}

__device__ void StoreTile(const Maps& maps, const Params& p, const uint8_t* in,
                          int rank) {
  __shared__ alignas(1024) uint8_t tile[16384];
  FillTile(tile, p, in);
  if (threadIdx.x != 0) return;
  Store(&maps.map[0], Shared(tile) + p.v[6], p.v, rank);
  CommitBulk();
  WaitBulk();
}

}  // namespace

MICRO_KERNEL(tma_store_1d) { StoreTile(maps, p, in, 1); }
MICRO_KERNEL(tma_store_2d) { StoreTile(maps, p, in, 2); }
MICRO_KERNEL(tma_store_3d) { StoreTile(maps, p, in, 3); }
MICRO_KERNEL(tma_store_4d) { StoreTile(maps, p, in, 4); }
MICRO_KERNEL(tma_store_5d) { StoreTile(maps, p, in, 5); }

#define TMA_REDUCE_KERNEL(op)                                                  \
  MICRO_KERNEL(tma_reduce_##op) {                                              \
    __shared__ alignas(1024) uint8_t tile[16384];                              \
    FillTile(tile, p, in);                                                     \
    if (threadIdx.x != 0) return;                                              \
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta." #op      \
                 ".tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&maps.map[0]), \
                 "r"(Shared(tile) + p.v[6]), "r"(p.v[0]), "r"(p.v[1])          \
                 : "memory");                                                  \
    CommitBulk();                                                              \
    WaitBulk();                                                                \
  }

TMA_REDUCE_KERNEL(add)
TMA_REDUCE_KERNEL(min)
TMA_REDUCE_KERNEL(max)
TMA_REDUCE_KERNEL(inc)
TMA_REDUCE_KERNEL(dec)
TMA_REDUCE_KERNEL(and)
TMA_REDUCE_KERNEL(or)
TMA_REDUCE_KERNEL(xor)

}  // namespace tiletune::micro
