// Clusters: ranks, distributed shared memory, barriers, remote stores.
#include "testing/emulator/hardware/kernels/micro.cuh"

namespace tiletune::micro {
namespace {

template <typename Log>
__device__ void SpecialRegisters(Log log) {
  uint32_t r;
#define SHOW(name)                                   \
  asm volatile("mov.u32 %0, %%" name ";" : "=r"(r)); \
  log(r)
  SHOW("cluster_ctarank");
  SHOW("cluster_nctarank");
  SHOW("cluster_ctaid.x");
  SHOW("cluster_ctaid.y");
  SHOW("cluster_ctaid.z");
  SHOW("cluster_nctaid.x");
  SHOW("cluster_nctaid.y");
  SHOW("cluster_nctaid.z");
  SHOW("clusterid.x");
  SHOW("clusterid.y");
  SHOW("clusterid.z");
  SHOW("nclusterid.x");
  SHOW("nclusterid.y");
  SHOW("nclusterid.z");
  SHOW("ctaid.x");
  SHOW("ctaid.y");
  SHOW("ctaid.z");
  SHOW("nctaid.x");
  SHOW("nctaid.y");
  SHOW("nctaid.z");
#undef SHOW
}

}  // namespace

MICRO_KERNEL(cluster_registers) {
  if (threadIdx.x != 0) return;
  const uint32_t cta =
      blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  uint32_t* to = Words(out) + cta * 20;
  SpecialRegisters([&](uint32_t value) { *to++ = value; });
}

// Every thread reads each CTA's shared memory, through both address forms.
MICRO_KERNEL(cluster_read_all) {
  __shared__ uint32_t mine[32];
  const uint32_t rank = ClusterRank();
  mine[threadIdx.x] = Words(in)[rank * 32 + threadIdx.x];
  ClusterSync();
  for (uint32_t other = 0; other < 4; ++other) {
    uint32_t value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];"
                 : "=r"(value)
                 : "r"(MapToRank(Shared(&mine[31 - threadIdx.x]), other))
                 : "memory");
    uint64_t generic;
    asm volatile("mapa.u64 %0, %1, %2;"
                 : "=l"(generic)
                 : "l"(&mine[threadIdx.x]), "r"(other));
    uint32_t owner;
    asm volatile("getctarank.u64 %0, %1;" : "=r"(owner) : "l"(generic));
    uint32_t again;
    asm volatile("ld.u32 %0, [%1];" : "=r"(again) : "l"(generic) : "memory");
    uint32_t shared_owner;
    asm volatile("getctarank.shared::cluster.u32 %0, %1;"
                 : "=r"(shared_owner)
                 : "r"(MapToRank(Shared(mine), other)));
    uint32_t* to =
        Words(out) + ((blockIdx.x * 4 + other) * 32 + threadIdx.x) * 4;
    to[0] = value;
    to[1] = owner;
    to[2] = again;
    to[3] = shared_owner;
  }
  ClusterSync();
}

// Stores and atomics into the neighbour, split barrier phases.
MICRO_KERNEL(cluster_write_neighbour) {
  __shared__ uint32_t mine[64];
  __shared__ uint32_t sum;
  mine[threadIdx.x] = 0;
  if (threadIdx.x == 0) sum = 7;
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  const uint32_t other = (ClusterRank() + 1) % 4;
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(
                   MapToRank(Shared(&mine[threadIdx.x]), other)),
               "r"(Words(in)[blockIdx.x * 64 + threadIdx.x])
               : "memory");
  asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(
                   MapToRank(Shared(&sum), 0)),
               "r"(threadIdx.x)
               : "memory");
  ClusterSync();
  Words(out)[blockIdx.x * 65 + threadIdx.x] = mine[threadIdx.x];
  if (threadIdx.x == 0) Words(out)[blockIdx.x * 65 + 64] = sum;
}

// isspacep for local, shared, remote shared and global generic addresses.
MICRO_KERNEL(cluster_spaces) {
  __shared__ uint32_t mine[4];
  uint64_t remote;
  asm volatile("mapa.u64 %0, %1, %2;"
               : "=l"(remote)
               : "l"(&mine[0]), "r"(ClusterRank() ^ 1));
  const uint64_t addresses[3] = {reinterpret_cast<uint64_t>(&mine[0]), remote,
                                 reinterpret_cast<uint64_t>(out)};
  uint32_t* to = Words(out) + blockIdx.x * 16;
  for (int i = 0; i < 3; ++i) {
    uint32_t bits = 0;
    uint32_t one;
#define SPACE(space, shift)                        \
  asm volatile("{\n.reg .pred q;\nisspacep." space \
               " q, %1;\nselp.u32 %0, 1, 0, q;\n}" \
               : "=r"(one)                         \
               : "l"(addresses[i]));               \
  bits |= one << shift
    SPACE("global", 0);
    SPACE("shared::cta", 1);
    SPACE("shared::cluster", 2);
    SPACE("local", 3);
    SPACE("const", 4);
#undef SPACE
    if (threadIdx.x == 0) to[i] = bits;
  }
}

// st.async: a store into the neighbour that completes its barrier.
MICRO_KERNEL(cluster_store_async) {
  __shared__ alignas(16) uint32_t mine[32 * 4];
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) {
    BarrierInit(Shared(&barrier), 1);
    FenceBarrierInit();
  }
  ClusterSync();
  const uint32_t other = ClusterRank() ^ 1;
  if (threadIdx.x == 0) ArriveExpect(Shared(&barrier), 32 * 16);
  const uint32_t* from = Words(in) + (blockIdx.x * 32 + threadIdx.x) * 4;
  asm volatile(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32"
      " [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
          MapToRank(Shared(&mine[threadIdx.x * 4]), other)),
      "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3]),
      "r"(MapToRank(Shared(&barrier), other))
      : "memory");
  WaitParity(Shared(&barrier), 0);
  ClusterSync();
  for (int i = 0; i < 4; ++i) {
    Words(out)[(blockIdx.x * 32 + threadIdx.x) * 4 + i] =
        mine[threadIdx.x * 4 + i];
  }
}

}  // namespace tiletune::micro
