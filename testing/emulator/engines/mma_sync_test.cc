#include "testing/emulator/engines/mma_sync.h"

#include <string>

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

// The formulas of PTX ISA 9.7.14.5.7 - 9.7.14.5.10, copied case by case.
TEST(MmaSync, OperandAMatchesTheIsaFormulas) {
  for (int lane = 0; lane < 32; ++lane) {
    const int group = lane >> 2, member = lane % 4;
    for (int i = 0; i < 4; ++i) {  // m16n8k8 f16
      EXPECT_EQ(MmaSyncACell(16, lane, i),
                (MatrixCell{i < 2 ? group : group + 8, member * 2 + (i & 1)}));
    }
    for (int i = 0; i < 4; ++i) {  // m16n8k8 tf32
      EXPECT_EQ(MmaSyncACell(32, lane, i),
                (MatrixCell{i % 2 == 0 ? group : group + 8,
                            i < 2 ? member : member + 4}));
    }
    for (int i = 0; i < 8; ++i) {  // m16n8k16 f16
      const bool low = i < 2 || (4 <= i && i < 6);
      EXPECT_EQ(MmaSyncACell(16, lane, i),
                (MatrixCell{low ? group : group + 8,
                            member * 2 + (i & 1) + (i >= 4 ? 8 : 0)}));
    }
    for (int i = 0; i < 8; ++i) {  // m16n8k16 s8
      EXPECT_EQ(MmaSyncACell(8, lane, i),
                (MatrixCell{i < 4 ? group : group + 8, member * 4 + (i & 3)}));
    }
    for (int i = 0; i < 16; ++i) {  // m16n8k32 s8, e4m3
      const bool low = i < 4 || (8 <= i && i < 12);
      EXPECT_EQ(MmaSyncACell(8, lane, i),
                (MatrixCell{low ? group : group + 8,
                            member * 4 + (i & 3) + (i < 8 ? 0 : 16)}));
    }
  }
}

TEST(MmaSync, OperandBMatchesTheIsaFormulas) {
  for (int lane = 0; lane < 32; ++lane) {
    const int group = lane >> 2, member = lane % 4;
    for (int i = 0; i < 2; ++i) {  // m16n8k8 tf32
      EXPECT_EQ(MmaSyncBCell(32, lane, i), (MatrixCell{member + 4 * i, group}));
    }
    for (int i = 0; i < 4; ++i) {  // m16n8k16 f16
      EXPECT_EQ(MmaSyncBCell(16, lane, i),
                (MatrixCell{member * 2 + (i & 1) + (i < 2 ? 0 : 8), group}));
    }
    for (int i = 0; i < 8; ++i) {  // m16n8k32 s8
      EXPECT_EQ(MmaSyncBCell(8, lane, i),
                (MatrixCell{member * 4 + (i & 3) + (i < 4 ? 0 : 16), group}));
    }
  }
}

TEST(MmaSync, AccumulatorMatchesTheIsaFormulas) {
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < kMmaSyncAccumulatorElements; ++i) {
      EXPECT_EQ(MmaSyncAccumulatorCell(lane, i),
                (MatrixCell{(lane >> 2) + (i < 2 ? 0 : 8),
                            (lane % 4) * 2 + (i & 1)}));
    }
  }
}

TEST(MmaSync, ElementCounts) {
  EXPECT_EQ(MmaSyncAElements(8), 4);
  EXPECT_EQ(MmaSyncAElements(32), 16);
  EXPECT_EQ(MmaSyncBElements(16), 4);
}

TEST(MmaSync, AcceptsTheListedFormsOnly) {
  using D = AccumulatorFormat;
  const auto findings = [](Format a, Format b, D d, int k) {
    MmaSyncInstruction mma;
    mma.a_format = a;
    mma.b_format = b;
    mma.d_format = d;
    mma.k = k;
    return CheckMmaSync(mma);
  };
  EXPECT_TRUE(findings(Format::kF16, Format::kF16, D::kF16, 8).empty());
  EXPECT_TRUE(findings(Format::kBf16, Format::kBf16, D::kF32, 16).empty());
  EXPECT_TRUE(findings(Format::kTf32, Format::kTf32, D::kF32, 4).empty());
  EXPECT_TRUE(findings(Format::kE4m3, Format::kE5m2, D::kF16, 16).empty());
  EXPECT_TRUE(findings(Format::kE2m1, Format::kE4m3, D::kF32, 32).empty());
  EXPECT_TRUE(findings(Format::kU8, Format::kS8, D::kS32, 32).empty());
  EXPECT_EQ(findings(Format::kF16, Format::kBf16, D::kF32, 16).size(), 1u);
  EXPECT_EQ(findings(Format::kF16, Format::kF16, D::kF32, 32).size(), 1u);
  EXPECT_EQ(findings(Format::kE2m1, Format::kE4m3, D::kF32, 16).size(), 1u);
  EXPECT_EQ(findings(Format::kBf16, Format::kBf16, D::kF16, 16).size(), 1u);
  EXPECT_EQ(findings(Format::kS8, Format::kS8, D::kF32, 32).size(), 1u);
  MmaSyncInstruction sparse;
  sparse.sparse = true;
  EXPECT_EQ(CheckMmaSync(sparse).size(), 1u);
}

TEST(MmaSync, NibblesSitInTheMiddleOfTheirByte) {
  EXPECT_EQ(DecodeMmaSyncElement(Format::kE2m1, 0x7 << 2), 6.0f);
  EXPECT_EQ(DecodeMmaSyncElement(Format::kE2m3, 0x08), 1.0f);
  EXPECT_EQ(DecodeMmaSyncElement(Format::kE4m3, 0x38), 1.0f);
}

}  // namespace
}  // namespace tiletune::emulator
