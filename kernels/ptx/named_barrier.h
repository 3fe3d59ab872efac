// barrier.cta: barriers among some of the warps of a CTA.
//
// Use it to synchronize one warpgroup while the others run on. Barrier 0 is
// __syncthreads(); 1..15 are free. `threads` is a multiple of 32 and counts
// every thread that takes part. Device code only.
//
//   ptx::barrier_cta_sync(1 + warpgroup, 128);
//   bool any = ptx::barrier_cta_red_or(1 + warpgroup, 128, mine);
#ifndef TILETUNE_KERNELS_PTX_NAMED_BARRIER_H_
#define TILETUNE_KERNELS_PTX_NAMED_BARRIER_H_

#include <cstdint>

namespace tiletune::ptx {

// Waits for the others, and makes their writes visible. PTX ISA 9.7.13.1.
__device__ __forceinline__ void barrier_cta_sync(uint32_t id,
                                                 uint32_t threads) {
  asm volatile("barrier.cta.sync.aligned %0, %1;" ::"r"(id), "r"(threads)
               : "memory");
}

// The same; returns whether any of the threads gave true. PTX ISA 9.7.13.1.
__device__ __forceinline__ bool barrier_cta_red_or(uint32_t id,
                                                   uint32_t threads,
                                                   bool value) {
  uint32_t any;
  asm volatile(
      "{\n"
      ".reg .pred p, q;\n"
      "setp.ne.u32 p, %3, 0;\n"
      "barrier.cta.red.or.pred.aligned q, %1, %2, p;\n"
      "selp.u32 %0, 1, 0, q;\n"
      "}\n"
      : "=r"(any)
      : "r"(id), "r"(threads), "r"(static_cast<uint32_t>(value))
      : "memory");
  return any != 0;
}

}  // namespace tiletune::ptx

#endif  // TILETUNE_KERNELS_PTX_NAMED_BARRIER_H_
