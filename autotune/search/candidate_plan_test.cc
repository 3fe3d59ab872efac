#include "autotune/search/candidate_plan.h"

#include <algorithm>
#include <set>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

// Families of tile_m 10, 20, ... of `members` orders each; predictions rise
// with the family, then with the order.
struct Fixture {
  Fixture(int families, int members) : variants(families) {
    for (int f = 0; f < families; ++f) {
      variants[f].name = "v";
      variants[f].tile_m = 10 * (f + 1);
      for (int o = 0; o < members; ++o) {
        GemmConfig config;
        config.variant = &variants[f];
        config.swizzle_offset = o + 1;
        configs.push_back(config);
        predicted.push_back(f + o * 0.01);
      }
    }
  }
  std::vector<KernelVariant> variants;
  std::vector<GemmConfig> configs;
  std::vector<double> predicted;
};

CandidatePlan::Options Small() {
  CandidatePlan::Options options;
  options.families = 3;
  options.survivors = 2;
  options.members = 2;
  return options;
}

TEST(CandidatePlan, StartsWithTheDefaultAndTheBestOfEachFamily) {
  Fixture f(5, 4);
  f.configs[0].swizzle_offset = 99;  // the default: not its family's best
  f.predicted[0] = 0.5;
  const CandidatePlan plan(f.configs, f.predicted, Small());
  EXPECT_EQ(plan.First(), (std::vector<size_t>{0, 1, 4, 8}));
}

TEST(CandidatePlan, KeepsADefaultThatIsPredictedWorst) {
  Fixture f(5, 1);
  f.predicted[0] = 100;
  const CandidatePlan plan(f.configs, f.predicted, Small());
  EXPECT_EQ(plan.First().front(), 0u);
}

TEST(CandidatePlan, ThenTriesTheOtherMembersOfTheFastestFamilies) {
  Fixture f(5, 4);
  const CandidatePlan plan(f.configs, f.predicted, Small());
  // Measured, the third family is fastest, the second close, the first far.
  const std::vector<size_t> second =
      plan.Second([](size_t i) -> std::optional<double> {
        return i / 4 == 2 ? 1.0 : i / 4 == 1 ? 1.05 : 2.0;
      });
  EXPECT_EQ(second, (std::vector<size_t>{9, 10, 5, 6}));
}

TEST(CandidatePlan, EverySupplyOfAFastFamilyIsTried) {
  Fixture f(1, 12);
  KernelVariant queue = f.variants[0];
  queue.supply = SupplyKind::kQueue;
  for (int o = 8; o < 12; ++o) f.configs[o].variant = &queue;
  CandidatePlan::Options options = Small();
  options.dynamic_members = 3;
  const CandidatePlan plan(f.configs, f.predicted, options);
  EXPECT_EQ(plan.Second([](size_t) { return 1.0; }),
            (std::vector<size_t>{1, 2, 8, 9, 10}));
}

TEST(CandidatePlan, KernelsThatShareKInAClusterAreAFamilyOfTheirOwn) {
  Fixture f(1, 2);
  KernelVariant shared = f.variants[0];
  shared.cluster_k = 2;
  f.configs[1].variant = &shared;
  const CandidatePlan plan(f.configs, f.predicted, Small());
  EXPECT_EQ(plan.First(), (std::vector<size_t>{0, 1}));
}

TEST(CandidatePlan, DropsFamiliesThatAreClearlySlower) {
  Fixture f(5, 4);
  const CandidatePlan plan(f.configs, f.predicted, Small());
  const std::vector<size_t> second = plan.Second(
      [](size_t i) -> std::optional<double> { return i / 4 == 0 ? 1.0 : 1.2; });
  EXPECT_EQ(second, (std::vector<size_t>{1, 2}));
}

TEST(CandidatePlan, LeavesOutFamiliesThatDidNotRun) {
  Fixture f(3, 4);
  const CandidatePlan plan(f.configs, f.predicted, Small());
  const std::vector<size_t> second =
      plan.Second([](size_t i) -> std::optional<double> {
        if (i / 4 == 0) return std::nullopt;
        return 1.0;
      });
  for (size_t i : second) EXPECT_NE(i / 4, 0u);
  EXPECT_FALSE(second.empty());
}

TEST(CandidatePlan, TurnsEachFamilyThatIsNotHopeless) {
  Fixture f(3, 4);
  for (size_t i : {2, 3, 6, 7, 10, 11}) {
    f.configs[i].swizzle_direction = SwizzleDirection::kNz;
  }
  const CandidatePlan plan(f.configs, f.predicted, Small());
  const auto median = [](size_t i) -> std::optional<double> {
    return i / 4 == 0 ? 1.2 : i / 4 == 1 ? 1.0 : 2.0;
  };
  EXPECT_EQ(plan.Turned(median), (std::vector<size_t>{2, 6}));
}

TEST(CandidatePlan, AFamilyIsAsFastAsItsFasterDirection) {
  Fixture f(3, 4);
  for (size_t i : {3, 7, 11}) {
    f.configs[i].swizzle_direction = SwizzleDirection::kNz;
  }
  CandidatePlan::Options options = Small();
  options.survivors = 1;
  const CandidatePlan plan(f.configs, f.predicted, options);
  // The last family is the slowest until it is turned.
  const auto median = [](size_t i) -> std::optional<double> {
    return i == 11 ? 0.8 : i == 8 ? 1.3 : 1.0;
  };
  EXPECT_EQ(plan.Second(median), (std::vector<size_t>{9, 10}));
}

// Three families of two orders, then the same without dependent launch.
struct Twins : Fixture {
  Twins() : Fixture(3, 2) {
    for (size_t i = 0; i < 6; ++i) {
      configs.push_back(configs[i]);
      configs.back().dependent_launch = false;
      predicted.push_back(predicted[i]);  // the model sees no difference
    }
    for (size_t i : {1, 3, 5, 7, 9, 11}) {
      configs[i].swizzle_direction = SwizzleDirection::kNz;
    }
  }
};

TEST(CandidatePlan, TriesTheFastestOfAFamilyWithoutDependentLaunch) {
  const Twins f;
  const CandidatePlan plan(f.configs, f.predicted, Small());
  const auto median = [](size_t i) -> std::optional<double> {
    return i == 3 ? 1.0 : i == 0 ? 1.05 : i == 4 ? 1.25 : 1.3;
  };
  ASSERT_EQ(plan.First(), (std::vector<size_t>{0, 2, 4}));
  ASSERT_EQ(plan.Turned(median), (std::vector<size_t>{1, 3, 5}));
  EXPECT_EQ(plan.Independent(median), (std::vector<size_t>{6, 9}))
      << "of the third family none: it is too far behind";
}

// Which of two such members is the fastest is chance.
TEST(CandidatePlan, TriesAMemberThatIsNearlyAsFastWithoutDependentLaunchToo) {
  const Twins f;
  const CandidatePlan plan(f.configs, f.predicted, Small());
  const auto median = [](size_t i) -> std::optional<double> {
    return i == 0 ? 1.0 : i == 1 ? 1.02 : i == 2 ? 1.1 : i == 3 ? 1.14 : 1.3;
  };
  EXPECT_EQ(plan.Independent(median), (std::vector<size_t>{6, 8, 7}))
      << "of the second family the faster alone";
}

TEST(CandidatePlan, ADefaultInLaunchClustersDoesNotStandForItsFamily) {
  Twins f;
  f.configs[0].launch_cluster = 4;
  f.configs[6].dependent_launch = true;  // what the default is but for that
  const CandidatePlan plan(f.configs, f.predicted, Small());
  EXPECT_EQ(plan.First(), (std::vector<size_t>{0, 6, 2, 4}));
}

// Another launch makes a family a fifth faster at most.
TEST(CandidatePlan, AFamilyThatIsFurtherBehindIsTriedInNoLaunchClusters) {
  Twins f;
  for (size_t i : {10, 11}) {
    f.configs[i].dependent_launch = true;
    f.configs[i].launch_cluster = 8;
  }
  const CandidatePlan plan(f.configs, f.predicted, Small());
  const auto median = [](size_t i) -> std::optional<double> {
    return i == 0 ? 1.0 : i == 2 ? 1.19 : i == 4 ? 1.21 : 1.3;
  };
  EXPECT_EQ(plan.Independent(median), (std::vector<size_t>{6, 8}));
  const auto nearer = [&](size_t i) -> std::optional<double> {
    return i == 4 ? 1.19 : median(i);
  };
  EXPECT_EQ(plan.Independent(nearer), (std::vector<size_t>{6, 8, 10}));
}

TEST(CandidatePlan, TriesTheFastestOfAFamilyInLaunchClusters) {
  Twins f;
  for (size_t i = 6; i < 12; ++i) {
    f.configs[i].dependent_launch = true;
    f.configs[i].launch_cluster = 8;
  }
  CandidatePlan::Options options = Small();
  options.members = 9;
  options.survivors = 3;
  options.survival = 2;
  const CandidatePlan plan(f.configs, f.predicted, options);
  const auto median = [](size_t i) -> std::optional<double> {
    return i == 9 ? 0.9 : i == 3 ? 1.0 : i == 0 ? 1.05 : i < 6 ? 1.25 : 1.3;
  };
  EXPECT_EQ(plan.Independent(median), (std::vector<size_t>{6, 9}));
  const std::vector<size_t> second = plan.Second(median);
  EXPECT_EQ(std::count(second.begin(), second.end(), 8), 1)
      << "another order in launch clusters, which won in this family";
  EXPECT_EQ(std::count(second.begin(), second.end(), 7), 0)
      << "which lost in that";
}

TEST(CandidatePlan, DoesNotTryAgainWhatWasPredictedBest) {
  Twins f;
  f.predicted[6] = -1;
  const CandidatePlan plan(f.configs, f.predicted, Small());
  ASSERT_EQ(plan.First(), (std::vector<size_t>{0, 6, 2, 4}));
  const std::vector<size_t> independent =
      plan.Independent([](size_t) { return 1.0; });
  EXPECT_EQ(independent, (std::vector<size_t>{8, 10, 7, 9, 11}));
}

TEST(CandidatePlan, HasNoneWithoutDependentLaunchWhereThereIsNone) {
  const Fixture f(3, 4);
  const CandidatePlan plan(f.configs, f.predicted, Small());
  EXPECT_TRUE(plan.Independent([](size_t) { return 1.0; }).empty());
}

TEST(CandidatePlan, AFamilyIsAsFastAsWithoutDependentLaunch) {
  const Twins f;
  CandidatePlan::Options options = Small();
  options.survivors = 1;
  options.members = 9;
  const CandidatePlan plan(f.configs, f.predicted, options);
  // The first family is the slowest of two until it is launched apart.
  const auto median = [](size_t i) -> std::optional<double> {
    return i == 6 ? 0.9 : i == 0 ? 1.05 : i == 2 ? 1.0 : 1.3;
  };
  EXPECT_EQ(plan.Second(median), (std::vector<size_t>{7}));
}

TEST(CandidatePlan, NamesNoCandidateTwice) {
  Fixture f(6, 30);
  for (size_t i = 0; i < f.configs.size(); i += 3) {
    f.configs[i].swizzle_direction = SwizzleDirection::kNz;
  }
  for (size_t i = 15; i < f.configs.size(); i += 30) {
    f.configs[i] = f.configs[i - 15];
    f.configs[i].dependent_launch = false;
  }
  const CandidatePlan plan(f.configs, f.predicted, {});
  std::vector<size_t> all = plan.First();
  for (size_t i : plan.Turned([](size_t) { return 1.0; })) all.push_back(i);
  const auto independent = plan.Independent([](size_t) { return 1.0; });
  EXPECT_FALSE(independent.empty());
  all.insert(all.end(), independent.begin(), independent.end());
  for (size_t i : plan.Second([](size_t) { return 1.0; })) all.push_back(i);
  EXPECT_EQ(std::set<size_t>(all.begin(), all.end()).size(), all.size());
}

TEST(CandidatePlan, OfNothingIsNothing) {
  const CandidatePlan plan({}, {}, {});
  EXPECT_TRUE(plan.First().empty());
  EXPECT_TRUE(plan.Turned([](size_t) { return 1.0; }).empty());
  EXPECT_TRUE(plan.Independent([](size_t) { return 1.0; }).empty());
  EXPECT_TRUE(plan.Second([](size_t) { return 1.0; }).empty());
}

}  // namespace
}  // namespace tiletune
