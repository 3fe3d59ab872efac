// mbarrier: arrivals and asynchronous bytes counted in shared memory.
//
// Use it for every producer/consumer ring (TMA stages, accumulators, tiles).
// A barrier is a uint64_t in shared memory. Waits name the parity of the phase
// they wait for: a fresh barrier is in phase 0, so wait(0) blocks and wait(1)
// returns at once. Device code only, sm_90 or later.
//
//   if (threadIdx.x == 0) ptx::mbarrier_init(&full, 1);
//   ptx::fence_mbarrier_init_release_cluster();  // then a CTA/cluster barrier
//   ptx::mbarrier_arrive_expect_tx(&full, kBytes);  // producer, then TMA
//   ptx::mbarrier_wait_parity(&full, phase);        // consumer
//   phase ^= 1;
#ifndef TILETUNE_KERNELS_PTX_MBARRIER_H_
#define TILETUNE_KERNELS_PTX_MBARRIER_H_

#include <cstdint>

#include "kernels/ptx/cluster.h"

namespace tiletune::ptx {

// Makes `*barrier` a barrier of `count` arrivals per phase (1..2^20-1).
// PTX ISA 9.7.13.15.9.
__device__ __forceinline__ void mbarrier_init(uint64_t* barrier,
                                              uint32_t count) {
  asm volatile(
      "mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(cvta_to_shared(barrier)),
      "r"(count)
      : "memory");
}

// Ends the life of a barrier so that its memory can be used for something
// else. PTX ISA 9.7.13.15.10.
__device__ __forceinline__ void mbarrier_inval(uint64_t* barrier) {
  asm volatile(
      "mbarrier.inval.shared::cta.b64 [%0];" ::"r"(cvta_to_shared(barrier))
      : "memory");
}

// Adds `bytes` to what the current phase waits for. PTX ISA 9.7.13.15.11.
__device__ __forceinline__ void mbarrier_expect_tx(uint64_t* barrier,
                                                   uint32_t bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(
                   cvta_to_shared(barrier)),
               "r"(bytes)
               : "memory");
}

// `count` arrivals on a barrier of this CTA, release at CTA scope.
// PTX ISA 9.7.13.15.13.
__device__ __forceinline__ void mbarrier_arrive(uint64_t* barrier,
                                                uint32_t count = 1) {
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(
                   cvta_to_shared(barrier)),
               "r"(count)
               : "memory");
}

// One arrival that also expects `bytes` more, on a barrier of this CTA.
// PTX ISA 9.7.13.15.13.
__device__ __forceinline__ void mbarrier_arrive_expect_tx(uint64_t* barrier,
                                                          uint32_t bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], "
      "%1;" ::"r"(cvta_to_shared(barrier)),
      "r"(bytes)
      : "memory");
}

// `count` arrivals on a barrier anywhere in the cluster (an address from
// mapa_shared_cluster), release at cluster scope. PTX ISA 9.7.13.15.13.
__device__ __forceinline__ void mbarrier_arrive_release_cluster(
    uint32_t cluster_address, uint32_t count = 1) {
  asm volatile(
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(
          cluster_address),
      "r"(count)
      : "memory");
}

// One arrival on a barrier anywhere in the cluster, release at CTA scope only:
// for memory whose readers (wgmma, TMA, tcgen05.ld) are known to be done. A
// release at cluster scope flushes to the L2 first. PTX ISA 9.7.13.15.13.
__device__ __forceinline__ void mbarrier_arrive_shared_cluster(
    uint32_t cluster_address) {
  asm volatile("mbarrier.arrive.release.cta.shared::cluster.b64 _, [%0];" ::"r"(
                   cluster_address)
               : "memory");
}

// One arrival that also expects `bytes` more, on a barrier anywhere in the
// cluster, release at cluster scope. PTX ISA 9.7.13.15.13.
__device__ __forceinline__ void mbarrier_arrive_expect_tx_release_cluster(
    uint32_t cluster_address, uint32_t bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], "
      "%1;" ::"r"(cluster_address),
      "r"(bytes)
      : "memory");
}

// True once the phase of `parity` is complete; may return false early, so
// loop. Acquire at CTA scope. PTX ISA 9.7.13.15.16.
__device__ __forceinline__ bool mbarrier_try_wait_parity(uint64_t* barrier,
                                                         uint32_t parity) {
  uint32_t complete;
  asm volatile(
      "{\n"
      ".reg .pred complete%=;\n"
      "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 complete%=, [%1], "
      "%2;\n"
      "selp.u32 %0, 1, 0, complete%=;\n"
      "}\n"
      : "=r"(complete)
      : "r"(cvta_to_shared(barrier)), "r"(parity)
      : "memory");
  return complete != 0;
}

// The same, acquire at cluster scope: for data released by peer CTAs.
// PTX ISA 9.7.13.15.16.
__device__ __forceinline__ bool mbarrier_try_wait_parity_cluster(
    uint64_t* barrier, uint32_t parity) {
  uint32_t complete;
  asm volatile(
      "{\n"
      ".reg .pred complete%=;\n"
      "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 complete%=, "
      "[%1], "
      "%2;\n"
      "selp.u32 %0, 1, 0, complete%=;\n"
      "}\n"
      : "=r"(complete)
      : "r"(cvta_to_shared(barrier)), "r"(parity)
      : "memory");
  return complete != 0;
}

// A wait in a loop of PTX, which static verifiers can read, or of C++. On sm_90
// it must be of C++: ptxas takes the other for a divergence and serializes
// the wgmma around it (C7518).
#if __CUDA_ARCH__ >= 1000
#define TILETUNE_MBARRIER_WAIT(SCOPE, barrier, parity) \
  asm volatile(                                        \
      "{\n"                                            \
      ".reg .pred complete%=;\n"                       \
      "wait%=:\n"                                      \
      "mbarrier.try_wait.parity.acquire." SCOPE        \
      ".shared::cta.b64 complete%=, [%0], %1;\n"       \
      "@!complete%= bra wait%=;\n"                     \
      "}\n" ::"r"(cvta_to_shared(barrier)),            \
      "r"(parity)                                      \
      : "memory")
#endif

// Returns when the phase of `parity` is complete (acquire at CTA scope).
__device__ __forceinline__ void mbarrier_wait_parity(uint64_t* barrier,
                                                     uint32_t parity) {
#if __CUDA_ARCH__ >= 1000
  TILETUNE_MBARRIER_WAIT("cta", barrier, parity);
#else
  while (!mbarrier_try_wait_parity(barrier, parity)) {
  }
#endif
}

// Returns when the phase of `parity` is complete (acquire at cluster scope).
__device__ __forceinline__ void mbarrier_wait_parity_cluster(uint64_t* barrier,
                                                             uint32_t parity) {
#if __CUDA_ARCH__ >= 1000
  TILETUNE_MBARRIER_WAIT("cluster", barrier, parity);
#else
  while (!mbarrier_try_wait_parity_cluster(barrier, parity)) {
  }
#endif
}

#undef TILETUNE_MBARRIER_WAIT

}  // namespace tiletune::ptx

#endif  // TILETUNE_KERNELS_PTX_MBARRIER_H_
