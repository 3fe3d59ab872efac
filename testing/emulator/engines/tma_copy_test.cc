#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "testing/emulator/engines/tensor_map_testing.h"
#include "testing/emulator/engines/tma.h"

namespace tiletune::emulator {
namespace {

// Global memory in which the 16-bit word at element (x, y, z) is unique.
uint16_t WordAt(int x, int y, int z) {
  return static_cast<uint16_t>(1 + x + 64 * y + 1024 * z);
}

std::vector<uint8_t> SmallGlobal(const TensorMap& map) {
  std::vector<uint8_t> global(96 * 8 * 4, 0xEE);
  for (int z = 0; z < 3; ++z) {
    for (int y = 0; y < 7; ++y) {
      for (int x = 0; x < 40; ++x) {
        const uint16_t word = WordAt(x, y, z);
        const size_t at = x * 2 + y * map.strides[0] + z * map.strides[1];
        std::memcpy(&global[at], &word, 2);
      }
    }
  }
  return global;
}

void Load(const TensorMap& map, const TmaRequest& request,
          const std::vector<uint8_t>& global, std::vector<uint8_t>* shared) {
  std::vector<TmaRow> rows;
  WalkRows(map, request, &rows);
  for (const TmaRow& row : rows) {
    LoadRow(map, row,
            row.inside_bytes == 0
                ? nullptr
                : global.data() + (row.global_address - map.address),
            shared->data());
  }
}

// The definition, element by element: box element (i, j, k) is tensor element
// coordinate + index, or fill; it lies at its linear place, swizzled. Rows of a
// swizzled box are a span apart.
void ExpectBox(const TensorMap& map, const TmaRequest& request,
               const std::vector<uint8_t>& shared, uint16_t fill) {
  const int pitch = map.swizzle == Swizzle::kNone
                        ? 32
                        : static_cast<int>(SwizzleSpanBytes(map.swizzle));
  for (int k = 0; k < 2; ++k) {
    for (int j = 0; j < 4; ++j) {
      for (int i = 0; i < 16; ++i) {
        const int x = request.coordinates[0] + i;
        const int y = request.coordinates[1] + j;
        const int z = request.coordinates[2] + k;
        const bool inside =
            x >= 0 && x < 40 && y >= 0 && y < 7 && z >= 0 && z < 3;
        const uint32_t linear =
            request.shared_address +
            static_cast<uint32_t>((k * 4 + j) * pitch + i * 2);
        uint16_t word;
        std::memcpy(&word, &shared[SwizzleAddress(map.swizzle, linear)], 2);
        ASSERT_EQ(word, inside ? WordAt(x, y, z) : fill)
            << x << " " << y << " " << z;
      }
    }
  }
}

TEST(TmaCopy, LoadsEveryElementOrItsFillInEverySwizzle) {
  for (Swizzle swizzle :
       {Swizzle::kNone, Swizzle::k32, Swizzle::k64, Swizzle::k96, Swizzle::k128,
        Swizzle::k128Atom32, Swizzle::k128Atom32Flip8, Swizzle::k128Atom64}) {
    const TensorMap map = SmallMap(swizzle);
    const std::vector<uint8_t> global = SmallGlobal(map);
    for (int x : {-17, -16, -3, 0, 8, 30, 39, 40}) {
      for (int y : {-1, 0, 5, 7}) {
        for (int z : {-1, 0, 2}) {
          TmaRequest request;
          request.coordinates = {x, y, z};
          request.shared_address = 128;  // off every pattern boundary
          std::vector<uint8_t> shared(2048, 0x77);
          Load(map, request, global, &shared);
          ExpectBox(map, request, shared, 0);
        }
      }
    }
  }
}

TEST(TmaCopy, NanFillIsANanOfTheElementType) {
  TensorMap map = SmallMap(Swizzle::k32);
  map.type = TensorMapType::kF16;
  map.fill = TensorMapFill::kNan;
  const std::vector<uint8_t> global = SmallGlobal(map);
  TmaRequest request;
  request.coordinates = {35, 0, 0};
  request.shared_address = 128;
  std::vector<uint8_t> shared(2048);
  Load(map, request, global, &shared);
  ExpectBox(map, request, shared, 0x7FF7);
}

TEST(TmaCopy, RunsDescribeTheSameBytesAsRows) {
  for (Swizzle swizzle : {Swizzle::kNone, Swizzle::k32, Swizzle::k128,
                          Swizzle::k128Atom32Flip8}) {
    const TensorMap map = SmallMap(swizzle);
    const std::vector<uint8_t> global = SmallGlobal(map);
    TmaRequest request;
    request.coordinates = {33, 5, 1};
    request.shared_address = 128;
    std::vector<uint8_t> by_rows(2048), by_runs(2048);
    Load(map, request, global, &by_rows);
    std::vector<TmaRun> runs;
    WalkRuns(map, request, &runs);
    uint32_t bytes = 0;
    for (const TmaRun& run : runs) {
      bytes += run.shared_bytes;
      if (swizzle != Swizzle::kNone) {
        EXPECT_LE(run.shared_bytes, 16u);
      }
      if (!run.inside) continue;
      std::memcpy(&by_runs[run.shared_address],
                  &global[run.global_address - map.address], run.global_bytes);
    }
    EXPECT_EQ(bytes, TmaTransactionBytes(map, TmaMode::kTile));
    EXPECT_EQ(by_rows, by_runs);
  }
}

TEST(TmaCopy, StoresInvertLoadsAndSkipTheOutside) {
  for (Swizzle swizzle : {Swizzle::kNone, Swizzle::k64, Swizzle::k128}) {
    const TensorMap map = SmallMap(swizzle);
    const std::vector<uint8_t> global = SmallGlobal(map);
    TmaRequest request;
    request.coordinates = {32, 5, 2};
    std::vector<uint8_t> shared(2048);
    Load(map, request, global, &shared);
    std::vector<uint8_t> stored(global.size(), 0xEE);
    request.direction = TmaDirection::kStore;
    std::vector<TmaRow> rows;
    WalkRows(map, request, &rows);
    for (const TmaRow& row : rows) {
      if (row.inside_bytes == 0) continue;
      StoreRow(map, row, shared.data(),
               &stored[row.global_address - map.address]);
    }
    for (int z = 0; z < 3; ++z) {
      for (int y = 0; y < 8; ++y) {
        for (int x = 0; x < 48; ++x) {
          uint16_t word;
          std::memcpy(&word, &stored[x * 2 + y * 96 + z * 96 * 8], 2);
          const bool in_box = x >= 32 && x < 40 && y >= 5 && y < 7 && z == 2;
          ASSERT_EQ(word, in_box ? WordAt(x, y, z) : 0xEEEE);
        }
      }
    }
  }
}

TEST(TmaCopy, ReduceAddsTheInsidePart) {
  TensorMap map = SmallMap(Swizzle::k128);
  map.type = TensorMapType::kU32;
  map.rank = 1;
  map.dims = {10};
  map.box = {16};
  TmaRequest request;
  request.direction = TmaDirection::kReduce;
  std::vector<uint8_t> shared(2048);
  for (uint32_t i = 0; i < 16; ++i) std::memcpy(&shared[4 * i], &i, 4);
  std::vector<uint32_t> global(16, 100);
  std::vector<TmaRow> rows;
  WalkRows(map, request, &rows);
  ASSERT_EQ(rows.size(), 1u);
  ReduceRow(map, rows[0], ReduceOp::kAdd, ReduceType::kU32, shared.data(),
            reinterpret_cast<uint8_t*>(global.data()));
  EXPECT_EQ(global[9], 109u);
  EXPECT_EQ(global[11], 111u);  // the rest of the row's last 16 bytes
  EXPECT_EQ(global[12], 100u);
}

TEST(TmaCopy, PaddedNibblesSpreadToSixteenByteChunks) {
  TensorMap map;
  map.type = TensorMapType::k16U4Align16B;
  map.rank = 2;
  map.address = 0x10000;
  map.dims = {256, 4};
  map.strides = {128};
  map.box = {128, 2};
  map.swizzle = Swizzle::k128;
  ASSERT_TRUE(CheckTensorMap(map).empty());
  EXPECT_EQ(TmaSharedBytes(map, TmaMode::kTile), 256u);
  EXPECT_EQ(TmaTransactionBytes(map, TmaMode::kTile), 128u);
  std::vector<uint8_t> global(512);
  for (size_t i = 0; i < global.size(); ++i)
    global[i] = static_cast<uint8_t>(i);
  TmaRequest request;
  request.coordinates = {128, 1};
  std::vector<uint8_t> shared(256, 0xCC);
  Load(map, request, global, &shared);
  for (int row = 0; row < 2; ++row) {
    for (int chunk = 0; chunk < 8; ++chunk) {
      const uint32_t at = SwizzleAddress(
          Swizzle::k128, static_cast<uint32_t>(row * 128 + chunk * 16));
      for (int i = 0; i < 8; ++i) {
        EXPECT_EQ(shared[at + i], global[(row + 1) * 128 + 64 + chunk * 8 + i]);
        EXPECT_EQ(shared[at + 8 + i], 0xCC);
      }
    }
  }
  EXPECT_TRUE(CheckTma(map, request).empty());
  std::vector<TmaRun> runs;
  WalkRuns(map, request, &runs);
  ASSERT_EQ(runs.size(), 16u);
  EXPECT_EQ(runs[9].shared_address, 128u);  // row 1, chunk 1, swizzled
  EXPECT_EQ(runs[9].shared_bytes, 8u);
  EXPECT_TRUE(runs[9].inside);
  EXPECT_EQ(runs[9].global_address, map.address + 2 * 128 + 64 + 8);
  request.coordinates = {256, 0};  // outside: data bytes 0, padding untouched
  WalkRuns(map, request, &runs);
  ASSERT_EQ(runs.size(), 16u);
  EXPECT_FALSE(runs[9].inside);
  shared.assign(256, 0xCC);
  Load(map, request, global, &shared);
  for (int i = 0; i < 256; ++i) EXPECT_EQ(shared[i], i % 16 < 8 ? 0 : 0xCC);
}

TEST(TmaCopy, SixBitStoresDropThePaddingBits) {
  TensorMap map;
  map.type = TensorMapType::k16U6Align16B;
  map.rank = 1;
  map.address = 0x10000;
  map.dims = {128};
  map.box = {128};
  TmaRequest request;
  request.direction = TmaDirection::kStore;
  std::vector<uint8_t> shared(128);
  for (int i = 0; i < 128; ++i)
    shared[i] = static_cast<uint8_t>(0xC0 | (i % 64));
  std::vector<TmaRow> rows;
  WalkRows(map, request, &rows);
  std::vector<uint8_t> global(97, 0xEE);
  StoreRow(map, rows[0], shared.data(), global.data());
  for (int i = 0; i < 128; ++i) {
    int value = 0;
    for (int bit = 0; bit < 6; ++bit) {
      const int position = 6 * i + bit;
      value |= ((global[position / 8] >> (position % 8)) & 1) << bit;
    }
    EXPECT_EQ(value, i % 64);
  }
  EXPECT_EQ(global[96], 0xEE);
}

TEST(TmaCopy, FtzTypesKeepSubnormalsOnLoad) {
  TensorMap map = SmallMap(Swizzle::kNone);
  map.type = TensorMapType::kF32Ftz;
  map.rank = 1;
  map.dims = {4};
  map.box = {4};
  const uint32_t words[4] = {1, 0x80000001, 0x3F800000, 0x00800000};
  TmaRequest request;
  std::vector<TmaRow> rows;
  WalkRows(map, request, &rows);
  uint32_t shared[4];
  LoadRow(map, rows[0], reinterpret_cast<const uint8_t*>(words),
          reinterpret_cast<uint8_t*>(shared));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(shared[i], words[i]) << i;
}

TEST(TmaCopy, Tf32TypesRoundToNearestEvenOnLoad) {
  TensorMap map = SmallMap(Swizzle::kNone);
  map.type = TensorMapType::kTf32;
  map.rank = 1;
  map.dims = {8};
  map.box = {8};
  const uint32_t words[8] = {0x3F801000, 0x3F803000, 0x3F800FFF, 0x3F801001,
                             0x3FFFFFFF, 0x7F800001, 0xFF800000, 0x00000001};
  const uint32_t rounded[8] = {0x3F800000, 0x3F804000, 0x3F800000, 0x3F802000,
                               0x40000000, 0x7FFFE000, 0xFF800000, 0};
  TmaRequest request;
  std::vector<TmaRow> rows;
  WalkRows(map, request, &rows);
  uint32_t shared[8];
  LoadRow(map, rows[0], reinterpret_cast<const uint8_t*>(words),
          reinterpret_cast<uint8_t*>(shared));
  for (int i = 0; i < 8; ++i) EXPECT_EQ(shared[i], rounded[i]) << i;
  map.type = TensorMapType::kF32;  // plain fp32 is copied
  LoadRow(map, rows[0], reinterpret_cast<const uint8_t*>(words),
          reinterpret_cast<uint8_t*>(shared));
  for (int i = 0; i < 8; ++i) EXPECT_EQ(shared[i], words[i]) << i;
}

}  // namespace
}  // namespace tiletune::emulator
