#include "testing/emulator/engines/tmem_layout.h"

#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

constexpr DataPathLayout kLayouts[] = {DataPathLayout::kA, DataPathLayout::kB,
                                       DataPathLayout::kC, DataPathLayout::kD,
                                       DataPathLayout::kE, DataPathLayout::kF,
                                       DataPathLayout::kG};

DataPathLayout Chosen(int m, int cta_group, bool ws, bool sparse) {
  DataPathLayout layout;
  EXPECT_TRUE(ChooseLayout(m, cta_group, ws, sparse, &layout));
  return layout;
}

TEST(TmemLayout, TheTableOfDataPathLayouts) {
  EXPECT_EQ(LayoutName(Chosen(32, 1, true, false)), 'G');
  EXPECT_EQ(LayoutName(Chosen(64, 1, true, true)), 'E');
  EXPECT_EQ(LayoutName(Chosen(64, 1, false, false)), 'F');
  EXPECT_EQ(LayoutName(Chosen(128, 1, false, false)), 'D');
  EXPECT_EQ(LayoutName(Chosen(128, 1, true, false)), 'D');
  EXPECT_EQ(LayoutName(Chosen(128, 2, false, false)), 'B');
  EXPECT_EQ(LayoutName(Chosen(128, 2, false, true)), 'C');
  EXPECT_EQ(LayoutName(Chosen(256, 2, false, true)), 'A');
  DataPathLayout layout;
  EXPECT_FALSE(ChooseLayout(32, 1, false, false, &layout));
  EXPECT_FALSE(ChooseLayout(256, 1, false, false, &layout));
  EXPECT_FALSE(ChooseLayout(64, 2, false, false, &layout));
  EXPECT_FALSE(ChooseLayout(128, 2, true, false, &layout));
}

TEST(TmemLayout, EveryElementHasItsOwnCell) {
  for (DataPathLayout layout : kLayouts) {
    const int n_extent = 64;
    std::set<std::pair<int, int>> cells;
    for (int row = 0; row < LayoutRows(layout); ++row) {
      for (int n = 0; n < n_extent; ++n) {
        const TmemAddress at =
            AccumulatorCell(layout, n_extent, {0, 32}, row, n);
        EXPECT_GE(at.lane, 0);
        EXPECT_LT(at.lane, kTmemLanes);
        EXPECT_GE(at.column, 32);
        EXPECT_LT(at.column, 32 + LayoutColumns(layout, n_extent));
        cells.insert({at.lane, at.column});
      }
    }
    EXPECT_EQ(cells.size(), static_cast<size_t>(LayoutRows(layout) * n_extent));
  }
}

TEST(TmemLayout, KnownCells) {
  const auto cell = [](DataPathLayout layout, int row, int n) {
    const TmemAddress at = AccumulatorCell(layout, 128, {0, 0}, row, n);
    return std::pair{at.lane, at.column};
  };
  using Pair = std::pair<int, int>;
  EXPECT_EQ(cell(DataPathLayout::kD, 77, 100), (Pair{77, 100}));
  EXPECT_EQ(cell(DataPathLayout::kB, 5, 63), (Pair{5, 63}));
  EXPECT_EQ(cell(DataPathLayout::kB, 5, 64), (Pair{69, 0}));
  EXPECT_EQ(cell(DataPathLayout::kE, 63, 127), (Pair{127, 63}));
  EXPECT_EQ(cell(DataPathLayout::kF, 15, 9), (Pair{15, 9}));
  EXPECT_EQ(cell(DataPathLayout::kF, 16, 9), (Pair{32, 9}));
  EXPECT_EQ(cell(DataPathLayout::kF, 63, 9), (Pair{111, 9}));
  EXPECT_EQ(cell(DataPathLayout::kG, 31, 32), (Pair{63, 0}));
  EXPECT_EQ(cell(DataPathLayout::kG, 0, 127), (Pair{96, 31}));
}

TEST(TmemLayout, BlocksCoverExactlyTheCells) {
  for (DataPathLayout layout : kLayouts) {
    const int n_extent = 64;
    const bool half =
        layout == DataPathLayout::kC || layout == DataPathLayout::kF;
    const TmemAddress base = {half ? 16 : 0, 100};
    int count = 0;
    for (const TmemBlock& b : LayoutBlocks(layout, n_extent, base)) {
      for (int i = 0; i < b.rows; ++i) {
        for (int j = 0; j < b.columns; ++j) {
          const TmemAddress at =
              AccumulatorCell(layout, n_extent, base, b.row + i, b.n + j);
          ASSERT_EQ(at.lane, b.lane + i);
          ASSERT_EQ(at.column, b.column + j);
          ++count;
        }
      }
    }
    EXPECT_EQ(count, LayoutRows(layout) * n_extent);
  }
}

TEST(TmemLayout, AlignmentAndBoundsGetTheirSentences) {
  EXPECT_TRUE(CheckAccumulator(DataPathLayout::kD, 256, {0, 256}).empty());
  EXPECT_TRUE(CheckAccumulator(DataPathLayout::kF, 256, {16, 0}).empty());
  EXPECT_EQ(CheckAccumulator(DataPathLayout::kD, 256, {16, 0}).size(), 1u);
  EXPECT_EQ(CheckAccumulator(DataPathLayout::kF, 256, {32, 0}).size(), 1u);
  EXPECT_EQ(CheckAccumulator(DataPathLayout::kD, 256, {0, 257}).size(), 1u);
  EXPECT_TRUE(CheckAccumulator(DataPathLayout::kB, 256, {0, 384}).empty());
}

TEST(TmemLayout, OperandAUnpacksItsContainers) {
  std::vector<uint32_t> tmem(kTmemLanes * kTmemColumns);
  std::vector<float> values(128 * 64);
  const int at = 3 * kTmemColumns + 10;  // lane 3, column 10
  const auto load = [&](MmaKind kind, Format format, int depth) {
    EXPECT_TRUE(LoadTmemOperand(kind, format, DataPathLayout::kD, {0, 10},
                                depth, tmem.data(), values.data()));
    return &values[3 * static_cast<size_t>(depth)];
  };
  tmem[at] = 0x40003F80;  // bf16 1, 2
  const float* row = load(MmaKind::kF16, Format::kBf16, 16);
  EXPECT_EQ(row[0], 1);
  EXPECT_EQ(row[1], 2);
  tmem[at + 7] = 0x40400000;  // the last of eight words: element 15 is 3
  row = load(MmaKind::kF16, Format::kBf16, 16);
  EXPECT_EQ(row[15], 3);
  tmem[at] = 0x3F801FFF;
  EXPECT_EQ(load(MmaKind::kTf32, Format::kTf32, 8)[0], 1);
  tmem[at] = 0x40380000;  // e4m3 0, 0, 1, 2
  row = load(MmaKind::kF8f6f4, Format::kE4m3, 32);
  EXPECT_EQ(row[2], 1);
  EXPECT_EQ(row[3], 2);
  tmem[at] = 0x7 << 2;  // e2m1 6 in bits 5-2
  EXPECT_EQ(load(MmaKind::kMxf8f6f4, Format::kE2m1, 32)[0], 6);
  tmem[at] = 0x72000000;  // packed e2m1: elements 6 and 7
  row = load(MmaKind::kMxf4, Format::kE2m1, 64);
  EXPECT_EQ(row[6], 1);
  EXPECT_EQ(row[7], 6);
  EXPECT_FALSE(LoadTmemOperand(MmaKind::kTf32, Format::kTf32,
                               DataPathLayout::kD, {0, 505}, 8, tmem.data(),
                               values.data()));
}

TEST(TmemLayout, OperandAOfLayoutFSkipsLanes) {
  std::vector<uint32_t> tmem(kTmemLanes * kTmemColumns);
  for (int lane = 0; lane < kTmemLanes; ++lane) {
    const float value = static_cast<float>(lane);
    std::memcpy(&tmem[static_cast<size_t>(lane) * kTmemColumns], &value, 4);
  }
  std::vector<float> values(64 * 8);
  ASSERT_TRUE(LoadTmemOperand(MmaKind::kTf32, Format::kTf32, DataPathLayout::kF,
                              {16, 0}, 8, tmem.data(), values.data()));
  EXPECT_EQ(values[0], 16);
  EXPECT_EQ(values[15 * 8], 31);
  EXPECT_EQ(values[16 * 8], 48);
  EXPECT_EQ(values[63 * 8], 127);
}

TEST(TmemLayout, ScaleFactorsSelectBytesById) {
  std::vector<uint32_t> tmem(kTmemLanes * kTmemColumns);
  // Row 37 is in lane 5, column 1: bytes 127, 128, 129, 130 (1, 2, 4, 8).
  tmem[5 * kTmemColumns + 20 + 1] = 0x8281807F;
  std::vector<float> values(128 * 4);
  const auto load = [&](int count, int id) {
    return LoadScaleFactors(Format::kUe8m0, 128, count, id, {0, 20},
                            tmem.data(), values.data());
  };
  ASSERT_TRUE(load(1, 2));
  EXPECT_EQ(values[37], 4);
  ASSERT_TRUE(load(2, 2));
  EXPECT_EQ(values[37 * 2], 4);
  EXPECT_EQ(values[37 * 2 + 1], 8);
  ASSERT_TRUE(load(4, 0));
  EXPECT_EQ(values[37 * 4 + 1], 2);
  EXPECT_FALSE(load(4, 1));
  EXPECT_FALSE(load(3, 0));  // K = 96 is not modelled
  EXPECT_FALSE(LoadScaleFactors(Format::kUe8m0, 256, 1, 0, {0, 505},
                                tmem.data(), values.data()));
}

TEST(TmemLayout, MissingReplicationIsSeen) {
  std::vector<uint32_t> tmem(kTmemLanes * kTmemColumns, 0x01020304);
  EXPECT_TRUE(ScaleFactorsAreReplicated(128, {0, 8}, tmem.data()));
  for (int lane = 0; lane < kTmemLanes; ++lane) {
    uint32_t& word = tmem[static_cast<size_t>(lane) * kTmemColumns + 11];
    word = 0;
    EXPECT_FALSE(ScaleFactorsAreReplicated(128, {0, 8}, tmem.data()));
    EXPECT_TRUE(ScaleFactorsAreReplicated(96, {0, 8}, tmem.data()));
    word = 0x01020304;
  }
  for (int lane = 5; lane < kTmemLanes; lane += 32) {  // alike in all four
    tmem[static_cast<size_t>(lane) * kTmemColumns + 8] = 77;
  }
  EXPECT_TRUE(ScaleFactorsAreReplicated(128, {0, 8}, tmem.data()));
}

}  // namespace
}  // namespace tiletune::emulator
