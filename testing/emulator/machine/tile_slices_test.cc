#include "testing/emulator/machine/tile_slices.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "testing/emulator/machine/cta.h"
#include "testing/emulator/snippet/read_trace.h"

namespace tiletune::emulator {
namespace {

constexpr uint32_t kStage = 1024;  // bytes of an operand's stage

class TileSlicesTest : public testing::Test {
 protected:
  TileSlicesTest() {
    cta_.sm = &sm_;
    for (int i = 0; i < 4; ++i) {
      rows_.push_back(trace_.AddRow(0, i, Trace::RowKind::kNested));
      trace_.NameRow(rows_.back(), "row " + std::to_string(i));
    }
  }

  void Load(int row, uint32_t stage, const std::string& box, uint64_t now) {
    tiles_.OnLoad(rows_[row], &cta_, {{&cta_, stage * kStage}}, kStage, box,
                  now);
  }
  void Mma(bool overwrites, uint32_t stage, int column, uint64_t now) {
    tiles_.OnTensorMma(rows_[1], &cta_, overwrites,
                       {{&cta_, stage * kStage + 32}}, {{&sm_, column}}, now);
  }
  void WarpMma(int row, const std::vector<uint32_t>& stages, uint64_t now) {
    std::vector<TileSlices::SharedAddress> operands;
    for (uint32_t stage : stages) operands.emplace_back(&cta_, stage * kStage);
    tiles_.OnWarpMma(rows_[row], &cta_, operands, now);
  }

  // "name begin end" of a row.
  std::vector<std::string> Slices(int row) {
    Trace trace = trace_;
    tiles_.Write(&trace);
    const std::string path = TracePath("tiles");
    EXPECT_TRUE(trace.WriteFile(path));
    const ReadTrace read(path);
    EXPECT_TRUE(read.IsWellFormed());
    std::vector<std::string> out;
    for (const auto& s : read.slices("tile", std::to_string(row))) {
      out.push_back(s.name + " " + std::to_string(s.begin) + " " +
                    std::to_string(s.end));
    }
    return out;
  }

  using Strings = std::vector<std::string>;
  Sm sm_;
  Cta cta_;
  Trace trace_;
  TileSlices tiles_;
  std::vector<int> rows_;
};

TEST_F(TileSlicesTest, AnMmaThatOverwritesAfterACommitBeginsATile) {
  Mma(true, 0, 0, 10);
  Mma(false, 0, 0, 12);
  tiles_.OnTensorCommit(rows_[1], 14);
  Mma(false, 1, 0, 20);
  tiles_.OnTensorCommit(rows_[1], 22);
  Mma(true, 2, 256, 30);
  EXPECT_EQ(Slices(1), (Strings{"tile 0 9 22", "tile 1 29 30"}));
}

TEST_F(TileSlicesTest, TwoAccumulatorsBeforeACommitAreOneTile) {
  Mma(true, 0, 0, 10);
  Mma(true, 0, 128, 12);
  tiles_.OnTensorCommit(rows_[1], 14);
  EXPECT_EQ(Slices(1), Strings{"tile 0 9 14"});
}

TEST_F(TileSlicesTest, LoadsBelongToTheTileThatReadsThem) {
  Load(0, 0, "(0,0)", 5);
  Load(0, 1, "(64,0)", 6);
  Load(0, 2, "(0,128)", 7);  // long before the second tile
  Mma(true, 0, 0, 10);
  Mma(false, 1, 0, 11);
  tiles_.OnTensorCommit(rows_[1], 12);
  Mma(true, 2, 0, 20);
  EXPECT_EQ(Slices(0), (Strings{"tile 0 4 6", "tile 1 6 7"}));
}

TEST_F(TileSlicesTest, AnEpilogueWorksOnTheTileOfItsColumns) {
  Mma(true, 0, 0, 10);
  tiles_.OnTensorCommit(rows_[1], 11);
  Mma(true, 1, 256, 12);  // the other accumulator
  tiles_.OnTensorLoad(rows_[2], &sm_, 32, 20);
  tiles_.OnStore(rows_[2], true, 25);
  tiles_.OnTensorLoad(rows_[2], &sm_, 256, 30);
  tiles_.OnStore(rows_[2], true, 35);
  EXPECT_EQ(Slices(2), (Strings{"tile 0 19 25", "tile 1 29 35"}));
}

TEST_F(TileSlicesTest, WarpsThatShareAnOperandShareATile) {
  Load(0, 0, "B", 5);
  WarpMma(1, {4, 0}, 10);
  WarpMma(2, {5, 0}, 11);
  tiles_.OnStore(rows_[1], true, 15);
  tiles_.OnStore(rows_[2], true, 16);
  Load(0, 0, "B", 17);
  WarpMma(1, {4, 0}, 20);
  WarpMma(2, {5, 0}, 21);
  EXPECT_EQ(Slices(1), (Strings{"tile 0 9 15", "tile 1 19 20"}));
  EXPECT_EQ(Slices(2), (Strings{"tile 0 10 16", "tile 1 20 21"}));
  EXPECT_EQ(Slices(0), (Strings{"tile 0 4 5", "tile 1 16 17"}));
}

TEST_F(TileSlicesTest, WarpsThatTakeTurnsHaveTilesOfTheirOwn) {
  Load(0, 0, "B", 5);
  WarpMma(1, {0}, 10);
  Load(0, 0, "B", 12);
  WarpMma(2, {0}, 15);
  EXPECT_EQ(Slices(1), Strings{"tile 0 9 10"});
  EXPECT_EQ(Slices(2), Strings{"tile 1 14 15"});
}

TEST_F(TileSlicesTest, AMulticastLoadBelongsToATileInEachCta) {
  Cta peer;
  peer.id = {1, 0, 0};
  tiles_.OnLoad(rows_[0], &peer, {{&cta_, 0}, {&peer, 0}}, kStage, "B", 5);
  WarpMma(1, {0}, 10);
  tiles_.OnStore(rows_[1], true, 11);
  tiles_.OnLoad(rows_[0], &peer, {{&cta_, 0}, {&peer, 0}}, kStage, "B", 12);
  WarpMma(1, {0}, 15);
  tiles_.OnWarpMma(rows_[2], &peer, {{&peer, 0}}, 20);
  EXPECT_EQ(Slices(1), (Strings{"tile 0 9 11", "tile 1 14 15"}));
  EXPECT_EQ(Slices(2), Strings{"tile 0 19 20"});
  EXPECT_EQ(Slices(0), (Strings{"tile 0 4 5", "tile 0 11 12"}));
}

TEST_F(TileSlicesTest, AnOperandThatStaysDoesNotKeepTheTile) {
  Load(0, 0, "A", 4);
  Load(0, 1, "B", 5);
  WarpMma(1, {0, 1}, 10);
  tiles_.OnStore(rows_[1], true, 15);
  Load(0, 1, "B", 16);
  WarpMma(1, {0, 1}, 20);
  EXPECT_EQ(Slices(1), (Strings{"tile 0 9 15", "tile 1 19 20"}));
}

TEST_F(TileSlicesTest, OperandsStoredOnTheirWayToMmaSyncEndNoTile) {
  WarpMma(1, {}, 10);
  tiles_.OnStore(rows_[1], /*is_global=*/false, 11);
  WarpMma(1, {}, 12);
  tiles_.OnStore(rows_[1], /*is_global=*/true, 20);
  WarpMma(1, {}, 30);
  EXPECT_EQ(Slices(1), (Strings{"tile 0 9 20", "tile 1 29 30"}));
}

TEST_F(TileSlicesTest, WarpsWithoutLoadsCountAlike) {
  WarpMma(1, {}, 10);
  WarpMma(2, {}, 11);
  EXPECT_EQ(Slices(2), Strings{"tile 0 10 11"});
}

TEST_F(TileSlicesTest, ANewWarpOnTheRowContinuesNothing) {
  WarpMma(1, {}, 10);
  tiles_.OnStart(rows_[1]);
  tiles_.OnStore(rows_[1], true, 40);
  Load(1, 0, "that nothing reads", 41);
  EXPECT_EQ(Slices(1), Strings{"tile 0 9 10"});
}

}  // namespace
}  // namespace tiletune::emulator
