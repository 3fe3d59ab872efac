#include "testing/emulator/engines/matrix_load_store.h"

#include <set>
#include <utility>

#include "gtest/gtest.h"
#include "testing/emulator/engines/mma_sync.h"

namespace tiletune::emulator {
namespace {

TEST(MatrixLoadStore, EveryMemoryByteIsOneRegisterByte) {
  for (const MatrixAccess access :
       {MatrixAccess{MatrixShape::kM8N8B16, 4, false},
        MatrixAccess{MatrixShape::kM8N8B16, 2, true},
        MatrixAccess{MatrixShape::kM16N16B8, 2, true},
        MatrixAccess{MatrixShape::kM8N16, 4, false},
        MatrixAccess{MatrixShape::kM16N8B8, 4, true}}) {
    const int width = 4 / MatrixElementsPerRegister(access);
    std::set<std::pair<int, int>> bytes;
    for (int lane = 0; lane < 32; ++lane) {
      for (int reg = 0; reg < MatrixRegisters(access); ++reg) {
        for (int e = 0; e < MatrixElementsPerRegister(access); ++e) {
          const MatrixSource s = MatrixElement(access, lane, reg, e);
          EXPECT_LT(s.address_lane, MatrixAddressLanes(access));
          for (int b = 0; b < width; ++b) {
            EXPECT_LT(s.byte_offset + b, 16);
            bytes.insert({s.address_lane, s.byte_offset + b});
          }
        }
      }
    }
    EXPECT_EQ(bytes.size(),
              static_cast<size_t>(16 * MatrixAddressLanes(access)));
  }
}

// What ldmatrix is for: four 8x8 blocks of a row-major 16x16 A tile, in the
// order (rows 0-7, k 0-7), (8-15, 0-7), (0-7, 8-15), (8-15, 8-15), are the A
// fragment of mma.sync m16n8k16.
TEST(MatrixLoadStore, LoadsTheFragmentsOfMmaSync) {
  const MatrixAccess access{MatrixShape::kM8N8B16, 4, false};
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 8; ++i) {
      const MatrixSource s = MatrixElement(access, lane, i / 2, i % 2);
      const int block = s.address_lane / 8;
      const MatrixCell cell = {s.address_lane % 8 + 8 * (block % 2),
                               s.byte_offset / 2 + 8 * (block / 2)};
      EXPECT_EQ(cell, MmaSyncACell(16, lane, i));
    }
  }
}

// With .trans, two 8x8 blocks of a row-major K x N tile are the B fragment.
TEST(MatrixLoadStore, TransposedLoadsGiveTheBFragment) {
  const MatrixAccess access{MatrixShape::kM8N8B16, 2, true};
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const MatrixSource s = MatrixElement(access, lane, i / 2, i % 2);
      EXPECT_EQ((MatrixCell{s.address_lane, s.byte_offset / 2}),
                MmaSyncBCell(16, lane, i));
    }
  }
}

// stmatrix.m16n8.trans takes packed accumulators: register bytes are C
// elements 0 to 3, memory row j is column j of the 16x8 tile.
TEST(MatrixLoadStore, TransposedByteStoresTakeTheAccumulatorFragment) {
  const MatrixAccess access{MatrixShape::kM16N8B8, 1, true};
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const MatrixSource s = MatrixElement(access, lane, 0, i);
      EXPECT_EQ((MatrixCell{s.byte_offset, s.address_lane}),
                MmaSyncAccumulatorCell(lane, i));
    }
  }
}

// CuTe's SM100_U8x8_LDSM_T: source lanes ((2,2,4)) with strides (128,1024,256)
// bits, destination threads ((4,8)):((256,8)), values ((8,2,2,2)) with strides
// ((1,128,64,1024)).
TEST(MatrixLoadStore, SixteenBySixteenMatchesTheCuteTrait) {
  const MatrixAccess access{MatrixShape::kM16N16B8, 1, true};
  for (int lane = 0; lane < 32; ++lane) {
    for (int v = 0; v < 8; ++v) {
      const int destination = 256 * (lane % 4) + 8 * (lane / 4) +
                              128 * (v % 2) + 64 * (v / 2 % 2) + 1024 * (v / 4);
      const MatrixSource s = MatrixElement(access, lane, v / 4, v % 4);
      const int a = s.address_lane;
      const int source = 128 * (a % 2) + 1024 * (a / 2 % 2) + 256 * (a / 4) +
                         8 * s.byte_offset;
      EXPECT_EQ(source, destination);
    }
  }
}

TEST(MatrixLoadStore, EachBrokenRuleGetsItsSentence) {
  using Shape = MatrixShape;
  const auto count = [](Shape shape, int num, bool trans, bool store) {
    return CheckMatrixAccess({shape, num, trans}, store).size();
  };
  EXPECT_EQ(count(Shape::kM8N8B16, 4, false, false), 0u);
  EXPECT_EQ(count(Shape::kM8N8B16, 4, true, true), 0u);
  EXPECT_EQ(count(Shape::kM8N8B16, 3, false, false), 1u);
  EXPECT_EQ(count(Shape::kM16N16B8, 2, true, false), 0u);
  EXPECT_EQ(count(Shape::kM16N16B8, 4, true, false), 1u);
  EXPECT_EQ(count(Shape::kM16N16B8, 1, false, false), 1u);
  EXPECT_EQ(count(Shape::kM16N16B8, 1, true, true), 1u);
  EXPECT_EQ(count(Shape::kM16N8B8, 4, true, true), 0u);
  EXPECT_EQ(count(Shape::kM16N8B8, 1, true, false), 1u);
  EXPECT_EQ(count(Shape::kM16N8B8, 1, false, true), 1u);
  EXPECT_EQ(count(Shape::kM8N16, 4, false, false), 0u);
  EXPECT_EQ(count(Shape::kM8N16, 4, true, false), 1u);
}

}  // namespace
}  // namespace tiletune::emulator
