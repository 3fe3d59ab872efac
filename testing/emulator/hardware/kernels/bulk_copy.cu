// Bulk copies and bulk reductions of plain byte ranges.
//
// v[0]: bytes; v[1]: source offset; v[2]: destination offset; v[3]: CTA mask.
#include "testing/emulator/hardware/kernels/micro.cuh"

namespace tiletune::micro {
namespace {

constexpr int kBuffer = 4096;

__device__ void LoadBulk(uint32_t to, const uint8_t* from, uint32_t bytes,
                         uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1], %2, [%3];" ::"r"(to),
      "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
}

__device__ void Prepare(uint8_t* buffer, uint64_t* barrier) {
  FillWords(Words(buffer), 0xCDCDCDCD, kBuffer / 4);
  if (threadIdx.x == 0) {
    BarrierInit(Shared(barrier), 1);
    FenceBarrierInit();
  }
  FenceProxyAsync();
}

}  // namespace

MICRO_KERNEL(bulk_load) {
  __shared__ alignas(128) uint8_t buffer[kBuffer];
  __shared__ uint64_t barrier;
  Prepare(buffer, &barrier);
  __syncthreads();
  if (threadIdx.x == 0) {
    ArriveExpect(Shared(&barrier), p.v[0]);
    LoadBulk(Shared(buffer) + p.v[2], in + p.v[1], p.v[0], Shared(&barrier));
  }
  WaitParity(Shared(&barrier), 0);
  CopyWords(Words(out), Words(buffer), kBuffer / 4);
}

MICRO_KERNEL(bulk_store) {
  __shared__ alignas(128) uint8_t buffer[kBuffer];
  CopyWords(Words(buffer), Words(in), kBuffer / 4);
  FenceProxyAsync();
  __syncthreads();
  if (threadIdx.x != 0) return;
  asm volatile(
      "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
          out + p.v[2]),
      "r"(Shared(buffer) + p.v[1]), "r"(p.v[0])
      : "memory");
  CommitBulk();
  WaitBulk();
}

MICRO_KERNEL(bulk_multicast) {
  __shared__ alignas(128) uint8_t buffer[kBuffer];
  __shared__ uint64_t barrier;
  Prepare(buffer, &barrier);
  ClusterSync();
  const uint32_t rank = ClusterRank();
  const bool receives = (p.v[3] >> rank & 1) != 0;
  if (threadIdx.x == 0 && receives) ArriveExpect(Shared(&barrier), p.v[0]);
  if (threadIdx.x == 0 && rank == 1) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
        ".multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(Shared(buffer) +
                                                              p.v[2]),
        "l"(in + p.v[1]), "r"(p.v[0]), "r"(Shared(&barrier)),
        "h"(static_cast<uint16_t>(p.v[3]))
        : "memory");
  }
  if (receives) WaitParity(Shared(&barrier), 0);
  ClusterSync();
  CopyWords(Words(out + blockIdx.x * kBuffer), Words(buffer), kBuffer / 4);
}

// Every CTA copies from its own shared memory into its neighbour's.
MICRO_KERNEL(bulk_to_neighbour) {
  __shared__ alignas(128) uint8_t source[2048];
  __shared__ alignas(128) uint8_t buffer[kBuffer];
  __shared__ uint64_t barrier;
  Prepare(buffer, &barrier);
  CopyWords(Words(source), Words(in + blockIdx.x * 2048), 512);
  FenceProxyAsync();
  ClusterSync();
  const uint32_t other = (ClusterRank() + 1) % 4;
  if (threadIdx.x == 0) {
    ArriveExpect(Shared(&barrier), p.v[0]);
    asm volatile(
        "cp.async.bulk.shared::cluster.shared::cta"
        ".mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            MapToRank(Shared(buffer) + p.v[2], other)),
        "r"(Shared(source) + p.v[1]), "r"(p.v[0]),
        "r"(MapToRank(Shared(&barrier), other))
        : "memory");
  }
  WaitParity(Shared(&barrier), 0);
  ClusterSync();
  CopyWords(Words(out + blockIdx.x * kBuffer), Words(buffer), kBuffer / 4);
}

// Groups complete in order: each store of a chain is waited for in turn.
MICRO_KERNEL(bulk_store_groups) {
  __shared__ alignas(128) uint8_t buffer[kBuffer];
  CopyWords(Words(buffer), Words(in), kBuffer / 4);
  FenceProxyAsync();
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 0; i < 4; ++i) {
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;" ::"l"(
            out + i * 1024),
        "r"(Shared(buffer) + i * 512)
        : "memory");
    CommitBulk();
  }
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  FillWords(Words(buffer), 0, 1);
  asm volatile("cp.async.bulk.wait_group 1;" ::: "memory");
  WaitBulk();
}

}  // namespace tiletune::micro
