#include "scheduler/supply.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

TEST(GridClusters, LaunchesTheResidentsOrOnePerTile) {
  EXPECT_EQ(GridClusters(SupplyKind::kStatic, 1000, 132), 132u);
  EXPECT_EQ(GridClusters(SupplyKind::kQueue, 1000, 132), 132u);
  EXPECT_EQ(GridClusters(SupplyKind::kClc, 1000, 132), 1000u);
}

TEST(GridClusters, NeverLaunchesMoreWorkersThanTiles) {
  EXPECT_EQ(GridClusters(SupplyKind::kStatic, 5, 132), 5u);
  EXPECT_EQ(GridClusters(SupplyKind::kQueue, 5, 132), 5u);
  EXPECT_EQ(GridClusters(SupplyKind::kClc, 5, 132), 5u);
}

TEST(GridClusters, LaunchesNothingForNoTiles) {
  EXPECT_EQ(GridClusters(SupplyKind::kStatic, 0, 132), 0u);
  EXPECT_EQ(GridClusters(SupplyKind::kQueue, 0, 132), 0u);
  EXPECT_EQ(GridClusters(SupplyKind::kClc, 0, 132), 0u);
}

TEST(SupplyCanServe, CountsClcTilesInGridX) {
  EXPECT_TRUE(SupplyCanServe(SupplyKind::kClc, 0x7fffffff, 1));
  EXPECT_FALSE(SupplyCanServe(SupplyKind::kClc, 0x80000000, 1));
  EXPECT_TRUE(SupplyCanServe(SupplyKind::kClc, 0x7fffffff / 4, 4));
  EXPECT_FALSE(SupplyCanServe(SupplyKind::kClc, 0x7fffffff / 4 + 1, 4));
  EXPECT_FALSE(SupplyCanServe(SupplyKind::kClc, 1, 0));
}

TEST(SupplyCanServe, CountsQueueTicketsIn32Bits) {
  EXPECT_TRUE(SupplyCanServe(SupplyKind::kQueue, 0xffffffff, 2));
  EXPECT_FALSE(SupplyCanServe(SupplyKind::kQueue, uint64_t{1} << 32, 2));
  EXPECT_TRUE(SupplyCanServe(SupplyKind::kStatic, uint64_t{1} << 40, 2));
}

TEST(SupplyWorkspaceBytes, IsOneCounterForTheQueueAlone) {
  EXPECT_EQ(SupplyWorkspaceBytes(SupplyKind::kStatic), 0u);
  EXPECT_EQ(SupplyWorkspaceBytes(SupplyKind::kQueue), 4u);
  EXPECT_EQ(SupplyWorkspaceBytes(SupplyKind::kClc), 0u);
}

TEST(TileIndex, IsTheEndByDefault) {
  EXPECT_FALSE(TileIndex().valid());
  EXPECT_TRUE(TileIndex(0).valid());
  EXPECT_EQ(TileIndex(7).index(), 7u);
}

}  // namespace
}  // namespace tiletune
