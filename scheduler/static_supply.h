// StaticSupply: a grid-stride formula; no memory, no waiting.
//
// Use it when all tiles cost the same and the machine is quiet: nothing is
// cheaper. A worker that starts late or runs slowly still gets its full share.
// Device code, any GPU with clusters (sm_90 and later).
#ifndef TILETUNE_SCHEDULER_STATIC_SUPPLY_H_
#define TILETUNE_SCHEDULER_STATIC_SUPPLY_H_

#include <cstdint>

#include "kernels/ptx/cluster.h"
#include "scheduler/supply.h"

namespace tiletune {

// The interface is documented in supply.h.
class StaticSupply {
 public:
  static constexpr SupplyKind kKind = SupplyKind::kStatic;
  static constexpr bool kHasProducer = false;

  struct Arguments {};
  struct SharedStorage {};

  static __device__ __forceinline__ void Init(SharedStorage&,
                                              uint32_t /*reading_warps*/) {}

  // Nothing to produce; here so that kernels read the same for every supply.
  class Producer {
   public:
    __device__ __forceinline__ Producer(SharedStorage&, uint64_t /*tiles*/,
                                        const Arguments&) {}
    __device__ __forceinline__ void Run() {}
  };

  class Reader {
   public:
    __device__ __forceinline__ Reader(SharedStorage&, uint64_t tiles)
        : tiles_(tiles) {}

    __device__ __forceinline__ TileIndex First() {
      next_ = ptx::clusterid_x();
      return Current();
    }

    __device__ __forceinline__ TileIndex Next() {
      const uint64_t stride = ptx::nclusterid_x();
      // Never beyond tiles_, so that the sum cannot wrap.
      next_ = stride < tiles_ - next_ ? next_ + stride : tiles_;
      return Current();
    }

   private:
    __device__ __forceinline__ TileIndex Current() const {
      return next_ < tiles_ ? TileIndex(next_) : TileIndex();
    }

    uint64_t tiles_;
    uint64_t next_ = 0;
  };
};

// A kernel loop:
//   StaticSupply::Reader reader(storage.supply, order.size());
//   for (TileIndex t = reader.First(); t.valid(); t = reader.Next()) {
//     const TileCoord tile = order.At(t.index());
//     ...
//   }

}  // namespace tiletune

#endif  // TILETUNE_SCHEDULER_STATIC_SUPPLY_H_
