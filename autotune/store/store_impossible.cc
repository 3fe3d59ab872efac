// The rows of this program's own kernels that cannot be true: they came in
// before imports and merges looked, or by other hands.
#include <vector>

#include "absl/strings/str_cat.h"
#include "autotune/store/connection.h"
#include "autotune/store/convert.h"
#include "autotune/store/row_check.h"
#include "autotune/store/store.h"
#include "autotune/store/transfer.h"

namespace tiletune {
namespace {

// What is claimed of each config of each problem, and in how many rows.
std::string ClaimsOf(bool predictions, const Filter& filter) {
  const std::string where =
      Where(filter, "d.fingerprint", "p.key", "m.", !predictions, "");
  return absl::StrCat(
      "SELECT d.*, d.fingerprint AS device, d.name AS device_name,"
      " p.key AS problem, c.key AS config, c.build, c.variant, c.supply,"
      " count(*) AS row_count FROM ",
      predictions ? "predictions" : "measurements",
      " AS m JOIN devices AS d ON d.id = m.device_id"
      " JOIN problems AS p ON p.id = m.problem_id"
      " JOIN configs AS c ON c.id = m.config_id",
      where, where.empty() ? " WHERE " : " AND ",
      predictions ? "1" : "m.outcome = 'ok'",
      " GROUP BY m.device_id, m.problem_id, m.config_id"
      " ORDER BY d.fingerprint, p.key, c.key, c.build");
}

absl::Status AddImpossible(Connection* db, bool predictions,
                           const Filter& filter,
                           std::vector<ImpossibleRow>* found) {
  absl::StatusOr<Statement> claims =
      db->Prepare(ClaimsOf(predictions, filter).c_str());
  if (!claims.ok()) return claims.status();
  claims->Bind(filter.device, filter.problem);
  while (true) {
    const absl::StatusOr<bool> more = claims->Step();
    if (!more.ok()) return more.status();
    if (!*more) return absl::OkStatus();
    const Row row = claims->CurrentRow();
    const RowClaim claim = ClaimOf(row);
    const absl::Status possible = CheckClaim(claim);
    if (possible.ok()) continue;
    found->push_back({row.Text("device"), claim.problem, claim.config,
                      claim.build, std::string(possible.message()), predictions,
                      row.Integer("row_count")});
  }
}

}  // namespace

absl::StatusOr<std::vector<ImpossibleRow>> Store::Impossible(
    const Filter& filter) const {
  std::vector<ImpossibleRow> found;
  for (const bool predictions : {false, true}) {
    const absl::Status status =
        AddImpossible(connection_.get(), predictions, filter, &found);
    if (!status.ok()) return status;
  }
  return found;
}

absl::StatusOr<int64_t> Store::DropImpossible() {
  const absl::StatusOr<std::vector<ImpossibleRow>> found = Impossible({});
  if (!found.ok()) return found.status();
  int64_t dropped = 0;
  for (const ImpossibleRow& row : *found) {
    absl::StatusOr<Statement> drop = connection_->Prepare(
        absl::StrCat(
            "DELETE FROM ",
            row.is_prediction ? "predictions WHERE 1"
                              : "measurements WHERE outcome = 'ok'",
            " AND device_id = (SELECT id FROM devices WHERE fingerprint = ?1)"
            " AND problem_id = (SELECT id FROM problems WHERE key = ?2)"
            " AND config_id = (SELECT id FROM configs"
            "   WHERE key = ?3 AND build = ?4)")
            .c_str());
    if (!drop.ok()) return drop.status();
    drop->Bind(row.device, row.problem, row.config, row.build);
    const absl::Status dropping = drop->Run();
    if (!dropping.ok()) return dropping;
    if (!row.is_prediction) dropped += row.rows;
  }
  return dropped;
}

}  // namespace tiletune
