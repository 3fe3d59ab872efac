#include "testing/emulator/engines/tma.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "testing/emulator/engines/tensor_map_testing.h"

namespace tiletune::emulator {
namespace {

TEST(Tma, TraversalStridesSkipElements) {
  TensorMap map = SmallMap(Swizzle::kNone);
  map.element_strides = {1, 3, 1};
  EXPECT_EQ(TmaSharedBytes(map, TmaMode::kTile), 32u * 2 * 2);
  TmaRequest request;
  request.coordinates = {0, 1, 0};
  std::vector<TmaRow> rows;
  WalkRows(map, request, &rows);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].global_address, map.address + 96);
  EXPECT_EQ(rows[1].global_address, map.address + 4 * 96);
  EXPECT_EQ(rows[2].global_address, map.address + 96 * 8 + 96);
  EXPECT_EQ(rows[1].shared_address, 32u);
}

TEST(Tma, GatherTakesFourRowsAnywhere) {
  TensorMap map = SmallMap(Swizzle::kNone);
  map.rank = 2;
  map.box = {16, 1};
  TmaRequest request;
  request.mode = TmaMode::kGather4;
  request.coordinates = {8, 6, 0, 7, 2};
  EXPECT_TRUE(CheckTma(map, request).empty());
  std::vector<TmaRow> rows;
  WalkRows(map, request, &rows);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].global_address, map.address + 6 * 96 + 16);
  EXPECT_EQ(rows[1].global_address, map.address + 16);
  EXPECT_EQ(rows[2].inside_bytes, 0u);  // row 7 is outside
  EXPECT_EQ(rows[3].shared_address, 96u);
  EXPECT_EQ(TmaTransactionBytes(map, TmaMode::kGather4), 128u);
}

TEST(Tma, EachBrokenRuleGetsItsSentence) {
  const auto first = [](const TensorMap& map, const TmaRequest& request) {
    const Findings findings = CheckTma(map, request);
    return findings.empty() ? std::string() : findings[0];
  };
  TmaRequest request;
  TensorMap map = SmallMap(Swizzle::k128);
  EXPECT_EQ(first(map, request), "");
  request.shared_address = 64;
  EXPECT_NE(first(map, request).find("aligned to 128"), std::string::npos);
  request.shared_address = 0;
  request.coordinates = {12, 0, 0};
  EXPECT_NE(first(map, request).find("multiple of 16"), std::string::npos);
  request.coordinates = {0, -1, 0};
  EXPECT_EQ(first(map, request), "");
  request.direction = TmaDirection::kStore;
  EXPECT_NE(first(map, request).find("must not be negative"),
            std::string::npos);
  request.coordinates = {};
  map.swizzle = Swizzle::k128Atom32Flip8;
  EXPECT_NE(first(map, request).find("only for loads"), std::string::npos);
  map.swizzle = Swizzle::k128;
  request.mode = TmaMode::kGather4;
  EXPECT_NE(first(map, request).find("loads and prefetches"),
            std::string::npos);
  request.mode = TmaMode::kScatter4;
  EXPECT_NE(first(map, request).find("rank 2"), std::string::npos);
  map.rank = 2;
  EXPECT_NE(first(map, request).find("one row"), std::string::npos);
  request.mode = TmaMode::kTile;
  map.type = TensorMapType::k16U4Align16B;
  EXPECT_NE(first(map, request).find("only loaded"), std::string::npos);
  request.direction = TmaDirection::kReduce;
  EXPECT_NE(first(map, request).find("Reductions"), std::string::npos);
  request.direction = TmaDirection::kLoad;
  request.coordinates = {64, 0};
  EXPECT_NE(first(map, request).find("multiple of 128"), std::string::npos);
  map.type = TensorMapType::k16U4Align8B;
  request.coordinates = {3, 0};
  EXPECT_NE(first(map, request).find("middle of a byte"), std::string::npos);
  request.coordinates = {16, 0};  // 8 bytes
  EXPECT_NE(first(map, request).find("multiple of 16"), std::string::npos);
  request.coordinates = {-32, 0};
  EXPECT_EQ(first(map, request), "");
}

TEST(Tma, RowsOutsideTheTensorHaveNoInsidePart) {
  const TensorMap map = SmallMap(Swizzle::k32);
  TmaRequest request;
  request.coordinates = {36, 6, 0};
  std::vector<TmaRow> rows;
  WalkRows(map, request, &rows);
  ASSERT_EQ(rows.size(), 8u);
  EXPECT_EQ(rows[0].inside_offset, 0u);
  EXPECT_EQ(rows[0].inside_bytes, 8u);  // elements 36..39 of 40
  EXPECT_EQ(rows[0].global_address, map.address + 6 * 96 + 72);
  EXPECT_EQ(rows[1].inside_bytes, 0u);  // row 7 of 7
  request.coordinates = {-3, 0, 0};
  WalkRows(map, request, &rows);
  EXPECT_EQ(rows[0].inside_offset, 6u);
  EXPECT_EQ(rows[0].inside_bytes, 26u);
  EXPECT_EQ(rows[0].global_address, map.address);
}

TEST(Tma, RunsSplitAtTheEdgeOfTheTensor) {
  const TensorMap map = SmallMap(Swizzle::k32);
  TmaRequest request;
  request.coordinates = {36, 0, 0};
  request.shared_address = 128;
  std::vector<TmaRow> rows;
  WalkRows(map, request, &rows);
  std::vector<TmaRun> runs;
  AppendRuns(map, TmaDirection::kLoad, rows[0], &runs);
  ASSERT_EQ(runs.size(), 3u);  // line 1 swaps the two 16-byte cells
  EXPECT_EQ(runs[0].shared_address, 128u + 16);
  EXPECT_EQ(runs[0].shared_bytes, 8u);
  EXPECT_TRUE(runs[0].inside);
  EXPECT_EQ(runs[1].shared_address, 128u + 24);
  EXPECT_FALSE(runs[1].inside);
  EXPECT_EQ(runs[2].shared_address, 128u);
  EXPECT_EQ(runs[2].shared_bytes, 16u);
}

}  // namespace
}  // namespace tiletune::emulator
