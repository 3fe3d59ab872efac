// cp.reduce.async.bulk: shared memory into `out`, and into another CTA.
//
// v[0]: bytes.
#include "testing/emulator/hardware/kernels/micro.cuh"

namespace tiletune::micro {

#define BULK_REDUCE_KERNEL(name, op, type)                                \
  MICRO_KERNEL(bulk_reduce_##name) {                                      \
    __shared__ alignas(128) uint8_t buffer[4096];                         \
    CopyWords(Words(buffer), Words(in), 1024);                            \
    FenceProxyAsync();                                                    \
    __syncthreads();                                                      \
    if (threadIdx.x != 0) return;                                         \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." op \
                 "." type " [%0], [%1], %2;" ::"l"(out),                  \
                 "r"(Shared(buffer)), "r"(p.v[0])                         \
                 : "memory");                                             \
    CommitBulk();                                                         \
    WaitBulk();                                                           \
  }

BULK_REDUCE_KERNEL(add_u32, "add", "u32")
BULK_REDUCE_KERNEL(add_s32, "add", "s32")
BULK_REDUCE_KERNEL(add_u64, "add", "u64")
BULK_REDUCE_KERNEL(add_f32, "add", "f32")
BULK_REDUCE_KERNEL(add_f64, "add", "f64")
BULK_REDUCE_KERNEL(add_f16, "add.noftz", "f16")
BULK_REDUCE_KERNEL(add_bf16, "add.noftz", "bf16")
BULK_REDUCE_KERNEL(min_u32, "min", "u32")
BULK_REDUCE_KERNEL(min_s32, "min", "s32")
BULK_REDUCE_KERNEL(min_u64, "min", "u64")
BULK_REDUCE_KERNEL(min_s64, "min", "s64")
BULK_REDUCE_KERNEL(min_f16, "min", "f16")
BULK_REDUCE_KERNEL(min_bf16, "min", "bf16")
BULK_REDUCE_KERNEL(max_u32, "max", "u32")
BULK_REDUCE_KERNEL(max_s32, "max", "s32")
BULK_REDUCE_KERNEL(max_u64, "max", "u64")
BULK_REDUCE_KERNEL(max_s64, "max", "s64")
BULK_REDUCE_KERNEL(max_f16, "max", "f16")
BULK_REDUCE_KERNEL(max_bf16, "max", "bf16")
BULK_REDUCE_KERNEL(inc_u32, "inc", "u32")
BULK_REDUCE_KERNEL(dec_u32, "dec", "u32")
BULK_REDUCE_KERNEL(and_b32, "and", "b32")
BULK_REDUCE_KERNEL(or_b32, "or", "b32")
BULK_REDUCE_KERNEL(xor_b32, "xor", "b32")
BULK_REDUCE_KERNEL(and_b64, "and", "b64")
BULK_REDUCE_KERNEL(or_b64, "or", "b64")
BULK_REDUCE_KERNEL(xor_b64, "xor", "b64")

// Each CTA reduces its own bytes into its neighbour's shared memory.
#define BULK_REDUCE_CLUSTER_KERNEL(name, op, type)                          \
  MICRO_KERNEL(bulk_reduce_cluster_##name) {                                \
    __shared__ alignas(128) uint8_t source[1024];                           \
    __shared__ alignas(128) uint8_t buffer[1024];                           \
    __shared__ uint64_t barrier;                                            \
    CopyWords(Words(source), Words(in + blockIdx.x * 1024), 256);           \
    CopyWords(Words(buffer), Words(in + 4096 + blockIdx.x * 1024), 256);    \
    if (threadIdx.x == 0) {                                                 \
      BarrierInit(Shared(&barrier), 1);                                     \
      FenceBarrierInit();                                                   \
    }                                                                       \
    FenceProxyAsync();                                                      \
    ClusterSync();                                                          \
    const uint32_t other = ClusterRank() ^ 1;                               \
    if (threadIdx.x == 0) {                                                 \
      ArriveExpect(Shared(&barrier), p.v[0]);                               \
      asm volatile(                                                         \
          "cp.reduce.async.bulk.shared::cluster.shared::cta"                \
          ".mbarrier::complete_tx::bytes." op "." type                      \
          " [%0], [%1], %2, [%3];" ::"r"(MapToRank(Shared(buffer), other)), \
          "r"(Shared(source)), "r"(p.v[0]),                                 \
          "r"(MapToRank(Shared(&barrier), other))                           \
          : "memory");                                                      \
    }                                                                       \
    WaitParity(Shared(&barrier), 0);                                        \
    ClusterSync();                                                          \
    CopyWords(Words(out + blockIdx.x * 1024), Words(buffer), 256);          \
  }

BULK_REDUCE_CLUSTER_KERNEL(add_u32, "add", "u32")
BULK_REDUCE_CLUSTER_KERNEL(add_s32, "add", "s32")
BULK_REDUCE_CLUSTER_KERNEL(add_u64, "add", "u64")
BULK_REDUCE_CLUSTER_KERNEL(min_u32, "min", "u32")
BULK_REDUCE_CLUSTER_KERNEL(max_s32, "max", "s32")
BULK_REDUCE_CLUSTER_KERNEL(inc_u32, "inc", "u32")
BULK_REDUCE_CLUSTER_KERNEL(dec_u32, "dec", "u32")
BULK_REDUCE_CLUSTER_KERNEL(and_b32, "and", "b32")
BULK_REDUCE_CLUSTER_KERNEL(or_b32, "or", "b32")
BULK_REDUCE_CLUSTER_KERNEL(xor_b32, "xor", "b32")

}  // namespace tiletune::micro
