// L2 traffic: how many bytes of A and B an order is predicted to bring into L2.
//
// Use it to rank orders before anything is measured. It is a model, not a
// measurement: workers are taken to run in waves of consecutive indices and to
// advance through K together, so that a panel of A (a row of tiles) or of B (a
// column) is fetched once in each wave that touches it, whatever the L2 size.
//
//   constexpr TileGrid kGrid = {64, 32, 128, 1};    // 8192^3, 128 x 256 tiles
//   constexpr PanelBytes kPanels = {128 * 8192 * 2, 256 * 8192 * 2};  // bf16
//   constexpr OrderSuggestion kBest = Suggest(kGrid, kPanels, /*workers=*/132);
//   constexpr L2Traffic kTraffic =
//       PredictL2Traffic(*MakeOrder(kGrid, kBest.options), kPanels, 132);
//
// Everything is constexpr. The traffic of D does not depend on the order and is
// left out. Physical L2 partitions are not modelled.
#ifndef TILETUNE_SCHEDULER_L2_TRAFFIC_H_
#define TILETUNE_SCHEDULER_L2_TRAFFIC_H_

#include <cstdint>
#include <optional>

#include "scheduler/order.h"
#include "scheduler/panel_counts.h"

namespace tiletune {

// Bytes of one panel within one k slice: tile_m * (K / k_slices) elements of A,
// tile_n * (K / k_slices) of B, where the tile is what one worker computes.
struct PanelBytes {
  uint64_t a = 0;
  uint64_t b = 0;
};

// All in bytes.
struct L2Traffic {
  uint64_t unique = 0;      // Panels per wave, summed: the prediction.
  uint64_t requested = 0;   // What the workers ask L2 for.
  uint64_t compulsory = 0;  // Every panel once: no order needs less.
  double bound = 0;         // Every wave a square in bytes: 2 sqrt(W a b).

  // The predicted share of requests that L2 serves, 0 when there are none.
  constexpr double hit_rate() const {
    return requested == 0 ? 0
                          : 1 - static_cast<double>(unique) /
                                    static_cast<double>(requested);
  }
};

namespace l2_traffic_internal {

// Square root by Newton's method, for constant expressions.
constexpr double Sqrt(double x) {
  if (x <= 0) return 0;
  double root = x < 1 ? 1 : x;
  for (double next = (root + x / root) / 2; next < root;
       next = (root + x / root) / 2) {
    root = next;
  }
  return root;
}

}  // namespace l2_traffic_internal

// The traffic of `order` on `workers` (at least 1) resident workers, each
// computing one tile of the order at a time. Exact up to 4096 waves; beyond
// that, `unique` and `bound` are scaled up from 4096 waves evenly spaced, so
// that a call never takes more than a fraction of a millisecond.
constexpr L2Traffic PredictL2Traffic(const Order& order,
                                     const PanelBytes& panels,
                                     uint64_t workers) {
  constexpr uint64_t kMostWaves = 4096;
  L2Traffic traffic;
  const uint64_t count = order.size();
  if (count == 0) return traffic;
  const uint64_t waves = CeilDiv(count, workers);
  const uint64_t step = waves <= kMostWaves ? 1 : waves / kMostWaves;
  uint64_t looked_at = 0;
  for (uint64_t wave = 0; wave < waves; wave += step) {
    const uint64_t first = wave * workers;
    const uint64_t tiles = workers < count - first ? workers : count - first;
    const PanelCounts touched = DistinctPanels(order, first, first + tiles - 1);
    traffic.unique += touched.a * panels.a + touched.b * panels.b;
    traffic.bound +=
        2 * l2_traffic_internal::Sqrt(static_cast<double>(tiles) *
                                      static_cast<double>(panels.a) *
                                      static_cast<double>(panels.b));
    ++looked_at;
  }
  if (looked_at < waves) {
    const double scale =
        static_cast<double>(waves) / static_cast<double>(looked_at);
    traffic.unique =
        static_cast<uint64_t>(static_cast<double>(traffic.unique) * scale);
    traffic.bound *= scale;
  }
  traffic.requested = count * (panels.a + panels.b);
  traffic.compulsory = (order.tiles_m * panels.a + order.tiles_n * panels.b) *
                       order.k_slices * order.batches;
  return traffic;
}

// The window height that minimises the bytes of one whole wave inside one
// window, height * p + ceil(workers / height) * q, where p and q are the panels
// along and across the windows; sqrt(workers * q / p) without the rounding.
constexpr uint32_t BestWindowHeight(const PanelBytes& panels, uint32_t workers,
                                    SwizzleDirection direction) {
  const bool zn = direction == SwizzleDirection::kZn;
  const uint64_t along = zn ? panels.a : panels.b;
  const uint64_t across = zn ? panels.b : panels.a;
  uint32_t best = 1;
  uint64_t least = ~uint64_t{0};
  for (uint32_t height = 1; height <= workers; ++height) {
    const uint64_t bytes = height * along + CeilDiv(workers, height) * across;
    if (bytes < least) {
      least = bytes;
      best = height;
    }
  }
  return best;
}

// An order to start from, and what it is predicted to cost.
struct OrderSuggestion {
  OrderOptions options;
  uint64_t unique = 0;  // As in L2Traffic.
};

// The offset, 1 to 64, and the direction with the least predicted traffic for
// `workers` resident workers; the other options are kept as given. Among equals
// kZn wins, then the smaller offset.
constexpr OrderSuggestion Suggest(const TileGrid& grid,
                                  const PanelBytes& panels, uint64_t workers,
                                  const OrderOptions& options = {}) {
  constexpr uint32_t kLargestOffset = 64;
  OrderSuggestion best = {options, ~uint64_t{0}};
  for (SwizzleDirection direction :
       {SwizzleDirection::kZn, SwizzleDirection::kNz}) {
    const uint32_t axis =
        direction == SwizzleDirection::kZn ? grid.tiles_m : grid.tiles_n;
    for (uint32_t offset = 1; offset <= ClampOffset(kLargestOffset, axis);
         ++offset) {
      OrderOptions candidate = options;
      candidate.offset = offset;
      candidate.direction = direction;
      const std::optional<Order> order = MakeOrder(grid, candidate);
      if (!order) continue;
      const uint64_t unique = PredictL2Traffic(*order, panels, workers).unique;
      if (unique < best.unique) best = {candidate, unique};
    }
  }
  return best;
}

// The share of worker slots that have a tile when `tiles` equal tiles run in
// waves of `workers`; 0 when there are none.
constexpr double WaveEfficiency(uint64_t tiles, uint64_t workers) {
  if (tiles == 0 || workers == 0) return 0;
  return static_cast<double>(tiles) /
         (static_cast<double>(CeilDiv(tiles, workers)) *
          static_cast<double>(workers));
}

}  // namespace tiletune

#endif  // TILETUNE_SCHEDULER_L2_TRAFFIC_H_
