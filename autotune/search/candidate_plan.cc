#include "autotune/search/candidate_plan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_join.h"
#include "scheduler/supply_kind.h"

namespace tiletune {
namespace {

bool Contains(const std::vector<size_t>& indices, size_t index) {
  return std::find(indices.begin(), indices.end(), index) != indices.end();
}

}  // namespace

std::string FamilyOf(const GemmConfig& config) {
  const KernelVariant& v = *config.variant;
  return absl::StrJoin(
      std::make_tuple(
          static_cast<int>(v.architecture), v.tile_m, v.tile_n, v.tile_k,
          v.cluster_m, v.cluster_n, v.cluster_k, v.cta_group, v.stages,
          v.accumulators, static_cast<int>(v.schedule), v.operand_bits,
          static_cast<int>(v.swaps_operands), v.ctas_per_sm, config.split_k),
      " ");
}

CandidatePlan::CandidatePlan(std::vector<GemmConfig> configs,
                             std::vector<double> predicted, Options options)
    : configs_(std::move(configs)),
      predicted_(std::move(predicted)),
      options_(options),
      by_prediction_(configs_.size()) {
  std::iota(by_prediction_.begin(), by_prediction_.end(), size_t{0});
  // Ties keep the registry's order, which is fixed.
  std::stable_sort(
      by_prediction_.begin(), by_prediction_.end(),
      [this](size_t a, size_t b) { return predicted_[a] < predicted_[b]; });
  std::map<std::string, int> numbers;
  for (const GemmConfig& config : configs_) {
    const int next = static_cast<int>(numbers.size());
    family_.push_back(numbers.emplace(FamilyOf(config), next).first->second);
  }
}

std::vector<size_t> CandidatePlan::First() const {
  if (configs_.empty()) return {};
  std::vector<size_t> first = {0};
  std::set<int> chosen;
  for (size_t i : by_prediction_) {
    if (static_cast<int>(chosen.size()) == options_.families) break;
    // Its family is judged by a launch like the others'.
    if (i == 0 && configs_[0].launch_cluster != 1) continue;
    if (!chosen.insert(family_[i]).second || i == 0) continue;
    first.push_back(i);
  }
  return first;
}

std::vector<size_t> CandidatePlan::Turned(const MedianOf& median) const {
  const std::vector<size_t> first = First();
  double best = std::numeric_limits<double>::infinity();
  for (size_t i : first) best = std::min(best, median(i).value_or(best));
  std::vector<size_t> turned;
  for (size_t i : first) {
    if (!median(i).has_value() || *median(i) > options_.turning * best)
      continue;
    const auto is_other_way = [&](size_t other) {
      return family_[other] == family_[i] &&
             configs_[other].variant->supply == configs_[i].variant->supply &&
             configs_[other].swizzle_direction != configs_[i].swizzle_direction;
    };
    const auto found = std::find_if(by_prediction_.begin(),
                                    by_prediction_.end(), is_other_way);
    // The default config may share its family with another.
    if (found != by_prediction_.end() && !Contains(first, *found) &&
        !Contains(turned, *found)) {
      turned.push_back(*found);
    }
  }
  return turned;
}

std::vector<size_t> CandidatePlan::FirstAndTurned(
    const MedianOf& median) const {
  std::vector<size_t> indices = First();
  const std::vector<size_t> turned = Turned(median);
  indices.insert(indices.end(), turned.begin(), turned.end());
  return indices;
}

std::map<int, size_t> CandidatePlan::FastestOfEach(
    const std::vector<size_t>& indices, const MedianOf& median) const {
  std::map<int, size_t> fastest;  // family -> its fastest member
  for (size_t i : indices) {
    if (!median(i).has_value()) continue;
    const auto [it, added] = fastest.emplace(family_[i], i);
    if (!added && *median(i) < *median(it->second)) it->second = i;
  }
  return fastest;
}

std::vector<size_t> CandidatePlan::Independent(const MedianOf& median) const {
  const std::vector<size_t> before = FirstAndTurned(median);
  const std::map<int, size_t> fastest = FastestOfEach(before, median);
  double best = std::numeric_limits<double>::infinity();
  for (const auto& [family, i] : fastest) best = std::min(best, *median(i));
  std::vector<size_t> independent;
  for (size_t i : before) {
    if (!median(i).has_value()) continue;
    const size_t best_kin = fastest.at(family_[i]);
    if (*median(i) > options_.kinship * *median(best_kin)) continue;
    for (const GemmConfig& twin : OtherLaunches(configs_[i])) {
      const bool is_clustered = twin.launch_cluster > 1;
      if (is_clustered && i != best_kin) continue;
      if (*median(i) > options_.independence * best) continue;
      const auto found = std::find(configs_.begin(), configs_.end(), twin);
      if (found == configs_.end()) continue;  // its launches fill the device
      const size_t index = found - configs_.begin();
      if (Contains(before, index) || Contains(independent, index)) continue;
      independent.push_back(index);
    }
  }
  return independent;
}

std::vector<size_t> CandidatePlan::Second(const MedianOf& median) const {
  std::vector<size_t> before = FirstAndTurned(median);
  const std::vector<size_t> independent = Independent(median);
  before.insert(before.end(), independent.begin(), independent.end());
  std::vector<std::tuple<double, int, size_t>> ranked;
  for (const auto& [family, i] : FastestOfEach(before, median)) {
    ranked.emplace_back(*median(i), family, i);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<size_t> second;
  for (size_t rank = 0; rank < ranked.size(); ++rank) {
    if (static_cast<int>(rank) == options_.survivors) break;
    const auto& [time, family, fastest] = ranked[rank];
    if (time > options_.survival * std::get<0>(ranked[0])) break;
    std::map<SupplyKind, int> members;
    for (size_t i : by_prediction_) {
      if (family_[i] != family) continue;
      if (Contains(before, i)) continue;
      // Other orders in launch clusters only where they won.
      const uint32_t cluster = configs_[i].launch_cluster;
      if (cluster != 1 && cluster != configs_[fastest].launch_cluster) continue;
      // Each supply gets its share, whatever the model thinks of it.
      const SupplyKind supply = configs_[i].variant->supply;
      const int most = supply == SupplyKind::kStatic ? options_.members
                                                     : options_.dynamic_members;
      if (members[supply]++ < most) second.push_back(i);
    }
  }
  return second;
}

}  // namespace tiletune
