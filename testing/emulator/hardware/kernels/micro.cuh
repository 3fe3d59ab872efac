// What every micro-kernel has: its parameters, and the few instructions that
// nearly all of them need.
//
// Use it in one .cu file a theme. A kernel writes all that it observes to
// `out`, from `in` and `p` alone, so that two machines can be compared byte by
// byte.
//
//   MICRO_KERNEL(lane_numbers) {
//     Words(out)[threadIdx.x] = Words(in)[threadIdx.x] + p.v[0];
//   }
#ifndef TILETUNE_TESTING_EMULATOR_HARDWARE_KERNELS_MICRO_CUH_
#define TILETUNE_TESTING_EMULATOR_HARDWARE_KERNELS_MICRO_CUH_

#include <cuda.h>

#include <cstdint>

namespace tiletune::micro {

struct Maps {
  CUtensorMap map[2];
};

struct Params {
  int32_t v[16];
};

#define MICRO_KERNEL(name)                                  \
  extern "C" __global__ void name(                          \
      const __grid_constant__ ::tiletune::micro::Maps maps, \
      const __grid_constant__ ::tiletune::micro::Params p,  \
      const uint8_t* __restrict__ in, uint8_t* __restrict__ out)

__device__ __forceinline__ const uint32_t* Words(const uint8_t* bytes) {
  return reinterpret_cast<const uint32_t*>(bytes);
}
__device__ __forceinline__ uint32_t* Words(uint8_t* bytes) {
  return reinterpret_cast<uint32_t*>(bytes);
}

__device__ __forceinline__ uint32_t Shared(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// The same shared-memory offset in CTA `rank` of the cluster.
__device__ __forceinline__ uint32_t MapToRank(uint32_t address, uint32_t rank) {
  uint32_t mapped;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(mapped)
               : "r"(address), "r"(rank));
  return mapped;
}

__device__ __forceinline__ uint32_t ClusterRank() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

__device__ __forceinline__ void ClusterSync() {
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

__device__ __forceinline__ void FenceProxyAsync() {
  asm volatile("fence.proxy.async;" ::: "memory");
}

__device__ __forceinline__ void BarrierInit(uint32_t barrier, uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier),
               "r"(count)
               : "memory");
}

// Makes the initialisation visible to the asynchronous proxy and the cluster.
__device__ __forceinline__ void FenceBarrierInit() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async;" ::: "memory");
}

__device__ __forceinline__ void ArriveExpect(uint32_t barrier, uint32_t bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
      "r"(bytes)
      : "memory");
}

__device__ __forceinline__ uint32_t TestParity(uint32_t barrier,
                                               uint32_t parity) {
  uint32_t done;
  asm volatile(
      "{\n.reg .pred q;\n"
      "mbarrier.test_wait.parity.shared::cta.b64 q, [%1], %2;\n"
      "selp.u32 %0, 1, 0, q;\n}"
      : "=r"(done)
      : "r"(barrier), "r"(parity)
      : "memory");
  return done;
}

// True once the phase is complete; false after a few hundred suspended tries,
// so that a wrong expectation shows and does not hang.
__device__ __forceinline__ bool WaitParity(uint32_t barrier, uint32_t parity) {
  uint32_t done = 0;
  for (int tries = 0; tries < 256 && done == 0; ++tries) {
    asm volatile(
        "{\n.reg .pred q;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 q, [%1], %2;\n"
        "selp.u32 %0, 1, 0, q;\n}"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
  }
  return done != 0;
}

__device__ __forceinline__ void CommitBulk() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__device__ __forceinline__ void WaitBulk() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// All threads: `count` words of shared memory from `source`, or one value.
__device__ __forceinline__ void CopyWords(uint32_t* to, const uint32_t* from,
                                          int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) to[i] = from[i];
}
__device__ __forceinline__ void FillWords(uint32_t* to, uint32_t value,
                                          int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) to[i] = value;
}

}  // namespace tiletune::micro

#endif  // TILETUNE_TESTING_EMULATOR_HARDWARE_KERNELS_MICRO_CUH_
