#include "autotune/store/schema.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "autotune/store/tables.h"

namespace tiletune {

const std::vector<std::string>& Migrations() {
  static const auto* migrations =
      new std::vector<std::string>{kTablesV1, kTablesV2, kTablesV3};
  return *migrations;
}

// In one transaction: another process may be making the tables, and a version
// of before that does not go with tables of after it.
absl::StatusOr<int> SchemaVersion(Connection* db) {
  int64_t version = 0, application = 0, objects = 0;
  const std::pair<const char*, int64_t*> reads[] = {
      {"PRAGMA user_version", &version},
      {"PRAGMA application_id", &application},
      {"SELECT count(*) FROM sqlite_master", &objects}};
  const absl::Status read = db->ReadTransaction([&]() -> absl::Status {
    for (const auto& [sql, value] : reads) {
      const absl::StatusOr<int64_t> found = db->QueryInteger(sql);
      if (!found.ok()) return found.status();
      *value = *found;
    }
    return absl::OkStatus();
  });
  if (!read.ok()) return read;
  const bool empty = version == 0 && application == 0 && objects == 0;
  if (!empty && application != kApplicationId) {
    return absl::FailedPreconditionError(
        "this is an SQLite database of another program");
  }
  return static_cast<int>(version);
}

absl::Status Migrate(const std::vector<std::string>& migrations,
                     Connection* db) {
  const int newest = static_cast<int>(migrations.size());
  absl::StatusOr<int> found = SchemaVersion(db);
  if (!found.ok()) return found.status();
  if (*found == newest) return absl::OkStatus();
  return db->Transaction([&]() -> absl::Status {
    // Asked again under the lock: another process may have been faster.
    absl::StatusOr<int> version = SchemaVersion(db);
    if (!version.ok()) return version.status();
    if (*version == newest) return absl::OkStatus();
    if (*version > newest || *version < 0) {
      return absl::FailedPreconditionError(
          absl::StrCat("the database has schema version ", *version,
                       " and this build knows none past ", newest,
                       ": use a newer tiletune, or another database"));
    }
    std::string sql;
    for (const ViewSql& view : kViews) {
      absl::StrAppend(&sql, "DROP VIEW IF EXISTS ", view.name, ";");
    }
    for (int i = *version; i < newest; ++i)
      absl::StrAppend(&sql, migrations[i]);
    for (const ViewSql& view : kViews) {
      absl::StrAppend(&sql, "CREATE VIEW ", view.name, " AS ", view.select,
                      ";");
    }
    absl::StrAppend(&sql, "PRAGMA application_id = ", kApplicationId,
                    "; PRAGMA user_version = ", newest, ";");
    return db->Execute(sql);
  });
}

absl::Status CreateTemporaryViews(Connection* db) {
  std::string sql = "PRAGMA temp_store = MEMORY;";
  for (const ViewSql& view : kViews) {
    absl::StrAppend(&sql, "CREATE TEMP VIEW ", view.name, " AS ", view.select,
                    ";");
  }
  return db->Execute(sql);
}

}  // namespace tiletune
