// TracedSupply: another supply that notes when each tile began and ended.
//
// The first consumer warp of each CTA writes the events: from the moment it
// has a tile until it asks for the next one, its epilogue included. It is meant
// for kernels whose consumers work on every tile together (cooperative).
//
//   KernelEntry entry = {name, &GemmKernel<Shape, TracedSupply<StaticSupply>>};
#ifndef TILETUNE_TESTING_TIMELINE_TRACED_SUPPLY_CUH_
#define TILETUNE_TESTING_TIMELINE_TRACED_SUPPLY_CUH_

#include <cstdint>

#include "scheduler/supply.h"
#include "testing/timeline/tile_event.h"

namespace tiletune {

inline constexpr uint32_t kMostTileEvents = 65536;
__device__ TileEvent tile_events[kMostTileEvents];
__device__ uint32_t tile_event_count;

// The interface is documented in scheduler/supply.h.
template <class Inner>
class TracedSupply {
 public:
  static constexpr SupplyKind kKind = Inner::kKind;
  static constexpr bool kHasProducer = Inner::kHasProducer;
  using Arguments = typename Inner::Arguments;
  using SharedStorage = typename Inner::SharedStorage;
  using Producer = typename Inner::Producer;

  static __device__ __forceinline__ void Init(SharedStorage& storage,
                                              uint32_t reading_warps) {
    Inner::Init(storage, reading_warps);
  }

  class Reader {
   public:
    __device__ __forceinline__ Reader(SharedStorage& storage, uint64_t tiles)
        : inner_(storage, tiles) {}

    __device__ __forceinline__ TileIndex First() {
      return Begin(inner_.First());
    }

    __device__ __forceinline__ TileIndex Next() {
      End();
      return Begin(inner_.Next());
    }

   private:
    // One thread a CTA: the first of warpgroup 1.
    static constexpr uint32_t kWriter = 128;

    static __device__ __forceinline__ uint64_t Now() {
      uint64_t now;
      asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
      return now;
    }

    __device__ __forceinline__ TileIndex Begin(TileIndex tile) {
      if (threadIdx.x == kWriter && tile.valid()) {
        tile_ = static_cast<uint32_t>(tile.index());
        start_ = Now();
      }
      return tile;
    }

    __device__ __forceinline__ void End() {
      if (threadIdx.x != kWriter) return;
      const uint32_t at = atomicAdd(&tile_event_count, 1u);
      if (at >= kMostTileEvents) return;
      uint32_t sm;
      asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
      tile_events[at] = {sm, tile_, start_, Now()};
    }

    typename Inner::Reader inner_;
    uint32_t tile_ = 0;
    uint64_t start_ = 0;
  };
};

}  // namespace tiletune

#endif  // TILETUNE_TESTING_TIMELINE_TRACED_SUPPLY_CUH_
