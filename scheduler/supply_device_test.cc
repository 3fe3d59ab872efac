// The supplies on a GPU: every reading warp of every CTA sees every tile of its
// cluster exactly once, and the device computes the order that the host does.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "gtest/gtest.h"
#include "scheduler/order.h"
#include "scheduler/supply.h"
#include "scheduler/supply_visits.h"

namespace tiletune {
namespace {

constexpr int kDepths[] = {1, 2, 4};
constexpr int kClusterSizes[] = {1, 2, 4};
constexpr uint64_t kResidentClusters = 60;

// Orders from a single tile to many more than are resident.
std::vector<Order> Orders() {
  constexpr SwizzleDirection kZn = SwizzleDirection::kZn;
  constexpr SwizzleDirection kNz = SwizzleDirection::kNz;
  return {
      *MakeOrder({1, 1, 1, 1}),
      *MakeOrder({5, 4, 6, 1}, {3, kZn, 2}),
      *MakeOrder({13, 7, 1, 3}, {4, kNz, 1, true, TailPolicy::kAbsorb}),
      *MakeOrder({61, 67, 1, 1}, {8, kNz, 1, false}),
  };
}

class SupplyDevice : public testing::TestWithParam<SupplyKind> {
 protected:
  // The kernels are compiled for compute capability 9.0 (static and queue) and
  // for the 10.0 family.
  void SetUp() override {
    const int have = ComputeCapability();
    const bool blackwell = have == 100 || have == 103;
    if (blackwell || (have == 90 && GetParam() != SupplyKind::kClc)) return;
    if (std::getenv("TILETUNE_REQUIRE_GPU") != nullptr && have != 90) {
      FAIL() << "no GPU of compute capability 9.0, 10.0 or 10.3";
    }
    GTEST_SKIP() << "the current GPU, " << have << ", cannot run this supply";
  }

  static void ExpectEachIndexOnce(const VisitRequest& request) {
    const VisitReport report = CountVisits(request);
    ASSERT_EQ(report.error, "");
    for (uint32_t count : report.visits) {
      ASSERT_EQ(count, static_cast<uint32_t>(request.launches));
    }
    for (uint64_t i = 0; i < request.order.size(); ++i) {
      ASSERT_EQ(report.tiles[i], request.order.At(i));
      ASSERT_EQ(report.positions[i], i);
    }
    ASSERT_EQ(report.counter, 0u);
  }
};

TEST_P(SupplyDevice, VisitsEveryTileOnceInEveryReadingWarp) {
  for (int depth : kDepths) {
    for (int cluster_size : kClusterSizes) {
      for (const Order& order : Orders()) {
        VisitRequest request;
        request.order = order;
        request.kind = GetParam();
        request.depth = depth;
        request.cluster_size = cluster_size;
        request.clusters =
            GridClusters(GetParam(), order.size(), kResidentClusters);
        request.launches = 2;  // The queue's counter must reset itself.
        SCOPED_TRACE(testing::Message()
                     << "depth " << depth << ", cluster " << cluster_size
                     << ", tiles " << order.size());
        ExpectEachIndexOnce(request);
      }
    }
  }
}

TEST_P(SupplyDevice, LeavesWorkersWithoutTilesIdle) {
  if (GetParam() == SupplyKind::kClc) {
    GTEST_SKIP() << "clc launches exactly one cluster per tile";
  }
  VisitRequest request;
  request.order = *MakeOrder({3, 3, 1, 1});
  request.kind = GetParam();
  request.cluster_size = 2;
  request.clusters = 40;
  request.launches = 3;
  ExpectEachIndexOnce(request);
}

INSTANTIATE_TEST_SUITE_P(AllKinds, SupplyDevice,
                         testing::Values(SupplyKind::kStatic,
                                         SupplyKind::kQueue, SupplyKind::kClc),
                         [](const auto& info) {
                           switch (info.param) {
                             case SupplyKind::kStatic:
                               return "Static";
                             case SupplyKind::kQueue:
                               return "Queue";
                             case SupplyKind::kClc:
                               return "Clc";
                           }
                           return "Unknown";
                         });

}  // namespace
}  // namespace tiletune
