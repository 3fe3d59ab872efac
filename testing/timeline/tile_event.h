// A tile as a traced kernel saw it. Shared with device code.
//
//   for (const TileEvent& e : *TakeTileEvents())
//     printf("SM %u: tile %u, %llu ns\n", e.sm, e.tile, e.end_ns - e.start_ns);
#ifndef TILETUNE_TESTING_TIMELINE_TILE_EVENT_H_
#define TILETUNE_TESTING_TIMELINE_TILE_EVENT_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace tiletune {

struct TileEvent {
  uint32_t sm;                // %smid
  uint32_t tile;              // linear index, before the order
  uint64_t start_ns, end_ns;  // %globaltimer
};

// The events since the last call, of kernels that have ended. Nothing if CUDA
// reports an error or there were more events than the trace holds (65,536).
std::optional<std::vector<TileEvent>> TakeTileEvents();

}  // namespace tiletune

#endif  // TILETUNE_TESTING_TIMELINE_TILE_EVENT_H_
