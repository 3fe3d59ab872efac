#include "testing/emulator/engines/swizzle.h"

#include <vector>

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

// The tables of PTX ISA 5.5.7: row r of a table lists, for each 16-byte cell
// of a 128-byte line in shared memory, the cell that is stored there.
using Table = std::vector<std::vector<uint32_t>>;

void ExpectTable(Swizzle swizzle, const Table& table) {
  for (uint32_t line = 0; line < 16; ++line) {
    const std::vector<uint32_t>& cells = table[line % table.size()];
    for (uint32_t physical = 0; physical < 8; ++physical) {
      const uint32_t linear = 128 * line + 16 * cells[physical];
      EXPECT_EQ(SwizzleAddress(swizzle, linear), 128 * line + 16 * physical);
    }
  }
}

TEST(Swizzle, MatchesTheTablesOfTheIsa) {
  const Table swizzle32 = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}};
  ExpectTable(Swizzle::k32, swizzle32);
  ExpectTable(Swizzle::k96, swizzle32);
  ExpectTable(Swizzle::k64, {{0, 1, 2, 3, 4, 5, 6, 7},
                             {1, 0, 3, 2, 5, 4, 7, 6},
                             {2, 3, 0, 1, 6, 7, 4, 5},
                             {3, 2, 1, 0, 7, 6, 5, 4}});
  ExpectTable(Swizzle::k128, {{0, 1, 2, 3, 4, 5, 6, 7},
                              {1, 0, 3, 2, 5, 4, 7, 6},
                              {2, 3, 0, 1, 6, 7, 4, 5},
                              {3, 2, 1, 0, 7, 6, 5, 4},
                              {4, 5, 6, 7, 0, 1, 2, 3},
                              {5, 4, 7, 6, 1, 0, 3, 2},
                              {6, 7, 4, 5, 2, 3, 0, 1},
                              {7, 6, 5, 4, 3, 2, 1, 0}});
  ExpectTable(Swizzle::k128Atom32, {{0, 1, 2, 3, 4, 5, 6, 7},
                                    {2, 3, 0, 1, 6, 7, 4, 5},
                                    {4, 5, 6, 7, 0, 1, 2, 3},
                                    {6, 7, 4, 5, 2, 3, 0, 1}});
  ExpectTable(Swizzle::k128Atom64,
              {{0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 6, 7, 0, 1, 2, 3}});
}

TEST(Swizzle, IsAnInvolutionThatKeepsAtomsTogether) {
  for (Swizzle swizzle :
       {Swizzle::kNone, Swizzle::k32, Swizzle::k64, Swizzle::k96, Swizzle::k128,
        Swizzle::k128Atom32, Swizzle::k128Atom32Flip8, Swizzle::k128Atom64}) {
    for (uint32_t a = 0; a < 4096; ++a) {
      const uint32_t physical = SwizzleAddress(swizzle, a);
      EXPECT_EQ(SwizzleAddress(swizzle, physical), a);
      EXPECT_EQ(physical % SwizzleAtomBytes(swizzle),
                a % SwizzleAtomBytes(swizzle));
    }
  }
}

TEST(Swizzle, RepeatsAfterItsPattern) {
  for (Swizzle swizzle :
       {Swizzle::k32, Swizzle::k64, Swizzle::k96, Swizzle::k128,
        Swizzle::k128Atom32, Swizzle::k128Atom32Flip8, Swizzle::k128Atom64}) {
    const uint32_t pattern = SwizzlePatternBytes(swizzle);
    for (uint32_t a = 0; a < pattern; a += 8) {
      EXPECT_EQ(SwizzleAddress(swizzle, a + pattern),
                SwizzleAddress(swizzle, a) + pattern);
    }
  }
}

TEST(Swizzle, FlipSwapsEightByteHalvesOnOddLines) {
  EXPECT_EQ(SwizzleAddress(Swizzle::k128Atom32Flip8, 0), 0u);
  EXPECT_EQ(SwizzleAddress(Swizzle::k128Atom32Flip8, 128), 128u + 32 + 8);
  EXPECT_EQ(SwizzleAddress(Swizzle::k128Atom32Flip8, 256), 256u + 64);
}

TEST(Swizzle, LineOffsetMovesTheStartOfThePattern) {
  // A pattern that starts at byte 384: its line 0 is absolute line 3.
  EXPECT_EQ(SwizzleAddress(Swizzle::k128, 384 + 16, 3), 384u + 16);
  EXPECT_EQ(SwizzleAddress(Swizzle::k128, 512 + 16, 3), 512u);
}

}  // namespace
}  // namespace tiletune::emulator
