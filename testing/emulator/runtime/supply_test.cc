// The scheduler's device code for every supply, as a GPU would run it: CTAs
// start late, a request for the next tile may be refused with tiles left (the
// settings of this test), and every reading warp must see every tile of its
// cluster exactly once. Strict checks.
#include "scheduler/supply.h"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "scheduler/order.h"
#include "scheduler/supply_visits.h"
#include "testing/emulator/runtime/session.h"

namespace tiletune {
namespace {

constexpr uint64_t kResidentClusters = 5;

std::vector<Order> Orders() {
  return {
      *MakeOrder({1, 1, 1, 1}),
      *MakeOrder({5, 4, 2, 1}, {3, SwizzleDirection::kZn, 2}),
      *MakeOrder({13, 3, 1, 2},
                 {4, SwizzleDirection::kNz, 1, true, TailPolicy::kAbsorb}),
  };
}

// Supply, depth, CTAs of a cluster.
class Supply : public testing::TestWithParam<std::tuple<SupplyKind, int, int>> {
};

TEST_P(Supply, VisitsEveryTileOnceInEveryReadingWarp) {
  const auto [kind, depth, cluster_size] = GetParam();
  for (const Order& order : Orders()) {
    SCOPED_TRACE(testing::Message() << order.size() << " tiles");
    VisitRequest request;
    request.order = order;
    request.kind = kind;
    request.depth = depth;
    request.cluster_size = cluster_size;
    request.clusters = GridClusters(kind, order.size(), kResidentClusters);
    request.launches = 3;  // each with a seed of its own
    const VisitReport report = CountVisits(request);
    ASSERT_EQ(report.error, "");
    ASSERT_EQ(report.visits.size(),
              order.size() * static_cast<size_t>(cluster_size) * kVisitReaders);
    for (uint32_t count : report.visits) ASSERT_EQ(count, 3u);
    for (uint64_t i = 0; i < order.size(); ++i) {
      ASSERT_EQ(report.tiles[i], order.At(i));
      ASSERT_EQ(report.positions[i], i);
    }
    EXPECT_EQ(report.counter, 0u);
  }
  EXPECT_EQ(emulator::runtime::Session::Get().findings(), 0);
}

std::string NameOf(
    const testing::TestParamInfo<std::tuple<SupplyKind, int, int>>& info) {
  const auto [kind, depth, cluster_size] = info.param;
  std::string name = "Static";
  if (kind == SupplyKind::kQueue) name = "Queue";
  if (kind == SupplyKind::kClc) name = "Clc";
  return name + "Depth" + std::to_string(depth) + "Cluster" +
         std::to_string(cluster_size);
}

INSTANTIATE_TEST_SUITE_P(AllKinds, Supply,
                         testing::Combine(testing::Values(SupplyKind::kStatic,
                                                          SupplyKind::kQueue,
                                                          SupplyKind::kClc),
                                          testing::Values(1, 2, 4),
                                          testing::Values(1, 2, 4)),
                         NameOf);

}  // namespace
}  // namespace tiletune
