#include "scheduler/splitk_block_swizzle.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "scheduler/block_swizzle_golden.h"

namespace tiletune {
namespace {

template <uint32_t kOffset, uint32_t kDirection>
int CompareTemplate() {
  int compared = 0;
  for (const GoldenRow& row : ReadGoldenRows("split_k")) {
    if (row.swizzle_offset != kOffset || row.swizzle_direction != kDirection) {
      continue;
    }
    const SplitkGemmIdentityBlockSwizzle<kOffset, kDirection> swizzle(
        row.problem, row.tile, row.split_k);
    VisitHash hash;
    for (uint32_t task = 0; task < row.tasks; ++task) {
      const GemmCoord tile = swizzle.GetBlockCoord(task);
      const uint32_t slice = swizzle.GetSplitkSliceIdx(task);
      hash.Add(swizzle.GetBatchIdx(task));
      hash.Add(slice);
      hash.Add(tile);
      hash.Add(swizzle.GetActualBlockShape(tile, slice));
    }
    EXPECT_EQ(hash.value(), row.fnv1a64);
    ++compared;
  }
  return compared;
}

template <uint32_t kOffset>
int CompareBothDirections() {
  return CompareTemplate<kOffset, 0>() + CompareTemplate<kOffset, 1>();
}

TEST(SplitkBlockSwizzle, EqualsTheOriginalOnEveryGoldenRow) {
  const int compared = CompareBothDirections<1>() + CompareBothDirections<2>() +
                       CompareBothDirections<3>() + CompareBothDirections<4>() +
                       CompareBothDirections<5>() + CompareBothDirections<8>();
  EXPECT_EQ(compared, 150);
}

TEST(SplitkBlockSwizzle, VisitsAllTilesOfASliceBeforeTheNext) {
  const SplitkGemmIdentityBlockSwizzle<> swizzle(GemmCoord(32, 32, 80),
                                                 GemmCoord(16, 16, 16), 3);
  EXPECT_EQ(swizzle.loopsMNK, GemmCoord(2, 2, 5));
  EXPECT_EQ(swizzle.GetCoreLoops(), 12u);
  const std::vector<uint32_t> first_k = {0, 2, 4};
  const std::vector<uint32_t> length = {32, 32, 16};
  for (uint32_t task = 0; task < 12; ++task) {
    const uint32_t slice = swizzle.GetSplitkSliceIdx(task);
    EXPECT_EQ(slice, task / 4);
    EXPECT_EQ(swizzle.GetKIdxBySplitkSliceIdx(slice), first_k[slice]);
    const GemmCoord tile = swizzle.GetBlockCoord(task);
    EXPECT_EQ(tile.k(), first_k[slice]);
    EXPECT_EQ(swizzle.GetActualBlockShape(tile, slice),
              GemmCoord(16, 16, length[slice]));
  }
}

TEST(SplitkBlockSwizzle, ClampsAFactorBeyondTheKTiles) {
  const SplitkGemmIdentityBlockSwizzle<> swizzle(GemmCoord(16, 16, 20),
                                                 GemmCoord(16, 16, 16), 4);
  EXPECT_EQ(swizzle.splitkFactor, 2u);
  EXPECT_EQ(swizzle.GetCoreLoops(), 2u);
  EXPECT_EQ(swizzle.GetActualBlockShape(GemmCoord(0, 0, 1), 1),
            GemmCoord(16, 16, 4));
  EXPECT_EQ((SplitkGemmIdentityBlockSwizzle<>(GemmCoord(16, 16, 20),
                                              GemmCoord(16, 16, 16), 0)
                 .splitkFactor),
            1u);
}

TEST(SplitkBlockSwizzle, KeepsOneEmptySliceWhenKIsZero) {
  const SplitkGemmIdentityBlockSwizzle<> swizzle(GemmCoord(16, 16, 0),
                                                 GemmCoord(16, 16, 16), 4);
  EXPECT_EQ(swizzle.GetCoreLoops(), 1u);
  EXPECT_EQ(swizzle.GetActualBlockShape(GemmCoord(0, 0, 0), 0),
            GemmCoord(16, 16, 0));
}

TEST(SplitkBlockSwizzle, HasNoTasksByDefault) {
  const SplitkGemmIdentityBlockSwizzle<> swizzle;
  EXPECT_EQ(swizzle.GetCoreLoops(), 0u);
  EXPECT_EQ(swizzle.GetBlockCoord(3), GemmCoord());
  EXPECT_EQ(swizzle.GetBatchIdx(3), 0u);
}

TEST(SplitkBlockSwizzle, UpdatesLikeItsConstructors) {
  SplitkGemmIdentityBlockSwizzle<> swizzle;
  swizzle.Update(GemmCoord(32, 48, 80), GemmCoord(16, 16, 16), 2);
  EXPECT_EQ(swizzle.GetCoreLoops(), 12u);
  swizzle.Update(GemmCoord(32, 48, 80), GemmCoord(16, 16, 16),
                 GemmCoord(2, 1, 5), 2);
  EXPECT_EQ(swizzle.GetCoreLoops(), 4u);
}

TEST(SplitkBlockSwizzle, SaysWhen32BitsDoNotSuffice) {
  const SplitkGemmIdentityBlockSwizzle<> swizzle(
      GemmCoord(1u << 15, 1u << 15, 8), GemmCoord(1, 1, 1), 8);
  EXPECT_FALSE(swizzle.IsValid());
  EXPECT_EQ(swizzle.GetCoreLoops(), 0xffffffffu);
  const SplitkGemmIdentityBlockSwizzle<> vast(
      GemmCoord(0xffffffffu, 0xffffffffu, 0xffffffffu), GemmCoord(1, 1, 1),
      0xffffffffu);
  EXPECT_FALSE(vast.IsValid());
  EXPECT_EQ(vast.GetCoreLoops(), 0xffffffffu);
  // 2^64 tasks, which is 0 in 64 bits.
  const SplitkGemmIdentityBlockSwizzle<> wrapping(
      GemmCoord(1u << 31, 1u << 31, 4), GemmCoord(1, 1, 1), 4);
  EXPECT_FALSE(wrapping.IsValid());
  EXPECT_EQ(wrapping.GetCoreLoops(), 0xffffffffu);
}

}  // namespace
}  // namespace tiletune
