// The grid player: how a GPU's grid scheduler would run an order with a supply.
//
// Use it to see, without a GPU, who computes which tile when: late or busy SMs,
// refused cancels, unequal tiles, clusters. It is a discrete-event model in
// arbitrary units of time, not a measurement.
//
//   GridPlayerOptions options;
//   options.order = *MakeOrder({3, 4, 1, 1});
//   options.supply = SupplyKind::kClc;
//   options.slots = {0, 0, 0, 3};  // Four clusters fit; one slot is late.
//   std::optional<GridTimeline> timeline = PlayGrid(options);
//   double makespan = timeline->makespan;
//
// The rules. A slot holds one cluster from launch to exit; a free slot launches
// the next pending cluster. static and queue launch min(tiles, slots) clusters,
// clc one per tile. Each worker (a launched cluster) computes one tile at a
// time. Under queue and clc it keeps one round of requests in flight whenever
// it has room for the answers (request_depth rounds not yet begun), as
// supply.h describes, and exits after the first refused round, when all it was
// granted is done.
#ifndef TILETUNE_SCHEDULER_GRID_PLAYER_H_
#define TILETUNE_SCHEDULER_GRID_PLAYER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "scheduler/order.h"
#include "scheduler/supply.h"

namespace tiletune {

// A span of time, [begin, end).
struct TimeSpan {
  double begin = 0;
  double end = 0;
};

struct GridPlayerOptions {
  Order order;
  SupplyKind supply = SupplyKind::kStatic;
  uint32_t cluster_size = 1;  // CTAs in a cluster.

  // One entry per cluster that fits on the device at once: when its slot first
  // becomes free. Infinity: never.
  std::vector<double> slots;

  // How long a tile takes, at least 0. Null: 1 each.
  std::function<double(const TileCoord&)> tile_cost;
  double launch_cost = 0;      // From launch to the start of the first tile.
  double request_latency = 0;  // From request to answer (queue and clc).

  uint32_t request_depth = 1;  // Rounds of answers held ahead, 1 to 4.
  // Threads of a worker that ask in each round. Each has its own slot; the
  // round is over when all have arrived and all their bytes have.
  uint32_t requesters = 1;

  // While another kernel is wanted: nothing launches and every cancel is
  // refused, though clusters are pending. Running clusters go on.
  std::vector<TimeSpan> busy;

  // clc: the chance that a cancel is refused for no visible reason, and whether
  // pending clusters are taken in random order instead of in grid order.
  double spurious_refusals = 0;
  bool random_order = false;
  uint64_t seed = 1;
};

// One tile computed by one worker. CTA r of the worker's cluster computes the
// part of the tile that CTA first_ctaid + r of a plain launch would.
struct TileRun {
  uint64_t index = 0;        // In the order.
  TileCoord tile;            // order.At(index).
  uint64_t first_ctaid = 0;  // index * cluster_size.
  uint64_t worker = 0;       // The launched cluster that computed it.
  uint32_t slot = 0;         // Where that cluster ran.
  bool launched = false;     // The worker's own tile, not one it was given.
  TimeSpan time;
};

// One request of one thread, and its answer.
struct SupplyRequest {
  uint64_t worker = 0;
  uint64_t round = 0;      // Of that worker.
  uint32_t requester = 0;  // Which of its threads, and which slot.
  TimeSpan time;           // Asked, answered.
  bool granted = false;
  uint64_t index = 0;        // If granted.
  uint64_t first_ctaid = 0;  // If granted: what query_cancel returns for x.
};

// The barrier phase that ends a round.
struct RequestRound {
  uint64_t worker = 0;
  uint64_t round = 0;
  uint32_t arrivals = 0;  // One per requesting thread.
  uint32_t bytes = 0;     // 16 per requesting thread.
  TimeSpan time;
};

// A worker's stay in a slot.
struct WorkerStay {
  uint64_t worker = 0;
  uint32_t slot = 0;
  TimeSpan time;  // Launch to exit.
};

// What happened, each list in the order of time.begin.
struct GridTimeline {
  std::vector<TileRun> runs;
  std::vector<SupplyRequest> requests;
  std::vector<RequestRound> rounds;
  std::vector<WorkerStay> workers;
  double makespan = 0;  // When the last tile was done.
};

// Plays one launch to its end. Returns nothing if the options make no sense (a
// supply that cannot serve so many tiles, a depth outside 1 to 4, no CTA in a
// cluster, no requester, a negative cost or latency, a chance outside [0, 1))
// or if the launch would never end, for want of a slot.
std::optional<GridTimeline> PlayGrid(const GridPlayerOptions& options);

}  // namespace tiletune

#endif  // TILETUNE_SCHEDULER_GRID_PLAYER_H_
