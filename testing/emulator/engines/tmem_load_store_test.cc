#include "testing/emulator/engines/tmem_load_store.h"

#include <set>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

constexpr TmemShape kShapes[] = {TmemShape::k32x32b, TmemShape::k16x64b,
                                 TmemShape::k16x128b, TmemShape::k16x256b,
                                 TmemShape::k16x32bx2};

TEST(TmemLoadStore, RegisterCountsAreThoseOfTable49) {
  const auto count = [](TmemShape shape, int num) {
    return RegisterCount({shape, num});
  };
  for (int num : {1, 2, 4, 8, 16, 32, 64, 128}) {
    EXPECT_EQ(count(TmemShape::k32x32b, num), num);
    EXPECT_EQ(count(TmemShape::k16x64b, num), num);
    EXPECT_EQ(count(TmemShape::k16x32bx2, num), num);
    EXPECT_EQ(count(TmemShape::k16x128b, num), num <= 64 ? 2 * num : 0);
    EXPECT_EQ(count(TmemShape::k16x256b, num), num <= 32 ? 4 * num : 0);
  }
  EXPECT_EQ(count(TmemShape::k32x32b, 3), 0);
  EXPECT_EQ(count(TmemShape::k32x32b, 256), 0);
}

// Each word of the accessed rectangle belongs to exactly one register of one
// thread: lanes x columns words, threads x registers places.
TEST(TmemLoadStore, FragmentsTileTheAccess) {
  for (TmemShape shape : kShapes) {
    for (int num : {1, 2, 8, 32}) {
      for (bool packed : {false, true}) {
        TmemAccess access{shape, num, packed};
        const int columns = AccessColumns(access);
        if (shape == TmemShape::k16x32bx2) access.half_split_offset = columns;
        const int halves = shape == TmemShape::k16x32bx2 ? 2 : 1;
        std::set<std::pair<int, int>> words;
        for (int t = 0; t < 32; ++t) {
          for (int r = 0; r < RegisterCount(access); ++r) {
            const TmemOffset at = FragmentOffset(access, t, r);
            EXPECT_LT(at.lane, AccessLanes(access));
            EXPECT_LT(at.column, columns * halves);
            words.insert({at.lane, at.column});
            if (packed) words.insert({at.lane, at.column + 1});
          }
        }
        EXPECT_EQ(words.size(),
                  static_cast<size_t>(AccessLanes(access) * columns * halves));
      }
    }
  }
}

// The CuTe (thread, value) -> bit layouts of the .x2 copies, in 32-bit words:
// thread ((4,8)) and value strides over a row of 256 or 512 bits, with the
// upper eight lanes half the bits further on.
TEST(TmemLoadStore, MatchesTheCuteLayouts) {
  for (int t = 0; t < 32; ++t) {
    for (int r = 0; r < 8; ++r) {
      if (r < 4) {
        const int bit = 32 * (t % 4) + 256 * (t / 4) +  // 16x128b.x2
                        2048 * (r % 2) + 128 * (r / 2);
        const TmemOffset at = FragmentOffset({TmemShape::k16x128b, 2}, t, r);
        EXPECT_EQ(at.lane, bit / 256);
        EXPECT_EQ(at.column, bit % 256 / 32);
      }
      if (r < 2) {
        const int bit = 1024 * (t % 2) + 32 * (t / 2 % 2) +  // 16x64b.x2
                        128 * (t / 4) + 64 * r;
        const TmemOffset at = FragmentOffset({TmemShape::k16x64b, 2}, t, r);
        EXPECT_EQ(at.lane, bit / 128);
        EXPECT_EQ(at.column, bit % 128 / 32);
      }
      const int bit = 64 * (t % 4) + 512 * (t / 4) + 32 * (r % 2) +
                      4096 * (r / 2 % 2) + 256 * (r / 4);  // 16x256b.x2
      const TmemOffset at = FragmentOffset({TmemShape::k16x256b, 2}, t, r);
      EXPECT_EQ(at.lane, bit / 512);
      EXPECT_EQ(at.column, bit % 512 / 32);
    }
  }
}

TEST(TmemLoadStore, StoresInvertLoads) {
  for (TmemShape shape : kShapes) {
    for (bool packed : {false, true}) {
      const TmemAccess access{shape, 4, packed, 64};
      const TmemAddress base = {32, 8};
      std::vector<uint32_t> tmem(kTmemLanes * kTmemColumns);
      uint32_t value = 0;
      for (int t = 0; t < 32; ++t) {
        for (int r = 0; r < RegisterCount(access); ++r) {
          StoreRegister(access, base, t, r, 0x10001 * ++value, tmem.data());
        }
      }
      value = 0;
      for (int t = 0; t < 32; ++t) {
        for (int r = 0; r < RegisterCount(access); ++r) {
          EXPECT_EQ(LoadRegister(access, base, t, r, tmem.data()),
                    0x10001 * ++value);
        }
      }
    }
  }
}

TEST(TmemLoadStore, PackingJoinsTheLowHalvesOfAdjacentColumns) {
  std::vector<uint32_t> tmem(kTmemLanes * kTmemColumns);
  tmem[4] = 0xAAAA1111;
  tmem[5] = 0xBBBB2222;
  const TmemAccess access{TmemShape::k32x32b, 2, true};
  EXPECT_EQ(LoadRegister(access, {0, 2}, 0, 1, tmem.data()), 0x22221111u);
  StoreRegister(access, {0, 2}, 0, 1, 0x44443333, tmem.data());
  EXPECT_EQ(tmem[4], 0x3333u);
  EXPECT_EQ(tmem[5], 0x4444u);
}

TEST(TmemLoadStore, HalfSplitMovesTheUpperThreads) {
  const TmemAccess access{TmemShape::k16x32bx2, 4, false, 100};
  EXPECT_EQ(FragmentOffset(access, 3, 2).column, 2);
  EXPECT_EQ(FragmentOffset(access, 19, 2).column, 102);
  EXPECT_EQ(FragmentOffset(access, 19, 2).lane, 3);
}

TEST(TmemLoadStore, EachBrokenRuleGetsItsSentence) {
  const TmemAccess wide{TmemShape::k32x32b, 128};
  EXPECT_TRUE(CheckTmemAccess(wide, {32, 384}, 1).empty());
  EXPECT_TRUE(
      CheckTmemAccess(wide, {32, 384}, 5).empty());  // warp 5 is 1 mod 4
  EXPECT_EQ(CheckTmemAccess(wide, {32, 385}, 1).size(), 1u);
  EXPECT_EQ(CheckTmemAccess(wide, {32, 0}, 0).size(), 1u);
  EXPECT_EQ(CheckTmemAccess(wide, {40, 0}, 1).size(), 1u);
  EXPECT_EQ(CheckTmemAccess({TmemShape::k16x256b, 64}, {0, 0}, 0).size(), 1u);
  EXPECT_TRUE(CheckTmemAccess({TmemShape::k16x64b, 1}, {16, 0}, 0).empty());
  EXPECT_EQ(CheckTmemAccess({TmemShape::k16x64b, 1}, {8, 0}, 0).size(), 1u);
  EXPECT_EQ(
      CheckTmemAccess({TmemShape::k16x32bx2, 1, false, 511}, {0, 1}, 0).size(),
      1u);
  const TmemAccess backwards{TmemShape::k16x32bx2, 1, false, -8};
  EXPECT_TRUE(CheckTmemAccess(backwards, {0, 8}, 0).empty());
  EXPECT_EQ(CheckTmemAccess(backwards, {0, 7}, 0).size(), 1u);
}

}  // namespace
}  // namespace tiletune::emulator
