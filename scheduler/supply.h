// Supply: where a resident worker (a cluster of CTAs) gets its next tile.
//
// Read this header for the interface that StaticSupply, QueueSupply and
// ClcSupply share; use it alone on the host to size a launch.
//
//   uint64_t clusters = GridClusters(kind, order.size(), resident_clusters);
//   if (clusters == 0) return;  // Nothing to do; do not launch.
//   if (!SupplyCanServe(kind, order.size(), cluster_size)) return error;
//   // Launch clusters * cluster_size CTAs, all along grid x, with clusters of
//   // (cluster_size, 1, 1) and SupplyWorkspaceBytes(kind) zeroed bytes.
//
// A supply class has, all for device code:
//   kKind          Its SupplyKind.
//   kHasProducer   Whether a warp must run Producer::Run().
//   Arguments      A kernel parameter (the queue's counter; else empty).
//   SharedStorage  A variable the kernel places in shared memory.
//   Init(storage, reading_warps)   By one thread of each CTA, before the
//                  kernel's fence.mbarrier_init and CTA or cluster barrier.
//                  reading_warps: warps of this CTA that make a Reader.
//   Producer(storage, tiles, arguments).Run()   By one whole warp of each CTA
//                  that reads no tiles itself. Returns after the last tile.
//   Reader(storage, tiles)   One for each reading warp, its slot and phase its
//                  own. All 32 lanes call First() and Next() together.
//
// Every reading warp, in every role, runs the same loop to its end:
//   for (TileIndex t = reader.First(); t.valid(); t = reader.Next())
// `tiles` is order.size(). A warp that leaves early stops the whole cluster.
//
// The ring behind `queue` and `clc`, per cluster, depth d (supply_ring.h):
//
//              rank 0: producer warp
//      wait empty[s] -> arm full[s] of every CTA -> request -> read own slot
//            ^                                         |
//            | one arrival per reading warp            | 16 bytes into slot[s]
//            | of every CTA (cluster scope)            | of every CTA
//            |                                         v
//      +-----+---------+   +---------------+     +-----------------------+
//      | empty[0..d-1] |   | full[0..d-1]  |     | slot[0..d-1] 16 bytes |
//      | in rank 0     |   | in every CTA  |     | in every CTA          |
//      +-----^---------+   +-------+-------+     +-----------+-----------+
//            |                     v                         v
//      release empty[s] <- one 128-bit read <- wait full[s]: every reading warp
//
// The request for a tile goes out when its slot is free, that is before the
// tile in hand is computed. One request is in flight at a time and its answer
// is read before the next is made, so nothing is asked for after a refusal and
// no tile can be granted behind one. At most d tiles are granted ahead of the
// slowest reader, so a cluster does not hoard. Run() returns only when every
// reader has read the refusal: nothing is in flight when a CTA exits.
#ifndef TILETUNE_SCHEDULER_SUPPLY_H_
#define TILETUNE_SCHEDULER_SUPPLY_H_

#include <cstdint>

#include "scheduler/host_device.h"
#include "scheduler/supply_kind.h"

namespace tiletune {

// A linear tile index, or the end of the supply.
class TileIndex {
 public:
  constexpr TileIndex() = default;  // The end.
  TILETUNE_HD constexpr explicit TileIndex(uint64_t index)
      : index_(index), valid_(true) {}

  // False when there are no more tiles for this worker.
  TILETUNE_HD constexpr bool valid() const { return valid_; }

  // The index to give to Order::At(). Only if valid().
  TILETUNE_HD constexpr uint64_t index() const { return index_; }

 private:
  uint64_t index_ = 0;
  bool valid_ = false;
};

// How many clusters to launch for `tiles` tiles when `resident_clusters` (at
// least 1) fit on the device at once: clc launches a cluster per tile, the
// others no more than are resident. 0 means: launch nothing.
TILETUNE_HD constexpr uint64_t GridClusters(SupplyKind kind, uint64_t tiles,
                                            uint64_t resident_clusters) {
  if (kind == SupplyKind::kClc) return tiles;
  return tiles < resident_clusters ? tiles : resident_clusters;
}

// Whether `kind` can hand out `tiles` tiles to clusters of `cluster_size`
// CTAs: clc counts in grid x (2^31 - 1 CTAs), the queue in 32 bits.
TILETUNE_HD constexpr bool SupplyCanServe(SupplyKind kind, uint64_t tiles,
                                          uint32_t cluster_size) {
  if (kind == SupplyKind::kClc) {
    return cluster_size != 0 && tiles <= 0x7fffffffu / cluster_size;
  }
  if (kind == SupplyKind::kQueue) return tiles <= 0xffffffffu;
  return true;
}

// Bytes of global memory the supply needs, 4-byte aligned, zero before the
// first launch, and not shared by launches that may overlap in time.
TILETUNE_HD constexpr uint64_t SupplyWorkspaceBytes(SupplyKind kind) {
  return kind == SupplyKind::kQueue ? sizeof(uint32_t) : 0;
}

}  // namespace tiletune

#endif  // TILETUNE_SCHEDULER_SUPPLY_H_
