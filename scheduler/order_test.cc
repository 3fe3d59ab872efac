#include "scheduler/order.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

constexpr uint32_t kHuge = std::numeric_limits<uint32_t>::max();
constexpr SwizzleDirection kBothDirections[] = {SwizzleDirection::kZn,
                                                SwizzleDirection::kNz};
constexpr TailPolicy kBothTails[] = {TailPolicy::kThin, TailPolicy::kAbsorb};

using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

// The (m, n) of every index.
Pairs Visit(const Order& order) {
  Pairs tiles;
  for (uint64_t i = 0; i < order.size(); ++i) {
    tiles.emplace_back(order.At(i).m, order.At(i).n);
  }
  return tiles;
}

// At which index each tile of a grid is visited, row by row.
std::vector<std::vector<uint64_t>> Picture(uint32_t rows, uint32_t columns,
                                           const OrderOptions& options) {
  const Order order = *MakeOrder({rows, columns, 1, 1}, options);
  std::vector<std::vector<uint64_t>> picture(rows,
                                             std::vector<uint64_t>(columns));
  for (uint64_t i = 0; i < order.size(); ++i) {
    picture[order.At(i).m][order.At(i).n] = i;
  }
  return picture;
}

// Calls check(order) for every order over small grids.
template <typename Check>
void ForEverySmallOrder(const Check& check) {
  for (uint32_t m = 1; m <= 9; ++m) {
    for (uint32_t n = 1; n <= 9; ++n) {
      for (uint32_t offset = 1; offset <= 10; ++offset) {
        for (SwizzleDirection direction : kBothDirections) {
          for (TailPolicy tail : kBothTails) {
            for (bool snake : {false, true}) {
              OrderOptions options = {offset, direction, 2, snake, tail};
              check(*MakeOrder({m, n, 3, 2}, options));
              check(*MakeOrder({m, n, 3, 1}, options));
              options.k_slices = 1;
              check(*MakeOrder({m, n, 3, 2}, options));
            }
          }
        }
      }
    }
  }
}

TEST(Order, VisitsEveryTileExactlyOnce) {
  ForEverySmallOrder([](const Order& order) {
    std::vector<int> visits(order.size());
    for (uint64_t i = 0; i < order.size(); ++i) {
      const TileCoord tile = order.At(i);
      ASSERT_LT(tile.m, order.tiles_m);
      ASSERT_LT(tile.n, order.tiles_n);
      ASSERT_LT(tile.k_slice, order.k_slices);
      ASSERT_LT(tile.batch, order.batches);
      ++visits[((tile.batch * order.k_slices + tile.k_slice) * order.tiles_m +
                tile.m) *
                   order.tiles_n +
               tile.n];
    }
    for (int count : visits) ASSERT_EQ(count, 1);
  });
}

TEST(Order, IndexOfInvertsAt) {
  ForEverySmallOrder([](const Order& order) {
    for (uint64_t i = 0; i < order.size(); ++i) {
      ASSERT_EQ(order.IndexOf(order.At(i)), i);
    }
  });
}

// The rule in words: window after window, along the short side first, every
// second window backwards along the long side.
Pairs Walk(uint32_t windowed, uint32_t other, const OrderOptions& options) {
  std::vector<uint32_t> starts;
  for (uint32_t row = 0; row < windowed; row += options.offset) {
    starts.push_back(row);
  }
  const bool short_tail = windowed % options.offset != 0;
  if (options.tail == TailPolicy::kAbsorb && short_tail && starts.size() > 1) {
    starts.pop_back();
  }
  starts.push_back(windowed);
  Pairs tiles;
  for (size_t w = 0; w + 1 < starts.size(); ++w) {
    for (uint32_t step = 0; step < other; ++step) {
      const bool backwards = options.snake && w % 2 == 1;
      const uint32_t column = backwards ? other - 1 - step : step;
      for (uint32_t row = starts[w]; row < starts[w + 1]; ++row) {
        tiles.emplace_back(row, column);
      }
    }
  }
  return tiles;
}

TEST(Order, IsAWalkThroughTheWindows) {
  for (uint32_t m = 1; m <= 9; ++m) {
    for (uint32_t n = 1; n <= 9; ++n) {
      for (uint32_t offset = 1; offset <= 9; ++offset) {
        for (TailPolicy tail : kBothTails) {
          for (bool snake : {false, true}) {
            const OrderOptions options = {offset, SwizzleDirection::kZn, 1,
                                          snake, tail};
            ASSERT_EQ(Visit(*MakeOrder({m, n, 1, 1}, options)),
                      Walk(m, n, options));
          }
        }
      }
    }
  }
}

TEST(Order, RunsTilesFastestThenSlicesThenBatches) {
  const Order order = *MakeOrder({2, 3, 4, 2}, {2, SwizzleDirection::kZn, 2});
  ASSERT_EQ(order.size(), 24u);
  for (uint64_t i = 0; i < 24; ++i) {
    EXPECT_EQ(order.At(i).k_slice, i / 6 % 2);
    EXPECT_EQ(order.At(i).batch, i / 12);
    EXPECT_EQ(order.At(i).m, order.At(i % 6).m);
    EXPECT_EQ(order.At(i).n, order.At(i % 6).n);
  }
}

TEST(Order, LooksLikeTheKnownPictures) {
  using Rows = std::vector<std::vector<uint64_t>>;
  EXPECT_EQ(Picture(5, 4, {3, SwizzleDirection::kZn}),
            (Rows{{0, 3, 6, 9},
                  {1, 4, 7, 10},
                  {2, 5, 8, 11},
                  {18, 16, 14, 12},
                  {19, 17, 15, 13}}));
  EXPECT_EQ(Picture(5, 4, {3, SwizzleDirection::kNz}),
            (Rows{{0, 1, 2, 19},
                  {3, 4, 5, 18},
                  {6, 7, 8, 17},
                  {9, 10, 11, 16},
                  {12, 13, 14, 15}}));
  EXPECT_EQ(Picture(5, 4, {1, SwizzleDirection::kNz}), (Rows{{0, 9, 10, 19},
                                                             {1, 8, 11, 18},
                                                             {2, 7, 12, 17},
                                                             {3, 6, 13, 16},
                                                             {4, 5, 14, 15}}));
  EXPECT_EQ(
      Picture(4, 4, {2, SwizzleDirection::kNz}),
      (Rows{{0, 1, 14, 15}, {2, 3, 12, 13}, {4, 5, 10, 11}, {6, 7, 8, 9}}));
}

// The last window of a grid of 5 rows, 2 rows a window, is 1 or 3 rows tall.
TEST(Order, AbsorbsTheTailIntoTheLastFullWindow) {
  using Rows = std::vector<std::vector<uint64_t>>;
  const SwizzleDirection zn = SwizzleDirection::kZn;
  EXPECT_EQ(Picture(5, 2, {2, zn, 1, true, TailPolicy::kThin}),
            (Rows{{0, 2}, {1, 3}, {6, 4}, {7, 5}, {8, 9}}));
  EXPECT_EQ(Picture(5, 2, {2, zn, 1, true, TailPolicy::kAbsorb}),
            (Rows{{0, 2}, {1, 3}, {7, 4}, {8, 5}, {9, 6}}));
}

TEST(Order, MirrorsWhenDirectionAndAxesAreSwapped) {
  for (uint32_t m = 1; m <= 8; ++m) {
    for (uint32_t n = 1; n <= 8; ++n) {
      for (uint32_t offset = 1; offset <= 8; ++offset) {
        const OrderOptions zn = {offset, SwizzleDirection::kZn};
        const OrderOptions nz = {offset, SwizzleDirection::kNz};
        Pairs swapped = Visit(*MakeOrder({n, m, 1, 1}, zn));
        for (auto& tile : swapped) std::swap(tile.first, tile.second);
        EXPECT_EQ(Visit(*MakeOrder({m, n, 1, 1}, nz)), swapped);
      }
    }
  }
}

TEST(Order, SnakeSharesThePanelAcrossWindowBoundaries) {
  const Order order = *MakeOrder({7, 5, 1, 1}, {3, SwizzleDirection::kZn});
  EXPECT_EQ(order.At(14).n, order.At(15).n);  // Windows of 3 * 5 tiles.
  EXPECT_EQ(order.At(29).n, order.At(30).n);
}

// Triton's grouped order, DeepGEMM's and TVM's, written as they are published.
TEST(Order, WithoutSnakeIsTheGroupedOrderOfTriton) {
  for (uint32_t m = 1; m <= 9; ++m) {
    for (uint32_t n = 1; n <= 9; ++n) {
      for (uint32_t group = 1; group <= 9; ++group) {
        Pairs grouped;
        for (uint32_t pid = 0; pid < m * n; ++pid) {
          const uint32_t first = pid / (group * n) * group;
          const uint32_t rows = std::min(m - first, group);
          grouped.emplace_back(first + pid % (group * n) % rows,
                               pid % (group * n) / rows);
        }
        const OrderOptions options = {group, SwizzleDirection::kZn, 1, false};
        EXPECT_EQ(Visit(*MakeOrder({m, n, 1, 1}, options)), grouped);
      }
    }
  }
}

// CATLASS publishes, for M = 160, N = 6144, tiles of 128 x 256 and 20 cores in
// grid stride, the largest sum of rows on one core: 288 with offset 3, on cores
// 1, 2, 5 and 6, and 256 with offset 4, on cores 12 to 15.
TEST(Order, BalancesThePublishedExample) {
  const auto loaded_cores = [](uint32_t offset) {
    const Order order =
        *MakeOrder({2, 24, 1, 1}, {offset, SwizzleDirection::kNz});
    std::array<uint32_t, 20> rows = {};
    for (uint64_t i = 0; i < order.size(); ++i) {
      rows[i % 20] += order.At(i).m == 0 ? 128 : 32;
    }
    uint32_t most = 0;
    for (uint32_t sum : rows) most = std::max(most, sum);
    std::vector<int> cores;
    for (int i = 0; i < 20; ++i) {
      if (rows[i] == most) cores.push_back(i);
    }
    return std::make_pair(most, cores);
  };
  EXPECT_EQ(loaded_cores(3),
            std::make_pair(288u, std::vector<int>{1, 2, 5, 6}));
  EXPECT_EQ(loaded_cores(4),
            std::make_pair(256u, std::vector<int>{12, 13, 14, 15}));
}

TEST(Order, CountsOffsetZeroAsOne) {
  const TileGrid grid = {5, 4, 1, 1};
  EXPECT_EQ(Visit(*MakeOrder(grid, {0})), Visit(*MakeOrder(grid, {1})));
}

TEST(Order, CountsAnOffsetBeyondTheAxisAsTheWholeAxis) {
  const TileGrid grid = {5, 4, 1, 1};
  for (SwizzleDirection direction : kBothDirections) {
    const uint32_t axis = direction == SwizzleDirection::kZn ? 5 : 4;
    const Pairs whole = Visit(*MakeOrder(grid, {axis, direction}));
    for (uint32_t offset : {axis + 1, 1u << 30, kHuge}) {
      EXPECT_EQ(MakeOrder(grid, {offset, direction})->offset, axis);
      EXPECT_EQ(Visit(*MakeOrder(grid, {offset, direction})), whole);
    }
  }
}

TEST(Order, RefusesADirectionOrATailThatDoesNotExist) {
  const TileGrid grid = {5, 4, 1, 1};
  OrderOptions options;
  options.direction = static_cast<SwizzleDirection>(2);
  EXPECT_FALSE(MakeOrder(grid, options).has_value());
  options = OrderOptions();
  options.tail = static_cast<TailPolicy>(2);
  EXPECT_FALSE(MakeOrder(grid, options).has_value());
}

TEST(Order, IsEmptyWithoutTiles) {
  for (const TileGrid& grid : {TileGrid{0, 4, 1, 1}, TileGrid{4, 0, 1, 1},
                               TileGrid{4, 4, 1, 0}, TileGrid{}}) {
    for (SwizzleDirection direction : kBothDirections) {
      for (TailPolicy tail : kBothTails) {
        const Order order = *MakeOrder(grid, {3, direction, 1, true, tail});
        EXPECT_EQ(order.size(), 0u);
        EXPECT_GE(order.offset, 1u);
        EXPECT_EQ(order.At(0), TileCoord());  // And does not divide by zero.
      }
    }
  }
  EXPECT_EQ(Order().size(), 0u);
}

TEST(Order, VisitsEveryTileWhenKIsZero) {
  const TileGrid grid = *MakeTileGrid(256, 256, 0, 1, 128, 128, 64);
  EXPECT_EQ(grid.k_tiles, 0u);
  const Order order = *MakeOrder(grid, {1, SwizzleDirection::kZn, 8});
  EXPECT_EQ(order.k_slices, 1u);
  EXPECT_EQ(order.size(), 4u);
  EXPECT_EQ(KTilesOfSlice(grid.k_tiles, order.k_slices, 0).count, 0u);
}

TEST(Order, At32ReachesTheLastOf32Bits) {
  for (SwizzleDirection direction : kBothDirections) {
    const Order order = *MakeOrder({65535, 65537, 1, 1}, {7, direction});
    ASSERT_EQ(order.size(), 0xffffffffu);
    for (uint32_t i : {0u, 1u, 0x80000000u, 0xfffffffeu}) {
      EXPECT_EQ(order.IndexOf(order.At32(i)), i);
    }
  }
}

TEST(Order, CountsBeyond32Bits) {
  const Order order = *MakeOrder({70000, 70000, 1, 1}, {3});
  EXPECT_EQ(order.size(), uint64_t{4900000000});
  for (uint64_t i : {uint64_t{0}, uint64_t{605032704}, uint64_t{1} << 32,
                     order.size() - 1}) {
    EXPECT_EQ(order.IndexOf(order.At(i)), i);
  }
  const Order batched = *MakeOrder({1 << 10, 1 << 10, 1, 1 << 20}, {8});
  EXPECT_EQ(batched.At(batched.size() - 1).batch, (1u << 20) - 1);
  EXPECT_EQ(batched.IndexOf(batched.At(batched.size() - 1)),
            batched.size() - 1);
}

// The index width changes at 2^32 indices; the answers must not.
TEST(Order, AgreesOnBothSidesOfTheIndexWidth) {
  const Order narrow = *MakeOrder({100, 90, 1, 2}, {7, SwizzleDirection::kNz});
  const Order wide =
      *MakeOrder({100, 90, 1, 1u << 20}, {7, SwizzleDirection::kNz});
  ASSERT_GT(wide.size(), uint64_t{kHuge});
  for (uint64_t i = 0; i < narrow.size(); ++i) {
    ASSERT_EQ(narrow.At(i), wide.At(i));
  }
}

TEST(Order, HandlesTheLargestAxes) {
  for (SwizzleDirection direction : kBothDirections) {
    for (TailPolicy tail : kBothTails) {
      for (uint32_t offset : {1u, 3u, 1u << 31, kHuge}) {
        const Order order = *MakeOrder({kHuge, kHuge, 1, 1},
                                       {offset, direction, 1, true, tail});
        for (uint64_t i : {uint64_t{0}, order.size() / 3, order.size() - 1}) {
          EXPECT_EQ(order.IndexOf(order.At(i)), i);
        }
      }
    }
  }
}

TEST(Order, RefusesMoreThan64BitsOfIndices) {
  EXPECT_TRUE(MakeOrder({kHuge, kHuge, 1, 1}).has_value());
  EXPECT_FALSE(MakeOrder({kHuge, kHuge, 1, 2}).has_value());
  EXPECT_FALSE(
      MakeOrder({1u << 31, 1u << 31, 8, 1}, {1, SwizzleDirection::kZn, 8})
          .has_value());
}

TEST(Order, ClampsTheSlicesToTheKTiles) {
  EXPECT_EQ(MakeOrder({1, 1, 2, 1}, {1, SwizzleDirection::kZn, 4})->k_slices,
            2u);
  EXPECT_EQ(MakeOrder({1, 1, 5, 1}, {1, SwizzleDirection::kZn, 0})->k_slices,
            1u);
}

TEST(KTilesOfSlice, CoversEveryKTileOnceInOrder) {
  for (uint32_t k_tiles = 0; k_tiles <= 20; ++k_tiles) {
    for (uint32_t slices = 1; slices <= 24; ++slices) {
      uint32_t next = 0;
      for (uint32_t j = 0; j < slices; ++j) {
        const KTileRange range = KTilesOfSlice(k_tiles, slices, j);
        EXPECT_EQ(range.begin, next);
        EXPECT_LE(range.count, k_tiles / slices + 1);
        EXPECT_GE(range.count, k_tiles / slices);
        next += range.count;
      }
      EXPECT_EQ(next, k_tiles);
    }
  }
}

TEST(KTilesOfSlice, IsEmptyPastTheKTiles) {
  EXPECT_EQ(KTilesOfSlice(2, 4, 3).begin, 2u);
  EXPECT_EQ(KTilesOfSlice(2, 4, 3).count, 0u);
}

TEST(MakeTileGrid, RoundsUpWithoutOverflow) {
  const TileGrid grid = *MakeTileGrid(kHuge, 1, kHuge, 3, 2, 128, 64);
  EXPECT_EQ(grid.tiles_m, 1u << 31);
  EXPECT_EQ(grid.tiles_n, 1u);
  EXPECT_EQ(grid.k_tiles, 1u << 26);
  EXPECT_EQ(grid.batches, 3u);
}

TEST(MakeTileGrid, RefusesTilesOfNoExtentAndTooManyTiles) {
  EXPECT_FALSE(MakeTileGrid(8, 8, 8, 1, 0, 1, 1).has_value());
  EXPECT_FALSE(MakeTileGrid(8, 8, 8, 1, 1, 0, 1).has_value());
  EXPECT_FALSE(MakeTileGrid(8, 8, 8, 1, 1, 1, 0).has_value());
  EXPECT_FALSE(MakeTileGrid(uint64_t{kHuge} + 1, 8, 8, 1, 1, 1, 1).has_value());
}

TEST(CeilDiv, DoesNotOverflow) {
  static_assert(CeilDiv(kHuge, 2u) == 1u << 31);
  static_assert(CeilDiv(kHuge, 1u) == kHuge);
  static_assert(CeilDiv(0u, 7u) == 0u);
}

// Everything above also holds in constant expressions.
static_assert(MakeOrder({5, 4, 1, 1}, {3})->At(12).m == 3);
static_assert(MakeOrder({5, 4, 1, 1}, {3})->IndexOf({4, 0, 0, 0}) == 19);

}  // namespace
}  // namespace tiletune
