// Compares orders with testdata/scheduler_golden.json: the visiting orders of
// an independent model of the published CATLASS formulas.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "scheduler/order.h"

namespace tiletune {
namespace {

using nlohmann::json;

json Cases() {
  std::ifstream file("scheduler/testdata/scheduler_golden.json");
  EXPECT_TRUE(file.good()) << "testdata is missing";
  return json::parse(file).at("cases");
}

Order OrderOf(const json& golden, uint32_t k_tiles, uint32_t k_slices) {
  OrderOptions options;
  options.offset = golden.at("offset").get<uint32_t>();
  options.direction =
      static_cast<SwizzleDirection>(golden.at("dir").get<uint32_t>());
  options.k_slices = k_slices;
  return *MakeOrder({golden.at("LM").get<uint32_t>(),
                     golden.at("LN").get<uint32_t>(), k_tiles, 1},
                    options);
}

TEST(OrderGolden, EqualsTheIdentitySwizzle) {
  int compared = 0;
  for (const json& golden : Cases()) {
    if (golden.at("kind") != "identity") continue;
    const Order order = OrderOf(golden, 1, 1);
    const json& tiles = golden.at("order");
    ASSERT_EQ(order.size(), tiles.size());
    for (uint64_t i = 0; i < order.size(); ++i) {
      ASSERT_EQ(json({order.At(i).m, order.At(i).n}), tiles[i])
          << golden.dump() << " at " << i;
    }
    ++compared;
  }
  EXPECT_EQ(compared, 126);
}

TEST(OrderGolden, EqualsTheSplitKSwizzle) {
  int compared = 0;
  for (const json& golden : Cases()) {
    if (golden.at("kind") != "splitk") continue;
    const uint32_t k_tiles = golden.at("LK").get<uint32_t>();
    const uint32_t tile_k = golden.at("tk").get<uint32_t>();
    const uint32_t k = golden.at("K").get<uint32_t>();
    const Order order =
        OrderOf(golden, k_tiles, golden.at("factor").get<uint32_t>());
    const json& rows = golden.at("rows");
    ASSERT_EQ(order.size(), rows.size());
    for (uint64_t i = 0; i < order.size(); ++i) {
      const TileCoord tile = order.At(i);
      const KTileRange range =
          KTilesOfSlice(k_tiles, order.k_slices, tile.k_slice);
      const uint32_t begin = range.begin * tile_k;
      const uint32_t length = std::min(k, begin + range.count * tile_k) - begin;
      ASSERT_EQ(json({tile.m, tile.n, range.begin, tile.k_slice, length}),
                rows[i])
          << golden.dump() << " at " << i;
    }
    ++compared;
  }
  EXPECT_EQ(compared, 3);
}

// ASWT without its split of tail tiles is offset 4 with an absorbed tail; its
// golden lists (round, m, n, ...) in elements for each core.
TEST(OrderGolden, EqualsAswtWithoutTailSplit) {
  int compared = 0;
  for (const json& golden : Cases()) {
    if (golden.at("kind") != "aswt" || golden.at("tail_split").get<bool>()) {
      continue;
    }
    const uint32_t tile_m = golden.at("tm").get<uint32_t>();
    const uint32_t tile_n = golden.at("tn").get<uint32_t>();
    const uint32_t cores = golden.at("cores").get<uint32_t>();
    const TileGrid grid =
        *MakeTileGrid(golden.at("M").get<uint32_t>(),
                      golden.at("N").get<uint32_t>(), 1, 1, tile_m, tile_n, 1);
    const Order order =
        *MakeOrder(grid, {golden.at("W").get<uint32_t>(), SwizzleDirection::kZn,
                          1, true, TailPolicy::kAbsorb});
    uint64_t visited = 0;
    for (uint32_t core = 0; core < cores; ++core) {
      for (const json& piece : golden.at("work")[core]) {
        const TileCoord tile =
            order.At(piece[0].get<uint32_t>() * cores + core);
        ASSERT_EQ(tile.m * tile_m, piece[1].get<uint32_t>());
        ASSERT_EQ(tile.n * tile_n, piece[2].get<uint32_t>());
        ++visited;
      }
    }
    EXPECT_EQ(visited, order.size());
    ++compared;
  }
  EXPECT_EQ(compared, 1);
}

// What each kind of golden case is for. A kind that is not built says why, so
// that a new kind cannot be skipped in silence.
TEST(OrderGolden, KnowsEveryKindOfCase) {
  const std::map<std::string, std::string> kinds = {
      {"identity", "here"},
      {"splitk", "here"},
      {"aswt", "here, without tail split; tail tiles cut in pieces: not built"},
      {"wave_unique", "l2_traffic_test"},
      {"l1_full_load", "not built: a contiguous share per core, for L1 reuse"},
      {"tail_splitk", "not built: needs the worker count inside the order"},
      {"streamk", "not built: needs the worker count inside the order"},
      {"single_core_splitk_mn_order", "not built: reverses both axes"},
      {"single_core_ranges", "not built: a contiguous share per core"},
  };
  for (const json& golden : Cases()) {
    EXPECT_EQ(kinds.count(golden.at("kind").get<std::string>()), 1u);
  }
}

}  // namespace
}  // namespace tiletune
