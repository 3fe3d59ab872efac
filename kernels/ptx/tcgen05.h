// tcgen05: the 5th generation tensor core of Blackwell and its tensor memory.
//
// Use it with the descriptors of umma_descriptor.h. Tensor memory (TMEM) has
// 128 lanes x 512 columns of 32 bits per CTA; an address holds the lane in bits
// 31-16 and the column in bits 15-0. All instructions of one kernel must use
// the same kCtaGroup. Device code only, sm_100f and sm_100a. PTX ISA 9.7.16.
//
//   ptx::tcgen05_mma<1, 16>(accumulator, a, b, instruction, k > 0);
//   ptx::tcgen05_commit(&full);               // the same thread
//   ptx::mbarrier_wait_parity(&full, phase);  // four whole warps, from here on
//   ptx::tcgen05_fence_after_thread_sync();
//   ptx::tcgen05_ld_32x32b_x16(accumulator, values);
//   ptx::tcgen05_wait_ld(values);
#ifndef TILETUNE_KERNELS_PTX_TCGEN05_H_
#define TILETUNE_KERNELS_PTX_TCGEN05_H_

#include <cstdint>

#include "kernels/ptx/cluster.h"

namespace tiletune::ptx {

// Allocates `columns` (a power of two, 32 to 512) and writes their address to
// `*address` in shared memory. One whole warp; with kCtaGroup 2 a warp of both
// CTAs of the pair, both running. May block. PTX ISA 9.7.16.7.1.
template <int kCtaGroup>
__device__ __forceinline__ void tcgen05_alloc(uint32_t* address,
                                              uint32_t columns) {
  if constexpr (kCtaGroup == 1) {
    asm volatile(
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], "
        "%1;" ::"r"(cvta_to_shared(address)),
        "r"(columns)
        : "memory");
  } else {
    asm volatile(
        "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], "
        "%1;" ::"r"(cvta_to_shared(address)),
        "r"(columns)
        : "memory");
  }
}

// Frees what tcgen05_alloc gave; every allocation needs it before exit. The
// accesses of both CTAs of a pair must be over. PTX ISA 9.7.16.7.1.
template <int kCtaGroup>
__device__ __forceinline__ void tcgen05_dealloc(uint32_t address,
                                                uint32_t columns) {
  if constexpr (kCtaGroup == 1) {
    asm volatile(
        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(address),
        "r"(columns)
        : "memory");
  } else {
    asm volatile(
        "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(address),
        "r"(columns)
        : "memory");
  }
}

// Promises that this CTA allocates no more, so that the next CTA on the SM may.
// One whole warp (per CTA of the pair). PTX ISA 9.7.16.7.1.
template <int kCtaGroup>
__device__ __forceinline__ void tcgen05_relinquish_alloc_permit() {
  if constexpr (kCtaGroup == 1) {
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::
                     : "memory");
  } else {
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;" ::
                     : "memory");
  }
}

// Issues D = A x B (+ D if `accumulate`), D in TMEM at `d`, A and B in shared
// memory. kOperandBits 16 is kind::f16 (K = 16), 8 is kind::f8f6f4 (K = 32).
// One thread; the even CTA's of the pair if kCtaGroup is 2. Asynchronous:
// completion is seen through tcgen05_commit. PTX ISA 9.7.16.10.9.1.
template <int kCtaGroup, int kOperandBits>
__device__ __forceinline__ void tcgen05_mma(uint32_t d, uint64_t a_descriptor,
                                            uint64_t b_descriptor,
                                            uint32_t instruction_descriptor,
                                            bool accumulate) {
  static_assert(kOperandBits == 16 || kOperandBits == 8, "Not built.");
#define TILETUNE_TCGEN05_MMA(QUALIFIERS)                                 \
  asm volatile(                                                          \
      "{\n"                                                              \
      ".reg .pred adds%=;\n"                                             \
      "setp.ne.b32 adds%=, %4, 0;\n"                                     \
      "tcgen05.mma." QUALIFIERS                                          \
      " [%0], %1, %2, %3, adds%=;\n"                                     \
      "}\n" ::"r"(d),                                                    \
      "l"(a_descriptor), "l"(b_descriptor), "r"(instruction_descriptor), \
      "r"(static_cast<uint32_t>(accumulate))                             \
      : "memory")
  if constexpr (kCtaGroup == 1 && kOperandBits == 16) {
    TILETUNE_TCGEN05_MMA("cta_group::1.kind::f16");
  } else if constexpr (kCtaGroup == 1) {
    TILETUNE_TCGEN05_MMA("cta_group::1.kind::f8f6f4");
  } else if constexpr (kOperandBits == 16) {
    TILETUNE_TCGEN05_MMA("cta_group::2.kind::f16");
  } else {
    TILETUNE_TCGEN05_MMA("cta_group::2.kind::f8f6f4");
  }
#undef TILETUNE_TCGEN05_MMA
}

// One arrival on `barrier`, of this CTA, once all MMAs that this thread has
// issued are complete. Orders like fence::before_thread_sync. One thread.
// PTX ISA 9.7.16.12.1.
__device__ __forceinline__ void tcgen05_commit(uint64_t* barrier) {
  asm volatile(
      "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
      "[%0];" ::"r"(cvta_to_shared(barrier))
      : "memory");
}

// The same, at this shared-memory offset in every CTA of `cta_mask` (bit r:
// the CTA of rank r). PTX ISA 9.7.16.12.1.
template <int kCtaGroup>
__device__ __forceinline__ void tcgen05_commit_multicast(uint64_t* barrier,
                                                         uint16_t cta_mask) {
  if constexpr (kCtaGroup == 1) {
    asm volatile(
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster"
        ".multicast::cluster.b64 [%0], %1;" ::"r"(cvta_to_shared(barrier)),
        "h"(cta_mask)
        : "memory");
  } else {
    asm volatile(
        "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster"
        ".multicast::cluster.b64 [%0], %1;" ::"r"(cvta_to_shared(barrier)),
        "h"(cta_mask)
        : "memory");
  }
}

// Orders this thread's earlier tcgen05 operations before what it signals next.
// PTX ISA 9.7.16.11.1.
__device__ __forceinline__ void tcgen05_fence_before_thread_sync() {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}

// Orders this thread's later tcgen05 operations after what it has waited for.
// PTX ISA 9.7.16.11.1.
__device__ __forceinline__ void tcgen05_fence_after_thread_sync() {
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

// Loads 16 columns of the warp's 32 lanes: lane t gets row t. The lane field
// of `address` is 32 x (warp % 4). values[] may be used, and the columns
// overwritten, only after tcgen05_wait_ld(values). PTX ISA 9.7.16.8.3.
__device__ __forceinline__ void tcgen05_ld_32x32b_x16(uint32_t address,
                                                      uint32_t (&values)[16]) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x16.b32 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, "
      "%15}, [%16];"
      : "=r"(values[0]), "=r"(values[1]), "=r"(values[2]), "=r"(values[3]),
        "=r"(values[4]), "=r"(values[5]), "=r"(values[6]), "=r"(values[7]),
        "=r"(values[8]), "=r"(values[9]), "=r"(values[10]), "=r"(values[11]),
        "=r"(values[12]), "=r"(values[13]), "=r"(values[14]), "=r"(values[15])
      : "r"(address)
      : "memory");
}

// Loads 16 columns of 16 lanes twice: lane t < 16 gets row t from `address`,
// lane t >= 16 row t - 16 from kSplitColumns further on. PTX ISA 9.7.16.8.3,
// shape .16x32bx2.
template <int kSplitColumns>
__device__ __forceinline__ void tcgen05_ld_16x32bx2_x16(
    uint32_t address, uint32_t (&values)[16]) {
  asm volatile(
      "tcgen05.ld.sync.aligned.16x32bx2.x16.b32 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, "
      "%15}, [%16], %17;"
      : "=r"(values[0]), "=r"(values[1]), "=r"(values[2]), "=r"(values[3]),
        "=r"(values[4]), "=r"(values[5]), "=r"(values[6]), "=r"(values[7]),
        "=r"(values[8]), "=r"(values[9]), "=r"(values[10]), "=r"(values[11]),
        "=r"(values[12]), "=r"(values[13]), "=r"(values[14]), "=r"(values[15])
      : "r"(address), "n"(kSplitColumns)
      : "memory");
}

// Waits for all tcgen05.ld of this warp. Takes the loaded registers, so that
// the compiler cannot move their use above the wait. PTX ISA 9.7.16.8.5.
__device__ __forceinline__ void tcgen05_wait_ld(uint32_t (&values)[16]) {
  asm volatile("tcgen05.wait::ld.sync.aligned;"
               : "+r"(values[0]), "+r"(values[1]), "+r"(values[2]),
                 "+r"(values[3]), "+r"(values[4]), "+r"(values[5]),
                 "+r"(values[6]), "+r"(values[7]), "+r"(values[8]),
                 "+r"(values[9]), "+r"(values[10]), "+r"(values[11]),
                 "+r"(values[12]), "+r"(values[13]), "+r"(values[14]),
                 "+r"(values[15])::"memory");
}

}  // namespace tiletune::ptx

#endif  // TILETUNE_KERNELS_PTX_TCGEN05_H_
