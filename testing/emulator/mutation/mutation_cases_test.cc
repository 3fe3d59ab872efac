#include "testing/emulator/mutation/mutation_cases.h"

#include <algorithm>
#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

const char* const kVariants[] = {
    "sm100_16b_128x128x64_c1x1_s6_static",
    "sm100_16b_128x128x64_c1x1_s6_clc2",
    "sm100_16b_128x128x64_c2x1_2sm_s8_clc2",
};

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

TEST(MutationCases, OneClusterGoesThreeTimesThroughEveryRing) {
  for (const char* name : kVariants) {
    const KernelVariant& v = *FindVariant(name);
    bool found = false;
    for (const KernelCase& c : MutationCases(v, 1)) {
      if (c.resident_clusters != 1 || c.starved_warp >= 0) continue;
      if (c.split_k != 1) continue;
      const int64_t tiles = CeilDiv(c.problem.m, v.tile_m * v.cluster_m) *
                            CeilDiv(c.problem.n, v.tile_n * v.cluster_n);
      found = found || (tiles >= 3 * v.accumulators &&
                        tiles * CeilDiv(c.problem.k, v.tile_k) >= 3 * v.stages);
    }
    EXPECT_TRUE(found) << name;
  }
}

TEST(MutationCases, EveryWarpIsStarvedOnce) {
  const KernelVariant& v = *FindVariant(kVariants[0]);
  std::multiset<int> starved;
  for (const KernelCase& c : MutationCases(v, 2)) {
    if (c.starved_warp >= 0) starved.insert(c.starved_warp);
  }
  EXPECT_EQ(starved, (std::multiset<int>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(MutationCases, SomeDelaysOutlastEverythingElse) {
  const KernelVariant& v = *FindVariant(kVariants[0]);
  int interleavings = 0;
  for (const KernelCase& c : MutationCases(v, 1)) {
    if (c.max_delay > 100000) interleavings += c.interleavings;
  }
  EXPECT_GE(interleavings, 32);
}

TEST(MutationCases, NoTileIsWhole) {
  for (const char* name : kVariants) {
    const KernelVariant& v = *FindVariant(name);
    for (const KernelCase& c : MutationCases(v, 1)) {
      EXPECT_NE(c.problem.m % v.tile_m, 0);
      EXPECT_NE(c.problem.n % v.tile_n, 0);
      EXPECT_NE(c.problem.k % v.tile_k, 0);
    }
  }
}

TEST(MutationPair, TheSecondTakesWhatTheFirstComputes) {
  for (const char* name : kVariants) {
    const DependentCases pair = MutationPair(*FindVariant(name));
    EXPECT_EQ(pair.first.problem.m, pair.second.problem.m);
    EXPECT_EQ(pair.first.problem.n, pair.second.problem.k);
    EXPECT_EQ(pair.first.problem.d_type, pair.second.problem.a_type);
    EXPECT_GT(pair.second.split_k, 1u);
    EXPECT_TRUE(Validate(pair.first.problem).ok());
    EXPECT_TRUE(Validate(pair.second.problem).ok());
  }
}

TEST(MutationCases, MoreSeedsAreMoreCases) {
  const KernelVariant& v = *FindVariant(kVariants[0]);
  EXPECT_EQ(MutationCases(v, 3).size(), MutationCases(v, 1).size() + 10);
}

}  // namespace
}  // namespace tiletune::emulator
