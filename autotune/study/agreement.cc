#include "autotune/study/agreement.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace tiletune {
namespace {

// The ranking of one device, problem and policy, best place first.
using Ranking = std::vector<StandingRow>;
using Key = std::tuple<std::string, std::string, std::string>;

absl::StatusOr<std::map<Key, Ranking>> RankingsOf(const Store& store) {
  absl::StatusOr<std::vector<StandingRow>> rows = store.Standings({});
  if (!rows.ok()) return rows.status();
  std::map<Key, Ranking> rankings;
  for (StandingRow& row : *rows) {
    const Key key(row.device, row.problem, PolicyKey(row.policy));
    rankings[key].push_back(std::move(row));
  }
  for (auto& [key, ranking] : rankings) {
    std::sort(ranking.begin(), ranking.end(),
              [](const StandingRow& x, const StandingRow& y) {
                return x.place < y.place;
              });
  }
  return rankings;
}

const StandingRow* Find(const Ranking& ranking, const std::string& config) {
  for (const StandingRow& row : ranking) {
    if (row.config == config) return &row;
  }
  return nullptr;
}

// How much slower than its winner the ranking finds `config`.
double LossOf(const Ranking& ranking, const std::string& config) {
  const StandingRow* const row = Find(ranking, config);
  if (row == nullptr) return std::numeric_limits<double>::infinity();
  return row->median_ns / ranking.front().median_ns - 1;
}

bool Ties(const Ranking& ranking, const std::string& config) {
  const StandingRow* const row = Find(ranking, config);
  return row != nullptr && row->tied;
}

ShapeAgreement CompareRankings(const Ranking& one, const Ranking& other) {
  ShapeAgreement s;
  s.device = one.front().device;
  s.problem = one.front().problem;
  s.policy = one.front().policy;
  s.one = one.front().config;
  s.other = other.front().config;
  s.loss_in_one = LossOf(one, s.other);
  s.loss_in_other = LossOf(other, s.one);
  s.kind = s.one == s.other                           ? AgreementKind::kSame
           : Ties(one, s.other) || Ties(other, s.one) ? AgreementKind::kTied
                                                      : AgreementKind::kDiffer;
  return s;
}

}  // namespace

absl::StatusOr<Agreement> Compare(const Store& one, const Store& other) {
  const absl::StatusOr<std::map<Key, Ranking>> ours = RankingsOf(one);
  if (!ours.ok()) return ours.status();
  const absl::StatusOr<std::map<Key, Ranking>> theirs = RankingsOf(other);
  if (!theirs.ok()) return theirs.status();
  Agreement agreement;
  for (const auto& [key, ranking] : *ours) {
    const auto it = theirs->find(key);
    if (it == theirs->end()) continue;
    agreement.shapes.push_back(CompareRankings(ranking, it->second));
    switch (agreement.shapes.back().kind) {
      case AgreementKind::kSame:
        ++agreement.same;
        break;
      case AgreementKind::kTied:
        ++agreement.tied;
        break;
      case AgreementKind::kDiffer:
        ++agreement.differ;
        break;
    }
  }
  return agreement;
}

}  // namespace tiletune
