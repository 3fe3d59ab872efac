#include "autotune/command_line/shard.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace tiletune {

double TuningSeconds(const GemmProblem& problem) {
  const double flops = Flops(problem);
  return 0.25 + flops / 2.5e12 + 500 * flops / 650e12;
}

namespace {

bool IsDearer(const GemmProblem& a, const GemmProblem& b) {
  return TuningSeconds(a) > TuningSeconds(b);
}

}  // namespace

std::vector<GemmProblem> ShardOf(const std::vector<GemmProblem>& problems,
                                 int shard, int shards) {
  std::vector<size_t> dearest(problems.size());
  std::iota(dearest.begin(), dearest.end(), size_t{0});
  std::stable_sort(dearest.begin(), dearest.end(), [&](size_t a, size_t b) {
    return IsDearer(problems[a], problems[b]);
  });
  std::vector<double> load(shards, 0.0);
  std::vector<size_t> mine;
  for (size_t i : dearest) {
    const auto least = std::min_element(load.begin(), load.end());
    *least += TuningSeconds(problems[i]);
    if (least - load.begin() == shard) mine.push_back(i);
  }
  std::sort(mine.begin(), mine.end());
  std::vector<GemmProblem> share;
  for (size_t i : mine) share.push_back(problems[i]);
  return share;
}

std::vector<GemmProblem> DearestFirst(std::vector<GemmProblem> problems) {
  std::stable_sort(problems.begin(), problems.end(), IsDearer);
  return problems;
}

}  // namespace tiletune
