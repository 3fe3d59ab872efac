#include "autotune/store/row_clock.h"

#include <algorithm>
#include <limits>

#include "autotune/store/convert.h"

namespace tiletune {
namespace {

// Both walk an index: a row is recorded for every candidate of a tune.
constexpr char kNewestMeasurement[] = R"sql(
SELECT ifnull(max(recorded_at_us), 0) FROM measurements
WHERE device_id = (SELECT id FROM devices WHERE fingerprint = :device)
  AND problem_id = (SELECT id FROM problems WHERE key = :problem)
  AND l2 = :l2 AND launch = :launch AND busy_percent = :busy_percent
  AND config_id IN (SELECT id FROM configs WHERE key = :config)
)sql";
constexpr char kNewestPrediction[] = R"sql(
SELECT ifnull(max(recorded_at_us), 0) FROM predictions
WHERE device_id = (SELECT id FROM devices WHERE fingerprint = :device)
  AND problem_id = (SELECT id FROM problems WHERE key = :problem)
)sql";

// This one reads the whole file, and is asked once.
constexpr char kNewestOfVariants[] = R"sql(
SELECT c.variant, max(r.at)
FROM (SELECT config_id, max(recorded_at_us) AS at FROM measurements
        GROUP BY config_id
      UNION ALL
      SELECT config_id, max(recorded_at_us) FROM predictions
        GROUP BY config_id) AS r
JOIN configs AS c ON c.id = r.config_id GROUP BY c.variant
)sql";

}  // namespace

absl::Status RowClock::ReadVariants() {
  if (is_read_) return absl::OkStatus();
  absl::StatusOr<Statement> rows = db_->Prepare(kNewestOfVariants);
  if (!rows.ok()) return rows.status();
  while (true) {
    const absl::StatusOr<bool> more = rows->Step();
    if (!more.ok()) return more.status();
    if (!*more) break;
    int64_t& newest = newest_[rows->Text(0)];
    newest = std::max(newest, rows->Integer(1));
  }
  is_read_ = true;
  return absl::OkStatus();
}

absl::StatusOr<int64_t> RowClock::TimeOfNew(const Transfer& transfer,
                                            const Row& row) {
  const absl::Status read = ReadVariants();
  if (!read.ok()) return read;
  absl::StatusOr<std::vector<Statement>*> select = db_->PrepareAll(
      &transfer == &kPredictions ? kNewestPrediction : kNewestMeasurement);
  if (!select.ok()) return select.status();
  Statement& newest_of_key = (*select)->front();
  const absl::Status bound = newest_of_key.BindNamed(row);
  if (!bound.ok()) return bound;
  const absl::StatusOr<bool> found = newest_of_key.Step();
  if (!found.ok()) return found.status();
  const int64_t of_key = newest_of_key.Integer(0);
  newest_of_key.Finish();
  int64_t& of_variant = newest_[row.Text("variant")];
  const int64_t before = std::min(std::max(of_key, of_variant),
                                  std::numeric_limits<int64_t>::max() - 1);
  of_variant = std::max(NowMicros(), before + 1);
  return of_variant;
}

}  // namespace tiletune
