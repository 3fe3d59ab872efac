#include "scheduler/block_swizzle.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "scheduler/block_swizzle_golden.h"

namespace tiletune {
namespace {

constexpr uint32_t kHuge = 0xffffffffu;

// Hashes batch, tile and shape of every task of a golden row.
template <typename Swizzle>
uint64_t Hash(const Swizzle& swizzle, const GoldenRow& row) {
  VisitHash hash;
  for (uint32_t task = 0; task < row.tasks; ++task) {
    const GemmCoord tile = swizzle.GetBlockCoord(task);
    hash.Add(swizzle.GetBatchIdx(task));
    hash.Add(tile);
    hash.Add(swizzle.GetActualBlockShape(tile));
  }
  return hash.value();
}

TEST(BlockSwizzle, EqualsTheOriginalOnEveryGoldenRow) {
  const std::vector<GoldenRow> rows = ReadGoldenRows("identity");
  EXPECT_EQ(rows.size(), 300u);
  for (const GoldenRow& row : rows) {
    const DynamicGemmIdentityBlockSwizzle swizzle(
        row.problem, row.tile.GetCoordMN(), row.swizzle_offset,
        row.swizzle_direction);
    EXPECT_EQ(swizzle.GetCoreLoops() * row.batches, row.tasks);
    EXPECT_EQ(Hash(swizzle, row), row.fnv1a64);
  }
}

// The golden rows that a given compile-time swizzle covers.
template <uint32_t kOffset, uint32_t kDirection>
int CompareTemplate() {
  int compared = 0;
  for (const GoldenRow& row : ReadGoldenRows("identity")) {
    if (row.swizzle_offset != kOffset || row.swizzle_direction != kDirection) {
      continue;
    }
    const GemmIdentityBlockSwizzle<kOffset, kDirection> swizzle(
        row.problem, row.tile.GetCoordMN());
    EXPECT_EQ(Hash(swizzle, row), row.fnv1a64);
    ++compared;
  }
  return compared;
}

TEST(BlockSwizzle, EqualsTheOriginalWhenOffsetAndDirectionAreCompiledIn) {
  EXPECT_GT((CompareTemplate<1, 0>()), 0);
  EXPECT_GT((CompareTemplate<1, 1>()), 0);
  EXPECT_GT((CompareTemplate<3, 0>()), 0);
  EXPECT_GT((CompareTemplate<3, 1>()), 0);
}

TEST(BlockSwizzle, HasNoTasksByDefault) {
  const GemmIdentityBlockSwizzle<3, 1> swizzle;
  EXPECT_EQ(swizzle.problemShape, GemmCoord());
  EXPECT_EQ(swizzle.tileMN, MatrixCoord());
  EXPECT_EQ(swizzle.loopsMN, MatrixCoord());
  EXPECT_EQ(swizzle.GetCoreLoops(), 0u);
  EXPECT_EQ(swizzle.GetBatchIdx(5), 0u);
  EXPECT_EQ(swizzle.GetBlockCoord(5), GemmCoord());
  EXPECT_EQ(swizzle.GetActualBlockShape(GemmCoord()), GemmCoord());
}

TEST(BlockSwizzle, UpdatesLikeItsConstructors) {
  const GemmCoord problem(300, 200, 64);
  const MatrixCoord tile(128, 64);
  GemmIdentityBlockSwizzle<> swizzle;
  swizzle.Update(problem, tile);
  EXPECT_EQ(swizzle.loopsMN, MatrixCoord(3, 4));
  EXPECT_EQ((GemmIdentityBlockSwizzle<>(problem, tile).loopsMN),
            swizzle.loopsMN);
  swizzle.Update(problem, tile, MatrixCoord(2, 2));
  EXPECT_EQ(swizzle.GetCoreLoops(), 4u);
  EXPECT_EQ(
      (GemmIdentityBlockSwizzle<>(problem, tile, MatrixCoord(2, 2)).loopsMN),
      swizzle.loopsMN);
}

TEST(BlockSwizzle, TrimsTheLastRowAndColumn) {
  const GemmIdentityBlockSwizzle<> swizzle(GemmCoord(300, 200, 64),
                                           MatrixCoord(128, 64));
  EXPECT_EQ(swizzle.GetActualBlockShape(GemmCoord(0, 0, 0)),
            GemmCoord(128, 64, 64));
  EXPECT_EQ(swizzle.GetActualBlockShape(GemmCoord(2, 3, 0)),
            GemmCoord(44, 8, 64));
}

TEST(BlockSwizzle, VisitsTilesWhenKIsZero) {
  const GemmIdentityBlockSwizzle<> swizzle(GemmCoord(10, 10, 0),
                                           MatrixCoord(5, 5));
  EXPECT_EQ(swizzle.GetCoreLoops(), 4u);
  EXPECT_EQ(swizzle.GetActualBlockShape(GemmCoord(1, 1, 0)),
            GemmCoord(5, 5, 0));
}

TEST(BlockSwizzle, HasNoTasksWhenATileHasNoExtent) {
  const GemmIdentityBlockSwizzle<> swizzle(GemmCoord(10, 10, 10),
                                           MatrixCoord(0, 5));
  EXPECT_EQ(swizzle.GetCoreLoops(), 0u);
}

TEST(BlockSwizzle, CountsOffsetZeroAsOneAndAHugeOneAsTheAxis) {
  const GemmCoord problem(5, 4, 1);
  const MatrixCoord tile(1, 1);
  const GemmIdentityBlockSwizzle<0, 0> zero(problem, tile);
  const GemmIdentityBlockSwizzle<1, 0> one(problem, tile);
  const GemmIdentityBlockSwizzle<5, 0> all(problem, tile);
  const GemmIdentityBlockSwizzle<kHuge, 0> huge(problem, tile);
  for (uint32_t task = 0; task < 20; ++task) {
    EXPECT_EQ(zero.GetBlockCoord(task), one.GetBlockCoord(task));
    EXPECT_EQ(huge.GetBlockCoord(task), all.GetBlockCoord(task));
  }
}

TEST(BlockSwizzle, NeverUnderflowsWhenLoopsDoNotFitTheProblem) {
  const GemmIdentityBlockSwizzle<> swizzle(
      GemmCoord(100, 100, 1), MatrixCoord(64, 64), MatrixCoord(4, 1));
  EXPECT_EQ(swizzle.GetActualBlockShape(GemmCoord(3, 0, 0)),
            GemmCoord(0, 64, 1));
}

TEST(BlockSwizzle, RoundsUpWithoutOverflow) {
  const GemmIdentityBlockSwizzle<> swizzle(GemmCoord(kHuge, 1, 1),
                                           MatrixCoord(1u << 20, 1));
  EXPECT_EQ(swizzle.loopsMN, MatrixCoord(1u << 12, 1));
}

TEST(BlockSwizzle, SaysWhen32BitsDoNotSuffice) {
  const GemmIdentityBlockSwizzle<> large(GemmCoord(70000, 70000, 1),
                                         MatrixCoord(1, 1));
  EXPECT_FALSE(large.IsValid());
  EXPECT_EQ(large.GetCoreLoops(), kHuge);  // Not the wrapped 605032704.

  const GemmIdentityBlockSwizzle<> half(GemmCoord(1u << 16, 1u << 15, 1),
                                        MatrixCoord(1, 1));
  EXPECT_TRUE(half.IsValid(/*batches=*/1, /*core_num=*/20));
  EXPECT_FALSE(half.IsValid(/*batches=*/2, /*core_num=*/20));
  // A grid stride of 2^31 from the last task still fits; one more does not.
  EXPECT_TRUE(half.IsValid(1, 1u << 31));
  EXPECT_FALSE(half.IsValid(1, (1u << 31) + 1));
}

TEST(DynamicBlockSwizzle, ReportsADirectionThatDoesNotExist) {
  DynamicGemmIdentityBlockSwizzle swizzle(GemmCoord(5, 4, 1), MatrixCoord(1, 1),
                                          3, 2);
  EXPECT_FALSE(swizzle.IsValid());
  const GemmIdentityBlockSwizzle<3, 1> nz(GemmCoord(5, 4, 1),
                                          MatrixCoord(1, 1));
  EXPECT_EQ(swizzle.GetBlockCoord(7), nz.GetBlockCoord(7));
  swizzle.SetSwizzleParams(3, 1);
  EXPECT_TRUE(swizzle.IsValid());
}

TEST(DynamicBlockSwizzle, HidesTheMethodOfItsBase) {
  const DynamicGemmIdentityBlockSwizzle swizzle(GemmCoord(5, 4, 1),
                                                MatrixCoord(1, 1), 5, 0);
  const GemmIdentityBlockSwizzle<>& base = swizzle;
  EXPECT_EQ(swizzle.GetBlockCoord(1), GemmCoord(1, 0, 0));
  EXPECT_EQ(base.GetBlockCoord(1), GemmCoord(0, 1, 0));
}

}  // namespace
}  // namespace tiletune
