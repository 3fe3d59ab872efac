#include "scheduler/panel_counts.h"

#include <cstdint>
#include <random>
#include <set>
#include <tuple>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

constexpr SwizzleDirection kZn = SwizzleDirection::kZn;
constexpr SwizzleDirection kNz = SwizzleDirection::kNz;

PanelCounts CountOneByOne(const Order& order, uint64_t first, uint64_t last) {
  std::set<std::tuple<uint32_t, uint32_t, uint32_t>> a;
  std::set<std::tuple<uint32_t, uint32_t, uint32_t>> b;
  for (uint64_t i = first; i <= last; ++i) {
    const TileCoord tile = order.At(i);
    a.emplace(tile.batch, tile.k_slice, tile.m);
    b.emplace(tile.batch, tile.k_slice, tile.n);
  }
  return {a.size(), b.size()};
}

void ExpectEqualsCounting(const Order& order, uint64_t first, uint64_t last) {
  const PanelCounts closed = DistinctPanels(order, first, last);
  const PanelCounts counted = CountOneByOne(order, first, last);
  ASSERT_EQ(closed.a, counted.a) << first << " to " << last;
  ASSERT_EQ(closed.b, counted.b) << first << " to " << last;
}

TEST(DistinctPanels, EqualsCountingForEveryRangeOfSmallGrids) {
  for (uint32_t m = 1; m <= 5; ++m) {
    for (uint32_t n = 1; n <= 5; ++n) {
      for (uint32_t offset = 1; offset <= 5; ++offset) {
        for (SwizzleDirection direction : {kZn, kNz}) {
          for (bool snake : {false, true}) {
            for (TailPolicy tail : {TailPolicy::kThin, TailPolicy::kAbsorb}) {
              const Order order =
                  *MakeOrder({m, n, 1, 1}, {offset, direction, 1, snake, tail});
              for (uint64_t first = 0; first < order.size(); ++first) {
                for (uint64_t last = first; last < order.size(); ++last) {
                  ExpectEqualsCounting(order, first, last);
                }
              }
            }
          }
        }
      }
    }
  }
}

TEST(DistinctPanels, EqualsCountingForRandomRangesAcrossSlicesAndBatches) {
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    const auto pick = [&](uint32_t n) {
      return std::uniform_int_distribution<uint32_t>(1, n)(random);
    };
    const Order order =
        *MakeOrder({pick(14), pick(14), 3, pick(3)},
                   {pick(16), pick(2) == 1 ? kZn : kNz, pick(3), pick(2) == 1,
                    static_cast<TailPolicy>(pick(2) - 1)});
    const uint64_t first = random() % order.size();
    const uint64_t last = first + random() % (order.size() - first);
    ExpectEqualsCounting(order, first, last);
  }
}

}  // namespace
}  // namespace tiletune
