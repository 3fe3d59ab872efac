#include "kernels/hopper/work_list.h"

#include <map>
#include <tuple>

#include "gtest/gtest.h"

namespace tiletune::hopper {
namespace {

WorkList List(uint32_t m, uint32_t n, uint32_t k_tiles, uint32_t slices,
              uint64_t workers) {
  return MakeWorkList(*MakeOrder({m, n, k_tiles, 1}, {3}), k_tiles, slices,
                      workers);
}

TEST(WorkList, CoversEveryKTileOfEveryTileExactlyOnce) {
  for (uint32_t slices : {1u, 2u, 5u, 7u}) {
    for (uint64_t workers : {1u, 4u, 13u, 100u}) {
      const WorkList list = List(5, 7, 7, slices, workers);
      std::map<std::tuple<uint32_t, uint32_t, uint32_t>, int> visits;
      for (uint64_t i = 0; i < list.size(); ++i) {
        const WorkItem item = list.At(i);
        for (uint32_t k = 0; k < item.k_tiles.count; ++k) {
          ++visits[{item.tile.m, item.tile.n, item.k_tiles.begin + k}];
        }
      }
      EXPECT_EQ(visits.size(), 5u * 7u * 7u);
      for (const auto& visit : visits) EXPECT_EQ(visit.second, 1);
    }
  }
}

TEST(WorkList, SplitsOnlyTheLastIncompleteWave) {
  const WorkList list = List(5, 7, 8, 4, /*workers=*/16);
  EXPECT_EQ(list.whole, 32u);
  EXPECT_EQ(list.split_tiles(), 3u);
  EXPECT_EQ(list.size(), 32u + 3u * 4u);
  EXPECT_EQ(list.At(31).slices, 1u);
  EXPECT_EQ(list.At(32).slices, 4u);
  EXPECT_EQ(list.At(35).tile.k_slice, 1u);
  EXPECT_EQ(list.At(35).split_tile, 0u);
}

TEST(WorkList, SplitsEverythingWhenTilesAreFewerThanWorkers) {
  const WorkList list = List(2, 2, 8, 4, /*workers=*/132);
  EXPECT_EQ(list.whole, 0u);
  EXPECT_EQ(list.size(), 16u);
}

TEST(WorkList, SplitsNothingWhenTheWavesAreFull) {
  EXPECT_EQ(List(4, 8, 8, 4, /*workers=*/16).size(), 32u);
}

TEST(WorkList, SlicesRunAtOnceWhenWorkersSufficeForThem) {
  EXPECT_TRUE(List(2, 2, 8, 4, /*workers=*/16).slices_run_at_once);
  EXPECT_FALSE(List(2, 2, 8, 4, /*workers=*/15).slices_run_at_once);
  // 3 of 35 tiles are split, after two whole waves.
  EXPECT_TRUE(List(5, 7, 8, 5, /*workers=*/16).slices_run_at_once);
  EXPECT_FALSE(List(5, 7, 8, 6, /*workers=*/16).slices_run_at_once);
}

TEST(WorkList, KnowsTheLastItemOfEachWorkerThatTakesEveryNth) {
  const WorkList list = List(5, 7, 8, 4, /*workers=*/16);
  for (uint32_t worker = 0; worker < 16; ++worker) {
    uint32_t last = worker;
    for (uint32_t i = worker; i < list.size(); i += 16) last = i;
    EXPECT_EQ(list.LastOf(worker, 16), last);
  }
}

TEST(WorkList, HasOneEmptySliceWhenKIsZero) {
  const WorkList list = List(2, 2, 0, 4, /*workers=*/132);
  EXPECT_EQ(list.size(), 4u);
  EXPECT_EQ(list.At(3).k_tiles.count, 0u);
}

}  // namespace
}  // namespace tiletune::hopper
