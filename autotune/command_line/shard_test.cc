#include "autotune/command_line/shard.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

std::vector<GemmProblem> Problems(const std::vector<int64_t>& sizes) {
  std::vector<GemmProblem> problems;
  for (int64_t size : sizes) {
    GemmProblem p;
    p.m = p.n = p.k = size;
    problems.push_back(Normalized(p));
  }
  return problems;
}

double Cost(const std::vector<GemmProblem>& problems) {
  double cost = 0;
  for (const GemmProblem& p : problems) cost += TuningSeconds(p);
  return cost;
}

TEST(ShardOf, GivesEveryProblemToOneShard) {
  const auto all = Problems({16, 4096, 64, 8192, 128, 2048, 512});
  size_t sum = 0;
  for (int shard = 0; shard < 3; ++shard) {
    for (const GemmProblem& p : ShardOf(all, shard, 3)) {
      EXPECT_NE(std::find(all.begin(), all.end(), p), all.end());
      ++sum;
    }
  }
  EXPECT_EQ(sum, all.size());
}

TEST(ShardOf, SharesCostAboutTheSame) {
  // Every second problem is large: alternating shares would not do.
  const auto all = Problems({8192, 16, 8192, 16, 6144, 16, 6144, 16});
  const double one = Cost(ShardOf(all, 0, 2)), other = Cost(ShardOf(all, 1, 2));
  EXPECT_LT(std::max(one, other), 1.05 * (one + other) / 2);
}

TEST(ShardOf, OneLargeProblemIsWorthManySmallOnes) {
  const auto all =
      Problems({8192, 4096, 4000, 4001, 4002, 4003, 4004, 4005, 4006});
  const double one = Cost(ShardOf(all, 0, 2)), other = Cost(ShardOf(all, 1, 2));
  EXPECT_LT(std::max(one, other), 1.1 * (one + other) / 2);
}

TEST(ShardOf, KeepsTheOrder) {
  const auto all = Problems({64, 8192, 128});
  EXPECT_EQ(ShardOf(all, 0, 1), all);
}

TEST(DearestFirst, ShardsSeeTheSameOrderAsTheWhole) {
  const auto all = DearestFirst(Problems({64, 8192, 128, 4096, 2048}));
  EXPECT_EQ(all, Problems({8192, 4096, 2048, 128, 64}));
  for (int shard = 0; shard < 2; ++shard) {
    const auto mine = ShardOf(all, shard, 2);
    EXPECT_EQ(mine, DearestFirst(mine));
  }
}

TEST(ShardOf, MoreShardsThanProblemsLeavesSomeEmpty) {
  const auto all = Problems({64, 128});
  size_t sum = 0;
  for (int shard = 0; shard < 5; ++shard) sum += ShardOf(all, shard, 5).size();
  EXPECT_EQ(sum, 2u);
}

}  // namespace
}  // namespace tiletune
