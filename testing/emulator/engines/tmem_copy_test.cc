#include "testing/emulator/engines/tmem_copy.h"

#include <map>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

// lane -> source rows it receives.
std::map<int, std::vector<int>> RowsByLane(TmemCopyShape shape,
                                           TmemMulticast multicast) {
  std::map<int, std::vector<int>> rows;
  for (const TmemMove& move : CopyMoves({shape, multicast})) {
    rows[move.lane].push_back(move.row);
    EXPECT_EQ(move.column, 4 * move.chunk);
  }
  return rows;
}

TEST(TmemCopy, FullShapesCopyRowToLane) {
  const auto rows = RowsByLane(TmemCopyShape::k128x256b, TmemMulticast::kNone);
  ASSERT_EQ(rows.size(), 128u);
  for (const auto& [lane, sources] : rows) {
    EXPECT_EQ(sources, (std::vector<int>{lane, lane}));  // two chunks
  }
  EXPECT_EQ(RowsByLane(TmemCopyShape::k128x128b, TmemMulticast::kNone).at(127),
            std::vector<int>{127});
}

TEST(TmemCopy, MulticastGivesWarpsOfAPairTheSameHalf) {
  const auto four = RowsByLane(TmemCopyShape::k32x128b, TmemMulticast::kWarpx4);
  const auto even =
      RowsByLane(TmemCopyShape::k64x128b, TmemMulticast::kWarpx2_02_13);
  const auto near =
      RowsByLane(TmemCopyShape::k64x128b, TmemMulticast::kWarpx2_01_23);
  for (int lane = 0; lane < 128; ++lane) {
    const int warp = lane / 32, in_warp = lane % 32;
    EXPECT_EQ(four.at(lane), std::vector<int>{in_warp});
    EXPECT_EQ(even.at(lane), std::vector<int>{in_warp + 32 * (warp % 2)});
    EXPECT_EQ(near.at(lane), std::vector<int>{in_warp + 32 * (warp / 2)});
  }
}

TEST(TmemCopy, FourRowsGoToOneLaneOfEachPartition) {
  const auto rows = RowsByLane(TmemCopyShape::k4x256b, TmemMulticast::kNone);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows.at(96), (std::vector<int>{3, 3}));
}

// A scale-factor atom: 32 rows of 16 bytes, SBO 128 (8 rows), to all four
// partitions; row r becomes four words of lane r.
TEST(TmemCopy, ScaleFactorAtomArrivesReplicated) {
  std::vector<uint8_t> shared(2048);
  std::iota(shared.begin(), shared.end(), 0);
  SmemDescriptor descriptor;
  descriptor.start_address = 512;
  descriptor.stride_bytes = 128;
  std::vector<uint32_t> tmem(kTmemLanes * kTmemColumns);
  const TmemCopy copy{TmemCopyShape::k32x128b, TmemMulticast::kWarpx4};
  ASSERT_TRUE(
      RunTmemCopy(copy, descriptor, {0, 40}, shared.data(), 2048, tmem.data()));
  for (int lane = 0; lane < 128; ++lane) {
    for (int word = 0; word < 4; ++word) {
      const uint32_t first = static_cast<uint32_t>(lane % 32 * 16 + word * 4);
      const uint32_t b = first & 0xFF;
      EXPECT_EQ(tmem[lane * kTmemColumns + 40 + word],
                b | (b + 1) << 8 | (b + 2) << 16 | (b + 3) << 24);
    }
  }
  EXPECT_TRUE(ScaleFactorsAreReplicated(128, {0, 40}, tmem.data()));
  EXPECT_FALSE(
      RunTmemCopy(copy, descriptor, {0, 40}, shared.data(), 1000, tmem.data()));
}

// Two 16-byte chunks a row, LBO apart, become eight adjacent columns.
TEST(TmemCopy, ChunksOfARowFollowEachOther) {
  std::vector<uint8_t> shared(4096);
  SmemDescriptor descriptor;
  descriptor.stride_bytes = 128;
  descriptor.leading_bytes = 2048;
  const int row = 77;
  shared[row * 16] = 1;
  shared[2048 + row * 16 + 12] = 2;
  std::vector<uint32_t> tmem(kTmemLanes * kTmemColumns, 9);
  ASSERT_TRUE(RunTmemCopy({TmemCopyShape::k128x256b}, descriptor, {0, 16},
                          shared.data(), 4096, tmem.data()));
  EXPECT_EQ(tmem[row * kTmemColumns + 16], 1u);
  EXPECT_EQ(tmem[row * kTmemColumns + 16 + 7], 2u);
  EXPECT_EQ(tmem[row * kTmemColumns + 15], 9u);
  EXPECT_EQ(tmem[row * kTmemColumns + 24], 9u);
}

TEST(TmemCopy, DecompressionWidensToBytes) {
  uint8_t source[16] = {}, bytes[16];
  source[0] = 0x21;
  source[7] = 0xF0;
  source[8] = 0xFF;  // padding
  Decompress(Decompression::kB4x16P64, source, bytes);
  EXPECT_EQ(bytes[0], 1);
  EXPECT_EQ(bytes[1], 2);
  EXPECT_EQ(bytes[14], 0);
  EXPECT_EQ(bytes[15], 15);
  DecompressToTmem(Decompression::kB4x16P64, source, bytes);
  EXPECT_EQ(bytes[1], 2 << 2);
  EXPECT_EQ(bytes[15], 15 << 2);
  // Six-bit elements 0 and 1: 0x2A and 0x15.
  source[0] = 0x2A | (0x15 & 3) << 6;
  source[1] = 0x15 >> 2;
  Decompress(Decompression::kB6x16P32, source, bytes);
  EXPECT_EQ(bytes[0], 0x2A);
  EXPECT_EQ(bytes[1], 0x15);
}

// Nibbles that travel padded shared memory -> tcgen05.cp -> Tensor Memory are
// the A operand of an mxf8f6f4 MMA.
TEST(TmemCopy, DecompressedNibblesAreAnMmaOperand) {
  std::vector<uint8_t> shared(4096);
  for (int row = 0; row < 128; ++row) {
    shared[row * 16] = 0x72;  // e2m1 1 and 6
  }
  SmemDescriptor descriptor;
  descriptor.stride_bytes = 128;
  std::vector<uint32_t> tmem(kTmemLanes * kTmemColumns);
  const TmemCopy copy{TmemCopyShape::k128x128b, TmemMulticast::kNone,
                      Decompression::kB4x16P64};
  ASSERT_TRUE(
      RunTmemCopy(copy, descriptor, {0, 0}, shared.data(), 4096, tmem.data()));
  std::vector<float> values(128 * 16);
  ASSERT_TRUE(LoadTmemOperand(MmaKind::kMxf8f6f4, Format::kE2m1,
                              DataPathLayout::kD, {0, 0}, 16, tmem.data(),
                              values.data()));
  EXPECT_EQ(values[99 * 16], 1);
  EXPECT_EQ(values[99 * 16 + 1], 6);
  EXPECT_EQ(values[99 * 16 + 2], 0);
}

TEST(TmemCopy, EachBrokenRuleGetsItsSentence) {
  using Shape = TmemCopyShape;
  using Multicast = TmemMulticast;
  EXPECT_TRUE(CheckTmemCopy({Shape::k128x256b}, {0, 504}).empty());
  EXPECT_EQ(CheckTmemCopy({Shape::k128x256b}, {0, 505}).size(), 1u);
  EXPECT_EQ(CheckTmemCopy({Shape::k128x128b}, {16, 0}).size(), 1u);
  EXPECT_EQ(CheckTmemCopy({Shape::k64x128b}, {0, 0}).size(), 1u);
  EXPECT_EQ(CheckTmemCopy({Shape::k32x128b}, {0, 0}).size(), 1u);
  EXPECT_EQ(
      CheckTmemCopy({Shape::k128x128b, Multicast::kWarpx4}, {0, 0}).size(), 1u);
  EXPECT_TRUE(CheckTmemCopy({Shape::k64x128b, Multicast::kWarpx2_01_23}, {0, 0})
                  .empty());
  EXPECT_TRUE(CheckTmemCopy({Shape::k4x256b}, {31, 0}).empty());
  EXPECT_EQ(CheckTmemCopy({Shape::k4x256b}, {32, 0}).size(), 1u);
  EXPECT_EQ(CheckTmemCopy({Shape::k128x128b}, {1, 0}).size(), 1u);
}

}  // namespace
}  // namespace tiletune::emulator
