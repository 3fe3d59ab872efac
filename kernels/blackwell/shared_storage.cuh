// SharedStorage: all shared memory of a Blackwell kernel, and the place of one
// thread in a ring of barriers.
//
// Use it as the type of the kernel's dynamic shared memory; roles take it by
// reference. It lies at the same offset in every CTA of a cluster.
//
//   SharedStorage<Shape, Supply>& storage = ...;
//   RingPlace<Shape::kStages> at(kFirstFilled);
//   ptx::mbarrier_wait_parity(&storage.stage_full[at.slot], at.parity);
//   at.Advance();
#ifndef TILETUNE_KERNELS_BLACKWELL_SHARED_STORAGE_CUH_
#define TILETUNE_KERNELS_BLACKWELL_SHARED_STORAGE_CUH_

#include <cstdint>

#include "kernels/blackwell/kernel_shape.h"

namespace tiletune::blackwell {

template <class Shape, class Supply>
struct alignas(1024) SharedStorage {
  // Operand tiles; every one starts on a swizzle pattern (1024 bytes).
  uint8_t a[Shape::kStages][Shape::A::kBytes];
  uint8_t b[Shape::kStages][Shape::B::kBytes];
  // Where epilogue warps lay out D for TMA stores.
  uint8_t
      d[Shape::kStoreBuffers ? kEpilogueWarps : 1]
       [Shape::kStoreBuffers ? Shape::kStoreBuffers * Shape::kStoreBufferBytes
                             : 16];

  // Waits for these acquire at CTA scope even where other CTAs signal. What
  // they signal is the end of asynchronous operations, whose signals release
  // at cluster scope (complete_tx: PTX ISA 9.7.9.25.5.2; commit: 9.7.16.12.1)
  // and which tcgen05 instructions follow by their own fences (9.7.16.6.4). No
  // ordinary load reads what another CTA wrote: an acquire at cluster scope
  // would add nothing but an invalidation of the L1 for every stage.

  // Stages of A and B: filled by TMA, freed by commits of the MMA.
  uint64_t stage_full[Shape::kStages];
  uint64_t stage_empty[Shape::kStages];
  // Accumulators in tensor memory: filled by the MMA, freed by the epilogue.
  uint64_t accumulator_full[Shape::kAccumulators];
  uint64_t accumulator_empty[Shape::kAccumulators];

  typename Supply::SharedStorage supply;
  uint32_t tmem_address;  // written by tcgen05.alloc
};

// The parity that the first wait in a ring is for. A consumer waits for phase
// 0 to end; a producer for the phase before it, which every fresh barrier
// takes as ended (PTX ISA 9.7.13.15.16).
enum FirstParity : uint32_t { kFirstFilled = 0, kFirstFree = 1 };

// One thread's place in a ring of kSlots barriers. It lives as long as the
// thread and is never reset for a new tile.
template <int kSlots>
struct RingPlace {
  uint32_t slot = 0;
  uint32_t parity;  // what to wait for at this slot

  __device__ __forceinline__ explicit RingPlace(FirstParity first)
      : parity(first) {}

  __device__ __forceinline__ void Advance() {
    if (++slot == kSlots) {
      slot = 0;
      parity ^= 1;
    }
  }
};

// Where this CTA sits in its cluster.
template <class Shape>
struct ClusterPlace {
  uint32_t rank;
  uint32_t m_rank;
  uint32_t n_rank;
  uint32_t leader;  // rank of the CTA that issues the MMA of this one

  __device__ __forceinline__ explicit ClusterPlace(uint32_t rank_in_cluster)
      : rank(rank_in_cluster),
        m_rank(rank_in_cluster % Shape::kClusterM),
        n_rank(rank_in_cluster / Shape::kClusterM),
        leader(Shape::kCtaGroup == 2 ? rank_in_cluster & ~1u
                                     : rank_in_cluster) {}

  __device__ __forceinline__ bool is_leader() const { return leader == rank; }
};

}  // namespace tiletune::blackwell

#endif  // TILETUNE_KERNELS_BLACKWELL_SHARED_STORAGE_CUH_
