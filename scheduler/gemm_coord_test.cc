#include "scheduler/gemm_coord.h"

#include "gtest/gtest.h"

namespace tiletune {
namespace {

TEST(GemmCoord, IsZeroByDefault) {
  EXPECT_EQ(GemmCoord(), GemmCoord(0, 0, 0));
  EXPECT_EQ(MatrixCoord(), MatrixCoord(0, 0));
}

TEST(GemmCoord, GivesRowsAndColumns) {
  GemmCoord coord(1, 2, 3);
  coord.k() = 4;
  EXPECT_EQ(coord, GemmCoord(1, 2, 4));
  EXPECT_EQ(coord.GetCoordMN(), MatrixCoord(1, 2));
}

TEST(GemmCoord, DividesByComponentRoundingUp) {
  EXPECT_EQ(CeilDiv(MatrixCoord(129, 256), MatrixCoord(128, 128)),
            MatrixCoord(2, 2));
  EXPECT_EQ(CeilDiv(GemmCoord(1, 0, 65), GemmCoord(128, 128, 64)),
            GemmCoord(1, 0, 2));
}

TEST(GemmCoord, HasNoTilesWhenATileHasNoExtent) {
  EXPECT_EQ(CeilDiv(GemmCoord(8, 8, 8), GemmCoord(0, 4, 0)),
            GemmCoord(0, 2, 0));
}

}  // namespace
}  // namespace tiletune
