// SupplyRing: the slots and barriers through which a cluster hears of its next
// tile. QueueSupply and ClcSupply stand on it; kernels do not use it directly.
//
//   SupplyRing<kDepth, kClusterSize> ring(storage);
//   RingCursor<kDepth> at;
//   ring.WaitFull(at);          // reader: the slot holds an answer
//   Read(ring.slot(at));        // one 128-bit load, all lanes
//   ring.Release(at);           // then at.Advance()
//
// The picture and the rules are in supply.h. Device code, sm_90 and later.
#ifndef TILETUNE_SCHEDULER_SUPPLY_RING_H_
#define TILETUNE_SCHEDULER_SUPPLY_RING_H_

#include <cstdint>

#include "kernels/ptx/cluster.h"
#include "kernels/ptx/elect.h"
#include "kernels/ptx/fence.h"
#include "kernels/ptx/mbarrier.h"

namespace tiletune {

// The size of one answer: what clusterlaunchcontrol.try_cancel writes.
inline constexpr uint32_t kSupplySlotBytes = 16;

// One thread's place in the ring: the slot, and the parity of the lap.
template <int kDepth>
struct RingCursor {
  uint32_t slot = 0;
  uint32_t parity = 0;

  __device__ __forceinline__ void Advance() {
    if (++slot == kDepth) {
      slot = 0;
      parity ^= 1;
    }
  }
};

// What the ring keeps in shared memory, at the same offset in every CTA.
template <int kDepth, class Slot>
struct SupplyRingStorage {
  static_assert(1 <= kDepth && kDepth <= 4, "The request depth is 1 to 4.");
  static_assert(sizeof(Slot) == kSupplySlotBytes && alignof(Slot) == 16,
                "A slot is one 128-bit load.");
  Slot slots[kDepth];
  uint64_t full[kDepth];   // One arrival (the arming, or the write).
  uint64_t empty[kDepth];  // Used in rank 0 only.
};

template <int kDepth, int kClusterSize, class Slot>
class SupplyRing {
 public:
  static_assert(1 <= kClusterSize && kClusterSize <= 16,
                "A cluster has 1 to 16 CTAs.");
  using Storage = SupplyRingStorage<kDepth, Slot>;
  using Cursor = RingCursor<kDepth>;

  __device__ __forceinline__ explicit SupplyRing(Storage& storage)
      : storage_(storage) {}

  // One thread of each CTA. `reading_warps` counts this CTA's warps alone.
  static __device__ __forceinline__ void Init(Storage& storage,
                                              uint32_t reading_warps) {
    for (int i = 0; i < kDepth; ++i) {
      ptx::mbarrier_init(&storage.full[i], 1);
      ptx::mbarrier_init(&storage.empty[i], reading_warps * kClusterSize);
    }
  }

  __device__ __forceinline__ Slot& slot(const Cursor& at) const {
    return storage_.slots[at.slot];
  }
  __device__ __forceinline__ uint64_t* full(const Cursor& at) const {
    return &storage_.full[at.slot];
  }

  // Waits for the answer in slot `at`. Any thread.
  __device__ __forceinline__ void WaitFull(const Cursor& at) const {
    Wait(full(at), at.parity);
  }

  // Says that slot `at` of the CTA of `rank` is written. The writing thread.
  __device__ __forceinline__ void Fill(const Cursor& at, uint32_t rank) const {
    Arrive(full(at), rank);
  }

  // Says that `bytes` will be written asynchronously to slot `at` of the CTA
  // of `rank`. One thread of the cluster.
  __device__ __forceinline__ void Arm(const Cursor& at, uint32_t rank,
                                      uint32_t bytes) const {
    if constexpr (kClusterSize == 1) {
      ptx::mbarrier_arrive_expect_tx(full(at), bytes);
    } else {
      ptx::mbarrier_arrive_expect_tx_release_cluster(InCta(full(at), rank),
                                                     bytes);
    }
  }

  // Says that this warp has read slot `at`. All 32 lanes, after the read.
  __device__ __forceinline__ void Release(const Cursor& at) const {
    // The next answer is written through the async proxy (clc).
    ptx::fence_proxy_async_shared_cta();
    __syncwarp();
    if (ptx::elect_sync()) Arrive(&storage_.empty[at.slot], /*rank=*/0);
    __syncwarp();
  }

  // Waits until every reading warp of the cluster has read what slot `at` held
  // one lap ago; returns at once on the first lap. Rank 0 only.
  __device__ __forceinline__ void WaitEmpty(const Cursor& at) const {
    Wait(&storage_.empty[at.slot], at.parity ^ 1);
    ptx::fence_proxy_async_shared_cluster();
  }

  // Waits until every slot has been read: the last lap of rank 0's producer,
  // whose next slot is `at`.
  __device__ __forceinline__ void Drain(Cursor at) const {
    for (int i = 0; i < kDepth; ++i) {
      WaitEmpty(at);
      at.Advance();
    }
  }

 private:
  // A cluster of one signals at CTA scope. At cluster scope an arrival would
  // first wait for everything its thread has stored, a tile of D included, and
  // a wait would empty the L1.
  static __device__ __forceinline__ void Wait(uint64_t* barrier,
                                              uint32_t parity) {
    if constexpr (kClusterSize == 1) {
      ptx::mbarrier_wait_parity(barrier, parity);
    } else {
      ptx::mbarrier_wait_parity_cluster(barrier, parity);
    }
  }

  static __device__ __forceinline__ void Arrive(uint64_t* barrier,
                                                uint32_t rank) {
    if constexpr (kClusterSize == 1) {
      ptx::mbarrier_arrive(barrier);
    } else {
      ptx::mbarrier_arrive_release_cluster(InCta(barrier, rank));
    }
  }

  static __device__ __forceinline__ uint32_t InCta(uint64_t* barrier,
                                                   uint32_t rank) {
    return ptx::mapa_shared_cluster(ptx::cvta_to_shared(barrier), rank);
  }

  Storage& storage_;
};

}  // namespace tiletune

#endif  // TILETUNE_SCHEDULER_SUPPLY_RING_H_
