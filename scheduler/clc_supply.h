// ClcSupply: takes over clusters of the grid that have not started yet.
//
// Use it on sm_100 and later when tiles or workers are uneven, or when other
// work may come and go: the grid is one cluster per tile and the hardware
// hands out the pending ones. Device code; clusters of more than one CTA need
// an architecture- or family-specific target (sm_100a, sm_100f, ...).
//
// The protocol follows PTX ISA 9.7.13.17 and .18; supply.h has the picture. A
// refusal means "stop", not "all tiles are done": the scheduler may want the
// SM for other work, and starts the remaining clusters later.
#ifndef TILETUNE_SCHEDULER_CLC_SUPPLY_H_
#define TILETUNE_SCHEDULER_CLC_SUPPLY_H_

#include <cstdint>

#include "kernels/ptx/clc.h"
#include "kernels/ptx/cluster.h"
#include "kernels/ptx/elect.h"
#include "kernels/ptx/mbarrier.h"
#include "scheduler/supply.h"
#include "scheduler/supply_ring.h"

namespace tiletune {

// The interface is documented in supply.h. The launch grid must be exactly
// (tiles * kClusterSize, 1, 1) CTAs in clusters of (kClusterSize, 1, 1).
// kDepth: tiles granted ahead of the slowest reader, 1 to 4.
template <int kDepth, int kClusterSize>
class ClcSupply {
 public:
  static constexpr SupplyKind kKind = SupplyKind::kClc;
  static constexpr bool kHasProducer = true;

  struct Arguments {};

  using Ring =
      SupplyRing<kDepth, kClusterSize, ptx::ClusterLaunchControlResponse>;
  using SharedStorage = typename Ring::Storage;

  static __device__ __forceinline__ void Init(SharedStorage& storage,
                                              uint32_t reading_warps) {
    Ring::Init(storage, reading_warps);
  }

  class Producer {
   public:
    __device__ __forceinline__ Producer(SharedStorage& storage,
                                        uint64_t /*tiles*/, const Arguments&)
        : ring_(storage) {}

    // All 32 lanes. Returns at once in the CTAs of rank above 0.
    __device__ __forceinline__ void Run() {
      if (ptx::cluster_ctarank() != 0) return;
      typename Ring::Cursor at;
      bool granted = true;
      while (granted) {
        ring_.WaitEmpty(at);
        Request(at);
        ring_.WaitFull(at);
        granted =
            ptx::clusterlaunchcontrol_query_cancel(&ring_.slot(at)).is_canceled;
        // The lane that reads may not be the lane that asks next.
        ptx::fence_proxy_async_shared_cta();
        __syncwarp();
        at.Advance();
      }
      ring_.Drain(at);
    }

   private:
    // Arms slot `at` of every CTA, lane r that of rank r, then asks once.
    __device__ __forceinline__ void Request(const typename Ring::Cursor& at) {
      const uint32_t lane = threadIdx.x % 32;
      if (lane < kClusterSize) {
        ring_.Arm(at, lane, kSupplySlotBytes);
      }
      __syncwarp();
      if (ptx::elect_sync()) {
        if constexpr (kClusterSize == 1) {
          ptx::clusterlaunchcontrol_try_cancel(&ring_.slot(at), ring_.full(at));
        } else {
          ptx::clusterlaunchcontrol_try_cancel_multicast_cluster_all(
              &ring_.slot(at), ring_.full(at));
        }
      }
      __syncwarp();
    }

    Ring ring_;
  };

  class Reader {
   public:
    __device__ __forceinline__ Reader(SharedStorage& storage,
                                      uint64_t /*tiles*/)
        : ring_(storage) {}

    // Launched, so its own tile is real: the grid has no padding.
    __device__ __forceinline__ TileIndex First() {
      return TileIndex(ptx::clusterid_x());
    }

    __device__ __forceinline__ TileIndex Next() {
      ring_.WaitFull(at_);
      const ptx::ClusterLaunchControlAnswer answer =
          ptx::clusterlaunchcontrol_query_cancel(&ring_.slot(at_));
      ring_.Release(at_);
      at_.Advance();
      return answer.is_canceled ? TileIndex(answer.first_ctaid_x / kClusterSize)
                                : TileIndex();
    }

   private:
    Ring ring_;
    typename Ring::Cursor at_;
  };
};

// A kernel loop, in every reading warp, while one warp runs the producer:
//   typename Supply::Reader reader(storage.supply, order.size());
//   for (TileIndex t = reader.First(); t.valid(); t = reader.Next()) {
//     const TileCoord tile = order.At(t.index());
//     ...
//   }

}  // namespace tiletune

#endif  // TILETUNE_SCHEDULER_CLC_SUPPLY_H_
