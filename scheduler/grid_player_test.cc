#include "scheduler/grid_player.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

constexpr SupplyKind kAllSupplies[] = {SupplyKind::kStatic, SupplyKind::kQueue,
                                       SupplyKind::kClc};

// A launch of `tiles` tiles in one column, with `slots` that are free at 0.
GridPlayerOptions Launch(uint32_t tiles, SupplyKind supply, int slots) {
  GridPlayerOptions options;
  options.order = *MakeOrder({tiles, 1, 1, 1});
  options.supply = supply;
  options.slots.assign(slots, 0);
  return options;
}

GridTimeline Play(const GridPlayerOptions& options) {
  const std::optional<GridTimeline> timeline = PlayGrid(options);
  EXPECT_TRUE(timeline.has_value());
  return timeline.value_or(GridTimeline());
}

std::vector<uint64_t> IndicesOf(const GridTimeline& timeline, bool launched) {
  std::vector<uint64_t> indices;
  for (const TileRun& run : timeline.runs) {
    if (run.launched == launched) indices.push_back(run.index);
  }
  std::sort(indices.begin(), indices.end());
  return indices;
}

void ExpectEachTileOnce(const GridPlayerOptions& options,
                        const GridTimeline& timeline) {
  std::set<uint64_t> seen;
  for (const TileRun& run : timeline.runs) {
    EXPECT_TRUE(seen.insert(run.index).second) << run.index << " ran twice";
    EXPECT_EQ(run.tile, options.order.At(run.index));
  }
  EXPECT_EQ(seen.size(), options.order.size());
}

// What the PTX ISA asks of every requester: after a refusal has been seen,
// nothing more is asked; nothing is in flight when the CTAs exit.
void ExpectLawfulRequests(const GridTimeline& timeline) {
  std::map<uint64_t, double> refused;
  std::map<uint64_t, double> exits;
  for (const WorkerStay& stay : timeline.workers) {
    exits[stay.worker] = stay.time.end;
  }
  for (const SupplyRequest& request : timeline.requests) {
    if (!request.granted) {
      refused.emplace(request.worker, request.time.end);
    }
    EXPECT_LE(request.time.end, exits.at(request.worker));
  }
  for (const RequestRound& round : timeline.rounds) {
    if (refused.count(round.worker) != 0) {
      EXPECT_LE(round.time.end, refused.at(round.worker));
    }
  }
}

TEST(GridPlayer, ComputesEveryTileOnceWithEverySupply) {
  for (SupplyKind supply : kAllSupplies) {
    for (uint32_t tiles : {1u, 2u, 7u, 12u, 133u}) {
      for (int slots : {1, 3, 7, 40}) {
        for (uint32_t depth : {1u, 2u, 4u}) {
          GridPlayerOptions options = Launch(tiles, supply, slots);
          options.request_depth = depth;
          options.request_latency = 0.25;
          options.launch_cost = 0.5;
          options.tile_cost = [](const TileCoord& tile) {
            return 1 + 0.1 * (tile.m * 7 % 5);
          };
          const GridTimeline timeline = Play(options);
          ExpectEachTileOnce(options, timeline);
          ExpectLawfulRequests(timeline);
        }
      }
    }
  }
}

// 12 tiles on 4 workers, the last of them 3 late.
TEST(GridPlayer, LeavesATailOfThreeWhenAWorkerIsLateAndTheSupplyStatic) {
  GridPlayerOptions options = Launch(12, SupplyKind::kStatic, 4);
  options.slots[3] = 3;
  const GridTimeline timeline = Play(options);
  EXPECT_EQ(timeline.makespan, 6);
  std::vector<uint64_t> tail;
  for (const TileRun& run : timeline.runs) {
    if (run.time.begin >= 3) tail.push_back(run.index);
  }
  EXPECT_EQ(tail, (std::vector<uint64_t>{3, 7, 11}));
}

TEST(GridPlayer, LeavesNoTailWhenAWorkerIsLateAndTheSupplyDynamic) {
  for (SupplyKind supply : {SupplyKind::kQueue, SupplyKind::kClc}) {
    GridPlayerOptions options = Launch(12, supply, 4);
    options.slots[3] = 3;
    EXPECT_EQ(Play(options).makespan, 4);
  }
}

// 12 CTAs, 3 resident, a fourth place from time 1: what was launched was never
// cancelled, what was cancelled never launched.
TEST(GridPlayer, LaunchesSomeCoordinatesAndCancelsTheOthers) {
  GridPlayerOptions options = Launch(12, SupplyKind::kClc, 4);
  options.slots[3] = 1;
  const GridTimeline timeline = Play(options);
  ExpectEachTileOnce(options, timeline);
  // 0 to 2 start at once and are granted 3 to 5; the late place launches 6.
  EXPECT_EQ(IndicesOf(timeline, /*launched=*/true),
            (std::vector<uint64_t>{0, 1, 2, 6}));
  EXPECT_EQ(IndicesOf(timeline, /*launched=*/false),
            (std::vector<uint64_t>{3, 4, 5, 7, 8, 9, 10, 11}));
  std::set<uint64_t> granted;
  for (const SupplyRequest& request : timeline.requests) {
    if (request.granted) granted.insert(request.index);
  }
  EXPECT_EQ(granted, (std::set<uint64_t>{3, 4, 5, 7, 8, 9, 10, 11}));
}

TEST(GridPlayer, CancelsWholeClustersAndAnswersWithTheirFirstCta) {
  GridPlayerOptions options = Launch(6, SupplyKind::kClc, 2);
  options.cluster_size = 4;
  const GridTimeline timeline = Play(options);
  for (const SupplyRequest& request : timeline.requests) {
    if (request.granted) {
      EXPECT_EQ(request.first_ctaid % 4, 0u);
      EXPECT_EQ(request.first_ctaid / 4, request.index);
    }
  }
  // First ctaid plus rank covers the grid of 24 CTAs.
  std::set<uint64_t> ctas;
  for (const TileRun& run : timeline.runs) {
    for (uint64_t rank = 0; rank < 4; ++rank) {
      EXPECT_TRUE(ctas.insert(run.first_ctaid + rank).second);
    }
  }
  EXPECT_EQ(ctas.size(), 24u);
  EXPECT_EQ(*ctas.rbegin(), 23u);
}

// A kernel of higher priority wants the machine from 1.5 to 4.
TEST(GridPlayer, RefusesWhileWorkIsPendingAndLaunchesTheRestLater) {
  GridPlayerOptions options = Launch(12, SupplyKind::kClc, 3);
  options.busy = {{1.5, 4}};
  const GridTimeline timeline = Play(options);
  ExpectEachTileOnce(options, timeline);
  ExpectLawfulRequests(timeline);
  EXPECT_EQ(IndicesOf(timeline, /*launched=*/true),
            (std::vector<uint64_t>{0, 1, 2, 9, 10, 11}));
  for (const TileRun& run : timeline.runs) {
    if (run.launched && run.index >= 9) {
      EXPECT_EQ(run.time.begin, 4);
    }
  }
  const auto refused_early =
      std::count_if(timeline.requests.begin(), timeline.requests.end(),
                    [](const SupplyRequest& request) {
                      return !request.granted && request.time.begin < 4;
                    });
  EXPECT_EQ(refused_early, 3);
  EXPECT_EQ(timeline.makespan, 5);
}

TEST(GridPlayer, SurvivesRefusalsForNoVisibleReason) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    GridPlayerOptions options = Launch(60, SupplyKind::kClc, 4);
    options.seed = seed;
    options.spurious_refusals = 0.3;
    options.random_order = true;
    options.request_depth = 1 + seed % 4;
    options.requesters = 1 + seed % 3;
    options.request_latency = 0.4;
    const GridTimeline timeline = Play(options);
    ExpectEachTileOnce(options, timeline);
    ExpectLawfulRequests(timeline);
    EXPECT_GT(timeline.workers.size(), 4u);  // Some left early.
  }
}

// Three threads ask; each has its slot, the barrier counts all three.
TEST(GridPlayer, KeepsSeveralRequestersApart) {
  GridPlayerOptions options = Launch(14, SupplyKind::kClc, 2);
  options.requesters = 3;
  options.request_latency = 0.5;
  const GridTimeline timeline = Play(options);
  ExpectEachTileOnce(options, timeline);
  ExpectLawfulRequests(timeline);
  std::map<std::pair<uint64_t, uint64_t>, std::set<uint32_t>> slots;
  std::set<uint64_t> granted;
  for (const SupplyRequest& request : timeline.requests) {
    auto& own = slots[std::make_pair(request.worker, request.round)];
    EXPECT_TRUE(own.insert(request.requester).second);
    if (request.granted) {
      EXPECT_TRUE(granted.insert(request.index).second);
    }
  }
  EXPECT_EQ(granted.size(), 12u);
  EXPECT_EQ(slots.size(), timeline.rounds.size());
  for (const RequestRound& round : timeline.rounds) {
    EXPECT_EQ(round.arrivals, 3u);
    EXPECT_EQ(round.bytes, 48u);
    EXPECT_EQ((slots[{round.worker, round.round}].size()), 3u);
  }
}

// A round may be refused in part; the tiles it did grant are still computed.
TEST(GridPlayer, ComputesWhatARoundGrantsBesideARefusal) {
  GridPlayerOptions options = Launch(3, SupplyKind::kClc, 1);
  options.requesters = 4;
  const GridTimeline timeline = Play(options);
  ExpectEachTileOnce(options, timeline);
  EXPECT_EQ(timeline.rounds.size(), 1u);
}

TEST(GridPlayer, BalancesUnequalTilesOnlyWithADynamicSupply) {
  const auto makespan = [](SupplyKind supply) {
    GridPlayerOptions options = Launch(16, supply, 4);
    // Every fourth tile is long: all on one worker in grid stride.
    options.tile_cost = [](const TileCoord& tile) {
      return tile.m % 4 == 0 ? 4.0 : 1.0;
    };
    return Play(options).makespan;
  };
  EXPECT_EQ(makespan(SupplyKind::kStatic), 16);
  EXPECT_LT(makespan(SupplyKind::kQueue), 12);
  EXPECT_LT(makespan(SupplyKind::kClc), 12);
}

TEST(GridPlayer, FindsStaticEnoughWhenTilesAreEqualAndTheMachineQuiet) {
  const auto makespan = [](SupplyKind supply, double latency) {
    GridPlayerOptions options = Launch(64, supply, 8);
    options.request_latency = latency;
    return Play(options).makespan;
  };
  EXPECT_EQ(makespan(SupplyKind::kStatic, 0.5), 8);
  EXPECT_EQ(makespan(SupplyKind::kQueue, 0.5), 8);  // Asked for in time.
  EXPECT_EQ(makespan(SupplyKind::kClc, 0.5), 8);
  // Answers that take longer than a tile make a dynamic supply the slower one.
  EXPECT_GT(makespan(SupplyKind::kClc, 1.5), 8);
  EXPECT_EQ(makespan(SupplyKind::kStatic, 1.5), 8);
}

TEST(GridPlayer, HoardsNoMoreTilesThanTheDepth) {
  for (uint32_t depth : {1u, 2u, 4u}) {
    GridPlayerOptions options = Launch(40, SupplyKind::kClc, 2);
    options.request_depth = depth;
    const GridTimeline timeline = Play(options);
    for (const SupplyRequest& granted : timeline.requests) {
      if (!granted.granted) continue;
      int held = 0;
      for (const SupplyRequest& other : timeline.requests) {
        if (!other.granted || other.worker != granted.worker) continue;
        const auto run = std::find_if(
            timeline.runs.begin(), timeline.runs.end(),
            [&](const TileRun& r) { return r.index == other.index; });
        held += other.time.end <= granted.time.end &&
                run->time.begin > granted.time.end;
      }
      EXPECT_LE(held, static_cast<int>(depth));
    }
  }
}

// The counter must read zero again when the launch ends: `tiles` draws, each
// worker's last one past the end.
TEST(GridPlayer, DrawsAsManyTicketsAsThereAreTiles) {
  for (uint32_t tiles : {1u, 5u, 12u, 100u}) {
    for (int slots : {1, 4, 12, 30}) {
      const GridTimeline timeline =
          Play(Launch(tiles, SupplyKind::kQueue, slots));
      EXPECT_EQ(timeline.requests.size(), tiles);
    }
  }
}

TEST(GridPlayer, PlaysNothingForNoTiles) {
  for (SupplyKind supply : kAllSupplies) {
    const GridTimeline timeline = Play(Launch(0, supply, 4));
    EXPECT_TRUE(timeline.runs.empty());
    EXPECT_TRUE(timeline.workers.empty());
    EXPECT_EQ(timeline.makespan, 0);
  }
}

TEST(GridPlayer, LaunchesAStaticWorkerElsewhereWhenItsSlotStaysBusy) {
  GridPlayerOptions options = Launch(8, SupplyKind::kStatic, 2);
  options.slots[1] = std::numeric_limits<double>::infinity();
  const GridTimeline timeline = Play(options);
  ExpectEachTileOnce(options, timeline);
  EXPECT_EQ(timeline.makespan, 8);
}

TEST(GridPlayer, RefusesWhatMakesNoSense) {
  const GridPlayerOptions good = Launch(4, SupplyKind::kClc, 2);
  EXPECT_TRUE(PlayGrid(good).has_value());
  GridPlayerOptions bad = good;
  bad.slots.clear();
  EXPECT_FALSE(PlayGrid(bad).has_value());
  bad = good;
  bad.slots.assign(2, std::numeric_limits<double>::infinity());
  EXPECT_FALSE(PlayGrid(bad).has_value());
  bad = good;
  bad.request_depth = 5;
  EXPECT_FALSE(PlayGrid(bad).has_value());
  bad = good;
  bad.requesters = 0;
  EXPECT_FALSE(PlayGrid(bad).has_value());
  bad = good;
  bad.spurious_refusals = 1;
  EXPECT_FALSE(PlayGrid(bad).has_value());
  bad = good;
  bad.cluster_size = 0;
  EXPECT_FALSE(PlayGrid(bad).has_value());
}

}  // namespace
}  // namespace tiletune
