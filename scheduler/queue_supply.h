// QueueSupply: workers draw tickets from one atomic counter.
//
// Use it when tiles or workers are uneven and the GPU has no Cluster Launch
// Control; it is also the twin of ClcSupply, with the same ring, on Hopper.
// Device code, sm_90 and later.
//
// A worker's first tile is its own cluster id; ticket v is tile workers + v.
// Every worker with a first tile draws until its first ticket past the end, so
// a launch draws exactly `tiles` tickets, and a counter that wraps after
// `tiles` draws is zero again at its end, with no kernel to reset it. Workers
// beyond `tiles` draw nothing. A launch that was killed leaves the counter
// anywhere: zero it (cudaMemsetAsync) before the next one. Under programmatic
// dependent launch, run the producer after griddepcontrol.wait: the launch
// before may still be drawing from the same counter.
#ifndef TILETUNE_SCHEDULER_QUEUE_SUPPLY_H_
#define TILETUNE_SCHEDULER_QUEUE_SUPPLY_H_

#include <cstdint>

#include "kernels/ptx/cluster.h"
#include "kernels/ptx/mbarrier.h"
#include "scheduler/supply.h"
#include "scheduler/supply_ring.h"

namespace tiletune {

// What rank 0 writes into the slots: the tile, or the end.
struct alignas(16) QueueSlot {
  uint32_t index;
  uint32_t valid;
  uint32_t unused[2];
};

// The interface is documented in supply.h. kDepth: tiles drawn ahead, 1 to 4.
template <int kDepth, int kClusterSize>
class QueueSupply {
 public:
  static constexpr SupplyKind kKind = SupplyKind::kQueue;
  static constexpr bool kHasProducer = true;

  struct Arguments {
    uint32_t* counter;  // Device memory, 0 at launch; 0 again at the end.
  };

  using Ring = SupplyRing<kDepth, kClusterSize, QueueSlot>;
  using SharedStorage = typename Ring::Storage;

  static __device__ __forceinline__ void Init(SharedStorage& storage,
                                              uint32_t reading_warps) {
    Ring::Init(storage, reading_warps);
  }

  class Producer {
   public:
    __device__ __forceinline__ Producer(SharedStorage& storage, uint64_t tiles,
                                        const Arguments& arguments)
        : ring_(storage),
          tiles_(static_cast<uint32_t>(tiles)),
          counter_(arguments.counter) {}

    // All 32 lanes. Returns at once in the CTAs of rank above 0.
    __device__ __forceinline__ void Run() {
      if (ptx::cluster_ctarank() != 0) return;
      if (ptx::clusterid_x() >= tiles_) return;  // No first tile, no draws.
      typename Ring::Cursor at;
      bool more = true;
      while (more) {
        ring_.WaitEmpty(at);
        more = DrawInto(at);
        at.Advance();
      }
      ring_.Drain(at);
    }

   private:
    // Draws a ticket and writes it into slot `at` of every CTA. False at the
    // end of the queue.
    __device__ __forceinline__ bool DrawInto(const typename Ring::Cursor& at) {
      const uint32_t lane = threadIdx.x % 32;
      uint32_t ticket = 0;
      if (lane == 0) ticket = atomicInc(counter_, tiles_ - 1);
      ticket = __shfl_sync(0xffffffffu, ticket, 0);
      const uint32_t workers = ptx::nclusterid_x();
      // Subtract, so that nothing wraps: workers may exceed tiles.
      const bool valid = workers < tiles_ && ticket < tiles_ - workers;
      if (lane < kClusterSize) {
        ptx::st_shared_cluster_v4(
            ptx::mapa_shared_cluster(ptx::cvta_to_shared(&ring_.slot(at)),
                                     lane),
            valid ? workers + ticket : 0, valid ? 1 : 0, 0, 0);
        ring_.Fill(at, lane);
      }
      __syncwarp();
      return valid;
    }

    Ring ring_;
    uint32_t tiles_;
    uint32_t* counter_;
  };

  class Reader {
   public:
    __device__ __forceinline__ Reader(SharedStorage& storage, uint64_t tiles)
        : ring_(storage), tiles_(tiles) {}

    __device__ __forceinline__ TileIndex First() {
      const uint64_t own = ptx::clusterid_x();
      return own < tiles_ ? TileIndex(own) : TileIndex();
    }

    __device__ __forceinline__ TileIndex Next() {
      ring_.WaitFull(at_);
      const QueueSlot slot = ring_.slot(at_);
      ring_.Release(at_);
      at_.Advance();
      return slot.valid != 0 ? TileIndex(slot.index) : TileIndex();
    }

   private:
    Ring ring_;
    uint64_t tiles_;
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

#endif  // TILETUNE_SCHEDULER_QUEUE_SUPPLY_H_
