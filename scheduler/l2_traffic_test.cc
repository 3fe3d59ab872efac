#include "scheduler/l2_traffic.h"

#include <algorithm>
#include <cstdint>
#include <fstream>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace tiletune {
namespace {

using nlohmann::json;

constexpr SwizzleDirection kZn = SwizzleDirection::kZn;
constexpr SwizzleDirection kNz = SwizzleDirection::kNz;

// 8192^3 in bf16 with tiles of 128 x 256.
constexpr TileGrid kSquare = {64, 32, 128, 1};
constexpr PanelBytes kSquarePanels = {128 * 8192 * 2, 256 * 8192 * 2};

// testdata/scheduler_golden.json, from an independent model: panels summed over
// the waves of a launch.
TEST(PredictL2Traffic, EqualsTheGoldenWaves) {
  std::ifstream file("scheduler/testdata/scheduler_golden.json");
  int compared = 0;
  const json golden_cases = json::parse(file);
  for (const json& golden : golden_cases.at("cases")) {
    if (golden.at("kind") != "wave_unique") continue;
    for (bool snake : {true, false}) {
      OrderOptions options;
      options.offset = golden.at("offset").get<uint32_t>();
      options.direction =
          static_cast<SwizzleDirection>(golden.at("dir").get<uint32_t>());
      options.snake = snake;
      const Order order = *MakeOrder({golden.at("LM").get<uint32_t>(),
                                      golden.at("LN").get<uint32_t>(), 1, 1},
                                     options);
      const uint64_t workers = golden.at("workers").get<uint64_t>();
      EXPECT_EQ(PredictL2Traffic(order, {1, 0}, workers).unique,
                golden.at(snake ? "sumA" : "noSnakeA").get<uint64_t>());
      EXPECT_EQ(PredictL2Traffic(order, {0, 1}, workers).unique,
                golden.at(snake ? "sumB" : "noSnakeB").get<uint64_t>());
      ++compared;
    }
  }
  EXPECT_EQ(compared, 2 * 56);
}

// Megabytes of `options` on 132 workers, rounded.
constexpr uint64_t Megabytes(const TileGrid& grid, const PanelBytes& panels,
                             const OrderOptions& options) {
  return (PredictL2Traffic(*MakeOrder(grid, options), panels, 132).unique +
          500000) /
         1000000;
}

// The table that this model was published with.
TEST(PredictL2Traffic, EqualsTheKnownTable) {
  EXPECT_EQ(Megabytes(kSquare, kSquarePanels, {1, kZn}), 2311u);
  EXPECT_EQ(Megabytes(kSquare, kSquarePanels, {3, kZn}), 2168u);
  EXPECT_EQ(Megabytes(kSquare, kSquarePanels, {3, kNz}), 1535u);
  EXPECT_EQ(Megabytes(kSquare, kSquarePanels, {8, kZn}), 1376u);
  EXPECT_EQ(Megabytes(kSquare, kSquarePanels, {8, kNz}), 1166u);
  EXPECT_EQ(Megabytes(kSquare, kSquarePanels, {16, kZn}), 1200u);
  EXPECT_EQ(Megabytes(kSquare, kSquarePanels, {8, kZn, 1, false}), 1493u);

  const PanelBytes tall_panels = {128 * 4096 * 2, 256 * 4096 * 2};
  const TileGrid tall = {256, 8, 64, 1};   // 32768 x 2048
  const TileGrid wide = {16, 128, 64, 1};  // 2048 x 32768
  EXPECT_EQ(Megabytes(tall, tall_panels, {1, kZn}), 545u);
  EXPECT_EQ(Megabytes(tall, tall_panels, {1, kNz}), 1961u);
  EXPECT_EQ(Megabytes(wide, tall_panels, {1, kZn}), 3321u);
  EXPECT_EQ(Megabytes(wide, tall_panels, {1, kNz}), 562u);
}

TEST(PredictL2Traffic, StaysBetweenCompulsoryAndRequested) {
  for (uint32_t offset = 1; offset <= 64; ++offset) {
    for (SwizzleDirection direction : {kZn, kNz}) {
      const L2Traffic traffic = PredictL2Traffic(
          *MakeOrder(kSquare, {offset, direction}), kSquarePanels, 132);
      EXPECT_GE(traffic.unique, traffic.compulsory);
      EXPECT_LE(traffic.unique, traffic.requested);
      EXPECT_GE(static_cast<double>(traffic.unique), traffic.bound);
      EXPECT_NEAR(traffic.bound / 1e6, 1071, 0.5);
      EXPECT_EQ(traffic.compulsory / 1000000, 268u);
      EXPECT_EQ(traffic.requested / 1000000, 12884u);
      EXPECT_GT(traffic.hit_rate(), 0.8);
    }
  }
}

TEST(PredictL2Traffic, ScalesUpFromSomeOfVeryManyWaves) {
  const Order order = *MakeOrder({2000, 1000, 1, 1}, {5, kNz});
  const PanelBytes panels = {100, 200};
  double exact = 0;
  for (uint64_t first = 0; first < order.size(); first += 20) {
    const PanelCounts wave = DistinctPanels(order, first, first + 19);
    exact += static_cast<double>(wave.a * panels.a + wave.b * panels.b);
  }
  const L2Traffic traffic = PredictL2Traffic(order, panels, 20);
  EXPECT_NEAR(static_cast<double>(traffic.unique) / exact, 1, 0.01);
  // As many waves as fit in 64 bits are no problem either.
  const Order vast = *MakeOrder({0xffffffffu, 0xffffffffu, 1, 1}, {8});
  EXPECT_GT(PredictL2Traffic(vast, {1, 0}, 132).unique, 0u);
}

TEST(PredictL2Traffic, IsZeroWithoutTiles) {
  const L2Traffic traffic =
      PredictL2Traffic(*MakeOrder({0, 4, 1, 1}), {1, 1}, 132);
  EXPECT_EQ(traffic.unique, 0u);
  EXPECT_EQ(traffic.requested, 0u);
  EXPECT_EQ(traffic.compulsory, 0u);
  EXPECT_EQ(traffic.hit_rate(), 0);
}

TEST(BestWindowHeight, EqualsTheKnownTable) {
  const PanelBytes square = {128, 128};
  const PanelBytes wide = {128, 256};
  EXPECT_EQ(BestWindowHeight(square, 20, kZn), 4u);
  EXPECT_EQ(BestWindowHeight(square, 108, kZn), 9u);
  EXPECT_EQ(BestWindowHeight(square, 132, kZn), 11u);
  EXPECT_EQ(BestWindowHeight(square, 148, kZn), 10u);
  EXPECT_EQ(BestWindowHeight(wide, 20, kZn), 5u);
  EXPECT_EQ(BestWindowHeight(wide, 20, kNz), 3u);
  EXPECT_EQ(BestWindowHeight(wide, 132, kZn), 15u);
  EXPECT_EQ(BestWindowHeight(wide, 132, kNz), 7u);
  EXPECT_EQ(BestWindowHeight(wide, 148, kZn), 15u);
  EXPECT_EQ(BestWindowHeight(wide, 148, kNz), 8u);
}

TEST(Suggest, FindsTheLeastTrafficOfAllCandidates) {
  const OrderSuggestion best = Suggest(kSquare, kSquarePanels, 132);
  uint64_t least = ~uint64_t{0};
  for (uint32_t offset = 1; offset <= 64; ++offset) {
    for (SwizzleDirection direction : {kZn, kNz}) {
      const Order order = *MakeOrder(kSquare, {offset, direction});
      least =
          std::min(least, PredictL2Traffic(order, kSquarePanels, 132).unique);
    }
  }
  EXPECT_EQ(best.unique, least);
  const Order order = *MakeOrder(kSquare, best.options);
  EXPECT_EQ(PredictL2Traffic(order, kSquarePanels, 132).unique, least);
}

// A tall grid wants whole rows one after the other, a wide one whole columns.
TEST(Suggest, IsAsGoodAsRowsWhenTallAndAsColumnsWhenWide) {
  const PanelBytes panels = {128 * 4096 * 2, 256 * 4096 * 2};
  const TileGrid tall = {256, 8, 64, 1};
  const TileGrid wide = {16, 128, 64, 1};
  EXPECT_EQ(Megabytes(tall, panels, Suggest(tall, panels, 132).options), 545u);
  EXPECT_EQ(Megabytes(wide, panels, Suggest(wide, panels, 132).options), 562u);
}

TEST(Suggest, PrefersZnAmongEquals) {
  const PanelBytes panels = {1 << 20, 1 << 20};
  EXPECT_EQ(Suggest({64, 64, 64, 1}, panels, 132).options.direction, kZn);
}

TEST(Suggest, KeepsTheOtherOptions) {
  OrderOptions options;
  options.k_slices = 4;
  options.snake = false;
  const OrderSuggestion best = Suggest(kSquare, kSquarePanels, 132, options);
  EXPECT_EQ(best.options.k_slices, 4u);
  EXPECT_FALSE(best.options.snake);
}

TEST(WaveEfficiency, IsTheShareOfBusySlots) {
  EXPECT_DOUBLE_EQ(WaveEfficiency(132, 132), 1);
  EXPECT_DOUBLE_EQ(WaveEfficiency(133, 132), 133.0 / 264);
  EXPECT_DOUBLE_EQ(WaveEfficiency(0, 132), 0);
}

// The whole prediction is available at compile time.
static_assert(Megabytes(kSquare, kSquarePanels, {3, kNz}) == 1535);
static_assert(Suggest({8, 8, 8, 1}, {1, 1}, 12).unique > 0);

}  // namespace
}  // namespace tiletune
