// CtaSupply: the static supply of kernels without clusters, where a worker is a
// CTA, however the launch bundles CTAs: see GemmConfig::launch_cluster.
//
//   CtaSupply::Reader reader(storage.supply, work.size());
//   for (TileIndex t = reader.First(); t.valid(); t = reader.Next()) ...
#ifndef TILETUNE_KERNELS_HOPPER_CTA_SUPPLY_CUH_
#define TILETUNE_KERNELS_HOPPER_CTA_SUPPLY_CUH_

#include <cstdint>

#include "scheduler/static_supply.h"

namespace tiletune::hopper {

// StaticSupply counts in clusters, which here are the launch's, not the
// kernel's. The interface is documented in scheduler/supply.h.
class CtaSupply : public StaticSupply {
 public:
  class Reader {
   public:
    __device__ __forceinline__ Reader(SharedStorage&, uint64_t tiles)
        : tiles_(tiles) {}

    __device__ __forceinline__ TileIndex First() {
      next_ = blockIdx.x;
      return Current();
    }

    __device__ __forceinline__ TileIndex Next() {
      // Never beyond tiles_, so that the sum cannot wrap.
      next_ = gridDim.x < tiles_ - next_ ? next_ + gridDim.x : tiles_;
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

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_CTA_SUPPLY_CUH_
