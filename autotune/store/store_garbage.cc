// The rows that can no longer win: how many there are, and dropping them.
#include "absl/strings/str_cat.h"
#include "autotune/store/connection.h"
#include "autotune/store/store.h"
#include "autotune/store/transfer.h"

namespace tiletune {
namespace {

constexpr char kIsStale[] =
    "uid IN (SELECT measurement_uid FROM marks WHERE mark = 'stale')";
constexpr char kIsOfOtherBuild[] =
    "config_id NOT IN (SELECT c.id FROM configs AS c JOIN current_builds AS b"
    " ON b.variant = c.variant AND b.build = c.build)";

// The rows of `table` of other builds that the filter and `but` let through.
absl::StatusOr<int64_t> CountOthers(Connection* db, const Filter& filter,
                                    const std::string& table, bool has_policy,
                                    const std::string& but) {
  const std::string where =
      Where(filter, "d.fingerprint", "p.key", "m.", has_policy, "");
  const std::string sql = absl::StrCat(
      "SELECT count(*) FROM ", table,
      " AS m JOIN devices AS d ON d.id = m.device_id"
      " JOIN problems AS p ON p.id = m.problem_id",
      where.empty() ? " WHERE " : where + " AND ", kIsOfOtherBuild, but);
  absl::StatusOr<Statement> count = db->Prepare(sql.c_str());
  if (!count.ok()) return count.status();
  count->Bind(filter.device, filter.problem);
  const absl::StatusOr<bool> row = count->Step();
  if (!row.ok()) return row.status();
  return count->Integer(0);
}

}  // namespace

absl::StatusOr<RowCounts> Store::OtherBuilds(const Filter& filter) const {
  const absl::StatusOr<int64_t> measurements =
      CountOthers(connection_.get(), filter, "measurements", true,
                  absl::StrCat(" AND NOT ", kIsStale));
  if (!measurements.ok()) return measurements.status();
  const absl::StatusOr<int64_t> predictions =
      CountOthers(connection_.get(), filter, "predictions", false, "");
  if (!predictions.ok()) return predictions.status();
  return RowCounts{*measurements, *predictions};
}

absl::StatusOr<int64_t> Store::StaleMeasurements() const {
  return connection_->QueryInteger(
      absl::StrCat("SELECT count(*) FROM measurements WHERE ", kIsStale)
          .c_str());
}

absl::StatusOr<int64_t> Store::CollectGarbage(const Garbage& garbage) {
  int64_t dropped = 0;
  absl::Status status = Transaction([&]() -> absl::Status {
    if (garbage.impossible) {
      const absl::StatusOr<int64_t> gone = DropImpossible();
      if (!gone.ok()) return gone.status();
      dropped = *gone;
    }
    std::string of_measurements =
        absl::StrCat("DELETE FROM measurements WHERE ", kIsStale);
    std::string of_the_rest;
    if (garbage.other_builds) {
      absl::StrAppend(&of_measurements, " OR ", kIsOfOtherBuild);
      of_the_rest =
          absl::StrCat("DELETE FROM predictions WHERE ", kIsOfOtherBuild, ";");
    }
    absl::StrAppend(
        &of_the_rest,
        "DELETE FROM marks WHERE"
        " measurement_uid NOT IN (SELECT uid FROM measurements);"
        "DELETE FROM runs WHERE uid NOT IN (SELECT run_uid FROM measurements)"
        " AND uid NOT IN (SELECT run_uid FROM attempts);");
    const absl::Status done = connection_->Execute(of_measurements);
    if (!done.ok()) return done;
    dropped += sqlite3_changes(connection_->get());
    return connection_->Execute(of_the_rest);
  });
  if (!status.ok()) return status;
  return dropped;
}

}  // namespace tiletune
