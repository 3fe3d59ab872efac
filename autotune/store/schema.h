// The tables and views of the database, and how an older file becomes a newer
// one. For the files of this folder only.
//
//   absl::Status ready = Migrate(Migrations(), &connection);
//   absl::StatusOr<int> version = SchemaVersion(&connection);
//   if (*version > kSchemaVersion) Refuse();
#ifndef TILETUNE_AUTOTUNE_STORE_SCHEMA_H_
#define TILETUNE_AUTOTUNE_STORE_SCHEMA_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "autotune/store/connection.h"

namespace tiletune {

// PRAGMA user_version of the files that this build writes. Whoever changes a
// table adds a migration, raises this, and keeps a golden file in testdata/.
inline constexpr int kSchemaVersion = 3;

// PRAGMA application_id: "TLTN".
inline constexpr int64_t kApplicationId = 0x544c544e;

// Entry i is the SQL that takes a file from version i to i + 1.
const std::vector<std::string>& Migrations();

// The user_version of a tiletune database; 0 for an empty file.
// FailedPrecondition when the file is some other program's database.
absl::StatusOr<int> SchemaVersion(Connection* db);

// Brings the file to version migrations.size() in one transaction, and writes
// its views anew. Does nothing when it is there already; FailedPrecondition
// when it is newer.
absl::Status Migrate(const std::vector<std::string>& migrations,
                     Connection* db);

// Makes temporary copies of the views. This program asks these, never those
// in the file: they may be damaged, or of an older writer's rules.
absl::Status CreateTemporaryViews(Connection* db);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STORE_SCHEMA_H_
