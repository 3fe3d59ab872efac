// Order: the bijection from a linear tile index to a tile coordinate.
//
// Use it wherever tiles are visited: kernels ask At() which tile an index from
// a supply means, models ask IndexOf() when a tile is visited. It is a pure
// function, the same on host and device, passed to kernels by value.
//
//   std::optional<Order> order = MakeOrder(
//       {/*tiles_m=*/5, /*tiles_n=*/4, /*k_tiles=*/8, /*batches=*/1},
//       {/*offset=*/3, SwizzleDirection::kZn});
//   for (uint64_t i = 0; i < order->size(); ++i) Visit(order->At(i));
//   uint64_t where = order->IndexOf({/*m=*/4, /*n=*/0, /*k_slice=*/0, 0});
//
// The tiles are cut into windows of `offset` rows (kZn) or columns (kNz); a
// window is walked along its short side first; with `snake` every second
// window walks its long side backwards. This is the block swizzle of CATLASS,
// and with other settings the order of TileLang, ThunderKittens, quack, Triton,
// DeepGEMM and TVM (README.md has the table). Tiles run fastest, then k slices,
// then batches.
#ifndef TILETUNE_SCHEDULER_ORDER_H_
#define TILETUNE_SCHEDULER_ORDER_H_

#include <cstdint>
#include <limits>
#include <optional>

#include "scheduler/host_device.h"

namespace tiletune {

// Which axis the windows cut: kZn cuts the rows of tiles (M), kNz the columns.
enum class SwizzleDirection : uint32_t { kZn = 0, kNz = 1 };

// What happens to the rows left over after the last full window: kThin makes
// them a thinner window, kAbsorb adds them to the last full one.
enum class TailPolicy : uint32_t { kThin = 0, kAbsorb = 1 };

// A tile (or cluster tile) of D, counted in tiles.
struct TileCoord {
  uint32_t m = 0;
  uint32_t n = 0;
  uint32_t k_slice = 0;
  uint32_t batch = 0;
};

TILETUNE_HD constexpr bool operator==(const TileCoord& a, const TileCoord& b) {
  return a.m == b.m && a.n == b.n && a.k_slice == b.k_slice &&
         a.batch == b.batch;
}

TILETUNE_HD constexpr bool operator!=(const TileCoord& a, const TileCoord& b) {
  return !(a == b);
}

// Rounded-up quotient that cannot overflow. `divisor` must not be 0.
template <typename Integer>
TILETUNE_HD constexpr Integer CeilDiv(Integer dividend, Integer divisor) {
  return dividend / divisor + (dividend % divisor != 0 ? 1 : 0);
}

// The order itself. Build it with MakeOrder, which establishes the invariants:
// 1 <= offset <= max(1, L), where L is the number of tiles along the windowed
// axis; k_slices >= 1; size() does not overflow. Any count of tiles or batches
// may be 0: the order is then empty.
struct Order {
  uint32_t tiles_m = 0;
  uint32_t tiles_n = 0;
  uint32_t k_slices = 1;
  uint32_t batches = 0;
  uint32_t offset = 1;  // Height of a window, in tiles.
  SwizzleDirection direction = SwizzleDirection::kZn;
  TailPolicy tail = TailPolicy::kThin;
  bool snake = true;

  // The number of tiles of one k slice of one batch.
  TILETUNE_HD constexpr uint64_t tiles_per_slice() const {
    return static_cast<uint64_t>(tiles_m) * tiles_n;
  }

  // The number of indices.
  TILETUNE_HD constexpr uint64_t size() const {
    return tiles_per_slice() * k_slices * batches;
  }

  // The tile visited at `index`, which must be less than size(). An empty
  // order has no tile: whatever the index, the answer is then all zeros.
  TILETUNE_HD constexpr TileCoord At(uint64_t index) const {
    const uint64_t count = size();
    if (count == 0) return TileCoord{};
    // 64-bit division is several times slower than 32-bit on a GPU.
    if (count >> 32 == 0) {
      return Locate<uint32_t>(static_cast<uint32_t>(index));
    }
    return Locate<uint64_t>(index);
  }

  // The same for an order whose size() is known to be less than 2^32. Ask this
  // in a kernel's loop: 64-bit division is a subroutine on a GPU, and a call,
  // even one that is never made, costs the loop its uniform registers.
  TILETUNE_HD constexpr TileCoord At32(uint32_t index) const {
    return Locate<uint32_t>(index);
  }

  // The index at which `coord`, a tile of this order, is visited.
  TILETUNE_HD constexpr uint64_t IndexOf(const TileCoord& coord) const {
    const bool zn = direction == SwizzleDirection::kZn;
    const uint64_t along = zn ? coord.m : coord.n;
    const uint64_t across = zn ? coord.n : coord.m;
    const uint64_t windowed = zn ? tiles_m : tiles_n;
    const uint64_t other = zn ? tiles_n : tiles_m;
    const uint64_t last = LastWindow(static_cast<uint32_t>(windowed));
    const uint64_t window = Min<uint64_t>(along / offset, last);
    const uint64_t start = window * offset;
    const uint64_t height = window == last ? windowed - start : offset;
    const uint64_t step =
        snake && window % 2 == 1 ? other - 1 - across : across;
    const uint64_t tile = start * other + step * height + (along - start);
    const uint64_t slice =
        static_cast<uint64_t>(coord.batch) * k_slices + coord.k_slice;
    return slice * tiles_per_slice() + tile;
  }

 private:
  template <typename Integer>
  TILETUNE_HD static constexpr Integer Min(Integer a, Integer b) {
    return a < b ? a : b;
  }

  // The number of the last window. `windowed` is at least 1.
  TILETUNE_HD constexpr uint32_t LastWindow(uint32_t windowed) const {
    if (tail == TailPolicy::kThin) return (windowed - 1) / offset;
    return windowed / offset - 1;  // At least one window: offset <= windowed.
  }

  template <typename Integer>
  TILETUNE_HD constexpr TileCoord Locate(Integer index) const {
    const bool zn = direction == SwizzleDirection::kZn;
    const uint32_t windowed = zn ? tiles_m : tiles_n;
    const uint32_t other = zn ? tiles_n : tiles_m;
    const Integer per_slice = static_cast<Integer>(tiles_per_slice());
    // Most orders have one slice and batch: two divisions less.
    const bool one = k_slices == 1 && batches == 1;
    const Integer slice = one ? 0 : index / per_slice;
    const Integer tile = index - slice * per_slice;
    const Integer per_window = static_cast<Integer>(offset) * other;
    const uint32_t last = LastWindow(windowed);
    const uint32_t window =
        static_cast<uint32_t>(Min<Integer>(tile / per_window, last));
    const uint32_t start = window * offset;
    const uint32_t height = window == last ? windowed - start : offset;
    const Integer rest = tile - static_cast<Integer>(window) * per_window;
    const uint32_t step = static_cast<uint32_t>(rest / height);
    const uint32_t along =
        start +
        static_cast<uint32_t>(rest - static_cast<Integer>(step) * height);
    const uint32_t across = snake && window % 2 == 1 ? other - 1 - step : step;
    TileCoord coord;
    coord.m = zn ? along : across;
    coord.n = zn ? across : along;
    coord.batch = one ? 0 : static_cast<uint32_t>(slice / k_slices);
    coord.k_slice = static_cast<uint32_t>(
        slice - static_cast<Integer>(coord.batch) * k_slices);
    return coord;
  }
};

// What a grid of tiles is made of. All counts are in tiles; k_tiles is the
// number of tile-K steps of one output tile, 0 when K = 0.
struct TileGrid {
  uint32_t tiles_m = 0;
  uint32_t tiles_n = 0;
  uint32_t k_tiles = 0;
  uint32_t batches = 1;
};

// How the grid is to be visited.
struct OrderOptions {
  uint32_t offset = 1;
  SwizzleDirection direction = SwizzleDirection::kZn;
  uint32_t k_slices = 1;
  bool snake = true;
  TailPolicy tail = TailPolicy::kThin;
};

// The window height that is used when `offset` is asked for over `windowed`
// tiles: within [1, windowed], and 1 when there are none. A window taller than
// the axis is the same as one as tall as it.
TILETUNE_HD constexpr uint32_t ClampOffset(uint32_t offset, uint32_t windowed) {
  const uint32_t capped = offset < windowed ? offset : windowed;
  return capped == 0 ? 1 : capped;
}

// The number of k slices used when `k_slices` are asked for: within
// [1, k_tiles], and 1 when K = 0, so that no slice is empty unless K is.
TILETUNE_HD constexpr uint32_t ClampKSlices(uint32_t k_slices,
                                            uint32_t k_tiles) {
  return ClampOffset(k_slices, k_tiles);
}

// The grid of an m x n x k problem (elements) with `batches` copies, in tiles
// of tile_m x tile_n x tile_k elements. Returns nothing if a tile extent is 0
// or a count of tiles exceeds 32 bits.
constexpr std::optional<TileGrid> MakeTileGrid(uint64_t m, uint64_t n,
                                               uint64_t k, uint32_t batches,
                                               uint32_t tile_m, uint32_t tile_n,
                                               uint32_t tile_k) {
  if (tile_m == 0 || tile_n == 0 || tile_k == 0) return std::nullopt;
  const uint64_t tiles_m = CeilDiv<uint64_t>(m, tile_m);
  const uint64_t tiles_n = CeilDiv<uint64_t>(n, tile_n);
  const uint64_t k_tiles = CeilDiv<uint64_t>(k, tile_k);
  constexpr uint64_t kLimit = std::numeric_limits<uint32_t>::max();
  if (tiles_m > kLimit || tiles_n > kLimit || k_tiles > kLimit) {
    return std::nullopt;
  }
  return TileGrid{static_cast<uint32_t>(tiles_m),
                  static_cast<uint32_t>(tiles_n),
                  static_cast<uint32_t>(k_tiles), batches};
}

// The order of `options` over `grid`, its offset and k slices clamped as
// above. Returns nothing if the direction or the tail policy is not one of its
// enumerators, or if there are more than 2^64 - 1 indices.
constexpr std::optional<Order> MakeOrder(const TileGrid& grid,
                                         const OrderOptions& options = {}) {
  if (options.direction != SwizzleDirection::kZn &&
      options.direction != SwizzleDirection::kNz) {
    return std::nullopt;
  }
  if (options.tail != TailPolicy::kThin &&
      options.tail != TailPolicy::kAbsorb) {
    return std::nullopt;
  }
  Order order;
  order.tiles_m = grid.tiles_m;
  order.tiles_n = grid.tiles_n;
  order.k_slices = ClampKSlices(options.k_slices, grid.k_tiles);
  order.batches = grid.batches;
  order.direction = options.direction;
  order.offset = ClampOffset(
      options.offset,
      options.direction == SwizzleDirection::kZn ? grid.tiles_m : grid.tiles_n);
  order.tail = options.tail;
  order.snake = options.snake;
  const uint64_t repeats =
      static_cast<uint64_t>(order.k_slices) * order.batches;
  if (order.tiles_per_slice() != 0 &&
      repeats >
          std::numeric_limits<uint64_t>::max() / order.tiles_per_slice()) {
    return std::nullopt;
  }
  return order;
}

// The k tiles of one slice: [begin, begin + count).
struct KTileRange {
  uint32_t begin = 0;
  uint32_t count = 0;
};

// Which of `k_tiles` belong to slice `k_slice` of `k_slices` (at least 1): the
// first k_tiles % k_slices slices get one more than the rest. A slice past
// k_tiles is empty, and begins at k_tiles.
TILETUNE_HD constexpr KTileRange KTilesOfSlice(uint32_t k_tiles,
                                               uint32_t k_slices,
                                               uint32_t k_slice) {
  const uint32_t each = k_tiles / k_slices;
  const uint32_t longer = k_tiles % k_slices;
  if (k_slice < longer) return {k_slice * (each + 1), each + 1};
  return {k_slice * each + longer, each};
}

}  // namespace tiletune

#endif  // TILETUNE_SCHEDULER_ORDER_H_
