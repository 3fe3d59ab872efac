#include "testing/blackwell/pairwise.h"

#include <set>
#include <tuple>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

TEST(PairwiseCover, ContainsEveryPair) {
  const std::vector<int> levels = {4, 2, 5, 3, 2, 6, 3};
  std::set<std::tuple<int, int, int, int>> seen;
  for (const std::vector<int>& row : PairwiseCover(levels, 7)) {
    ASSERT_EQ(row.size(), levels.size());
    for (int f = 0; f < 7; ++f) {
      ASSERT_GE(row[f], 0);
      ASSERT_LT(row[f], levels[f]);
      for (int g = f + 1; g < 7; ++g) seen.insert({f, row[f], g, row[g]});
    }
  }
  size_t pairs = 0;
  for (int f = 0; f < 7; ++f) {
    for (int g = f + 1; g < 7; ++g) pairs += levels[f] * levels[g];
  }
  EXPECT_EQ(seen.size(), pairs);
}

TEST(PairwiseCover, IsFarSmallerThanTheProduct) {
  // 15 is the fewest possible; the product is 3^13.
  EXPECT_LE(PairwiseCover(std::vector<int>(13, 3), 1).size(), 25u);
}

TEST(PairwiseCover, IsTheSameForTheSameSeed) {
  EXPECT_EQ(PairwiseCover({3, 4, 5}, 2), PairwiseCover({3, 4, 5}, 2));
}

}  // namespace
}  // namespace tiletune
