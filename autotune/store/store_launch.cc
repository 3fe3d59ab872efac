// Store::WinnersToLaunch: the choice of the view `winners` (tables.cc), made
// here over one pass of the table. What the view formats and sorts as text, a
// program that starts cannot wait for.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "autotune/store/connection.h"
#include "autotune/store/store.h"

namespace tiletune {
namespace {

// A config of a current build.
struct Candidate {
  LaunchWinners::Config config;
  bool is_static = false;
  // Within a tie set the least of these wins.
  std::tuple<int64_t, int64_t, int64_t, int64_t, int, int64_t, int64_t>
      resources;
};

// What is read of a measurement.
struct Sample {
  int64_t problem = 0;  // row ids
  int64_t config = 0;
  MeasurementPolicy policy;
  bool is_final = false;
  bool is_default = false;
  double median_ns = 0;
  double noise = 0;
  int64_t at = 0;
  std::string uid;
};

auto GroupOf(const Sample& s) {
  return std::make_tuple(s.problem, s.policy.l2, s.policy.launch,
                         s.policy.busy_percent);
}

// Runs a statement and calls `use` on each of its rows.
template <typename Use, typename... Values>
absl::Status ForEachRow(Connection* db, const char* sql, const Use& use,
                        const Values&... values) {
  absl::StatusOr<Statement> rows = db->Prepare(sql);
  if (!rows.ok()) return rows.status();
  rows->Bind(values...);
  while (true) {
    const absl::StatusOr<bool> more = rows->Step();
    if (!more.ok()) return more.status();
    if (!*more) return absl::OkStatus();
    use(*rows);
  }
}

int SupplyOrder(std::string_view supply) {
  if (supply == "static") return 0;
  return supply == "queue" ? 1 : 2;
}

class Reader {
 public:
  Reader(Connection* db,
         const std::function<bool(const std::string& config_key)>& allowed)
      : db_(db), allowed_(allowed) {}

  absl::StatusOr<LaunchWinners> Read(const std::string& device) {
    std::optional<int64_t> id;
    absl::Status status = ForEachRow(
        db_, "SELECT id FROM devices WHERE fingerprint = ?1 AND NOT modelled",
        [&id](const Statement& row) { id = row.Integer(0); }, device);
    if (!status.ok()) return status;
    if (!id.has_value()) return LaunchWinners();
    status = ReadCandidates();
    if (status.ok()) status = ReadExceptions(*id);
    if (status.ok()) status = ReadSamples(*id);
    if (!status.ok()) return status;
    LaunchWinners winners = Choose();
    status = NameProblems(&winners);
    if (!status.ok()) return status;
    return winners;
  }

 private:
  absl::Status ReadCandidates() {
    return ForEachRow(
        db_,
        "SELECT c.id, c.key, c.build, c.supply, c.split_k, c.cluster_ctas,"
        " c.shared_bytes, c.threads, c.swizzle_offset, c.swizzle_direction"
        " FROM configs AS c JOIN current_builds AS b"
        " ON b.variant = c.variant AND b.build = c.build",
        [this](const Statement& row) {
          Candidate c;
          c.config = {row.Text(1), row.Text(2)};
          if (allowed_ != nullptr && !allowed_(c.config.key)) return;
          const std::string supply = row.Text(3);
          c.is_static = supply == "static";
          c.resources = {row.Integer(4), row.Integer(5),      row.Integer(6),
                         row.Integer(7), SupplyOrder(supply), row.Integer(8),
                         row.Integer(9)};
          candidates_.emplace(row.Integer(0), std::move(c));
        });
  }

  absl::Status ReadExceptions(int64_t device) {
    const absl::Status status = ForEachRow(
        db_, "SELECT measurement_uid FROM marks WHERE mark = 'stale'",
        [this](const Statement& row) { stale_.insert(row.Text(0)); });
    if (!status.ok()) return status;
    return ForEachRow(
        db_,
        "SELECT problem_id, config_id, policy FROM quarantine"
        " WHERE device_id = ?1",
        [this](const Statement& row) {
          barred_.emplace(row.Integer(0), row.Integer(1), row.Text(2));
        },
        device);
  }

  // NOT INDEXED: most rows are of this device, and lie in a row.
  absl::Status ReadSamples(int64_t device) {
    return ForEachRow(
        db_,
        "SELECT problem_id, config_id, l2, launch, busy_percent, stage,"
        " is_default, median_ns, noise, soak_repeats, recorded_at_us, uid"
        " FROM measurements NOT INDEXED"
        " WHERE device_id = ?1 AND outcome = 'ok' AND median_ns > 0",
        [this](const Statement& row) { Keep(row); }, device);
  }

  bool IsBarred(const Sample& s) const {
    return barred_.contains({s.problem, s.config, ""}) ||
           barred_.contains({s.problem, s.config, PolicyKey(s.policy)});
  }

  void Keep(const Statement& row) {
    Sample s;
    s.problem = row.Integer(0);
    s.config = row.Integer(1);
    const auto candidate = candidates_.find(s.config);
    if (candidate == candidates_.end()) return;
    if (!candidate->second.is_static && row.Integer(9) < kSoakRepeats) return;
    s.uid = row.Text(11);
    if (!stale_.empty() && stale_.contains(s.uid)) return;
    s.policy.l2 = row.TextView(2) == "warm" ? L2State::kWarm : L2State::kCold;
    s.policy.launch =
        row.TextView(3) == "stream" ? LaunchMode::kStream : LaunchMode::kGraph;
    s.policy.busy_percent = static_cast<int32_t>(row.Integer(4));
    if (!barred_.empty() && IsBarred(s)) return;
    s.is_final = row.TextView(5) == "final";
    s.is_default = row.Integer(6) != 0;
    s.median_ns = row.Real(7);
    s.noise = row.Real(8);
    s.at = row.Integer(10);
    samples_.push_back(std::move(s));
  }

  // Sorts the samples so that those of a problem and policy lie together, and
  // of each config the one that counts comes first; then one choice a group.
  LaunchWinners Choose() {
    std::sort(samples_.begin(), samples_.end(),
              [](const Sample& x, const Sample& y) {
                const auto x_group = GroupOf(x), y_group = GroupOf(y);
                if (x_group != y_group) return x_group < y_group;
                if (x.config != y.config) return x.config < y.config;
                return std::tie(x.is_final, x.at, x.uid) >
                       std::tie(y.is_final, y.at, y.uid);
              });
    LaunchWinners winners;
    absl::flat_hash_map<int64_t, size_t> numbers;  // of configs that won
    for (auto begin = samples_.begin(); begin != samples_.end();) {
      const auto end = std::find_if(
          begin, samples_.end(),
          [&](const Sample& s) { return GroupOf(s) != GroupOf(*begin); });
      const Sample& best = ChooseOf(begin, end);
      const auto [number, is_new] =
          numbers.emplace(best.config, winners.configs.size());
      if (is_new) {
        winners.configs.push_back(candidates_.at(best.config).config);
      }
      problems_.push_back(best.problem);
      winners.rows.push_back({"", best.policy, number->second, best.median_ns});
      begin = end;
    }
    return winners;
  }

  using Samples = std::vector<Sample>::iterator;

  // docs/database.md, "Who wins". [begin, end) is not empty.
  const Sample& ChooseOf(Samples begin, Samples end) const {
    // One of each config; if any is final, those alone.
    std::vector<const Sample*> ranked;
    bool furthest = false;
    for (auto s = begin; s != end; ++s) {
      if (s != begin && s->config == (s - 1)->config) continue;
      ranked.push_back(&*s);
      furthest |= s->is_final;
    }
    ranked.erase(std::remove_if(ranked.begin(), ranked.end(),
                                [furthest](const Sample* s) {
                                  return s->is_final != furthest;
                                }),
                 ranked.end());
    const Sample& best = **std::min_element(
        ranked.begin(), ranked.end(), [](const Sample* x, const Sample* y) {
          return std::make_pair(x->median_ns, -x->noise) <
                 std::make_pair(y->median_ns, -y->noise);
        });
    // The default wins any tie; who else is chosen lies in its nearer half.
    const auto is_within = [&best](const Sample* s, double part) {
      return s->median_ns <=
             best.median_ns * (1 + std::max(s->noise, best.noise) * part);
    };
    const auto place = [this](const Sample* s) {
      const Candidate& c = candidates_.at(s->config);
      return std::tuple_cat(std::make_tuple(!s->is_default), c.resources,
                            std::make_tuple(std::string_view(c.config.key)));
    };
    const Sample* winner = &best;
    for (const Sample* s : ranked) {
      if (!is_within(s, s->is_default ? 1.0 : 0.5)) continue;
      if (place(s) < place(winner)) winner = s;
    }
    return *winner;
  }

  // The winners lie in the order of their problems' ids, as Choose sorts them:
  // one pass over both.
  absl::Status NameProblems(LaunchWinners* winners) {
    size_t at = 0;
    return ForEachRow(db_, "SELECT id, key FROM problems ORDER BY id",
                      [&](const Statement& row) {
                        const int64_t id = row.Integer(0);
                        for (; at < problems_.size() && problems_[at] <= id;
                             ++at) {
                          if (problems_[at] == id)
                            winners->rows[at].problem = row.Text(1);
                        }
                      });
  }

  Connection* const db_;
  const std::function<bool(const std::string& config_key)>& allowed_;
  absl::flat_hash_map<int64_t, Candidate> candidates_;  // by row id
  absl::flat_hash_set<std::string> stale_;              // uids
  // Problem, config, and the policy's key; an empty one is every policy.
  absl::flat_hash_set<std::tuple<int64_t, int64_t, std::string>> barred_;
  std::vector<Sample> samples_;
  std::vector<int64_t> problems_;  // of each winner
};

}  // namespace

absl::StatusOr<LaunchWinners> Store::WinnersToLaunch(
    const std::string& device,
    const std::function<bool(const std::string& config_key)>& allowed) const {
  return Reader(connection_.get(), allowed).Read(device);
}

}  // namespace tiletune
