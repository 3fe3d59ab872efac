#include "autotune/store/store.h"

#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autotune/store/connection.h"
#include "autotune/store/convert.h"
#include "autotune/store/row_check.h"
#include "autotune/store/row_clock.h"
#include "autotune/store/schema.h"
#include "autotune/store/transfer.h"

namespace tiletune {
namespace {

using std::chrono::milliseconds;

// "file:" URI of a path (RFC 3986): everything but the safest characters is
// percent-encoded.
std::string ImmutableUri(const std::string& path) {
  std::string uri = "file:";
  for (unsigned char c : path) {
    if (std::isalnum(c) || c == '/' || c == '.' || c == '-' || c == '_') {
      uri.push_back(static_cast<char>(c));
    } else {
      absl::StrAppend(&uri, "%", absl::Hex(c, absl::kZeroPad2));
    }
  }
  return uri + "?immutable=1";
}

absl::StatusOr<std::unique_ptr<Connection>> OpenForWriting(
    const std::string& path, const Store::Options& options) {
  const std::filesystem::path folder =
      std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) {
    return absl::PermissionDeniedError(absl::StrCat(
        "cannot make the folder ", folder.string(), ": ", error.message()));
  }
  auto db = Connection::Open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                             options.patience, options.on_long_wait);
  if (!db.ok()) return db;
  if (sqlite3_db_readonly((*db)->get(), "main") == 1) {
    return absl::PermissionDeniedError(
        path +
        " is not writable (make the file and its folder writable, or name "
        "another file)");
  }
  // Not WAL: its shared memory does not work on network filesystems, and
  // before SQLite 3.51.3 two connections could corrupt the file
  // (sqlite.org/wal.html#walresetbug).
  absl::Status ready = (*db)->Execute("PRAGMA journal_mode = DELETE");
  if (ready.ok()) ready = Migrate(Migrations(), db->get());
  if (!ready.ok()) return ready;
  return db;
}

// An older file that may not be changed is read into memory and migrated
// there.
absl::StatusOr<std::unique_ptr<Connection>> MigratedCopy(
    Connection* file, milliseconds patience) {
  auto copy = Connection::Open(
      ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, patience);
  if (!copy.ok()) return copy;
  sqlite3_backup* backup =
      sqlite3_backup_init((*copy)->get(), "main", file->get(), "main");
  if (backup == nullptr) {
    return SqliteError((*copy)->get(), SQLITE_ERROR, "cannot copy");
  }
  sqlite3_backup_step(backup, -1);
  const int code = sqlite3_backup_finish(backup);
  if (code != SQLITE_OK) {
    return SqliteError((*copy)->get(), code, "cannot copy");
  }
  absl::Status migrated = Migrate(Migrations(), copy->get());
  if (!migrated.ok()) return migrated;
  return copy;
}

absl::StatusOr<std::unique_ptr<Connection>> OpenForReading(
    const std::string& path, bool immutable, const Store::Options& options) {
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !error) {
    return absl::NotFoundError(path + " does not exist");
  }
  // READWRITE first: a killed writer leaves a journal that only a connection
  // that may write rolls back. SQLite itself then settles for less when the
  // file is write-protected.
  auto db = immutable
                ? Connection::Open(ImmutableUri(path),
                                   SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
                                   options.patience)
                : Connection::Open(path, SQLITE_OPEN_READWRITE,
                                   options.patience, options.on_long_wait);
  if (!immutable && !db.ok()) {
    db = Connection::Open(path, SQLITE_OPEN_READONLY, options.patience,
                          options.on_long_wait);
  }
  if (!db.ok()) return db;
  absl::StatusOr<int> version = SchemaVersion(db->get());
  if (!version.ok()) return version.status();
  if (*version == kSchemaVersion) return db;
  return MigratedCopy(db->get(), options.patience);
}

// SQLite would wait for the other end of a pipe, or read a device.
absl::Status CheckRegular(const std::string& path) {
  if (path.empty()) {
    return absl::InvalidArgumentError("the path of the database is empty");
  }
  std::error_code ignored;
  const auto file = std::filesystem::status(path, ignored);
  if (!std::filesystem::exists(file) ||
      std::filesystem::is_regular_file(file)) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(path + ": not a regular file");
}

// A newer build's problems, and measurements of what cannot be measured, are
// not known here.
bool IsKnown(const Transfer& transfer, const Row& row) {
  if (!transfer.has_device_problem_config) return true;
  if (&transfer == &kMeasurements && row.Integer("modelled") != 0) return false;
  // A row without a problem is no row: writing it says so.
  if (row.Find("problem") == nullptr) return true;
  return ParseProblemKey(row.Text("problem")).ok();
}

void LeaveOut(const absl::Status& reason, TakenRows* taken) {
  if (taken->impossible++ != 0) return;
  taken->first_impossible = std::string(reason.message());
}

absl::Status Located(const std::string& path, const absl::Status& status) {
  const std::string message(status.message().data(), status.message().size());
  if (message.find(path) != std::string::npos) return status;
  return absl::Status(status.code(), absl::StrCat(path, ": ", message));
}

}  // namespace

int StoreSchemaVersion() { return kSchemaVersion; }

Store::Store(std::string path, Mode mode,
             std::unique_ptr<Connection> connection)
    : path_(std::move(path)),
      mode_(mode),
      connection_(std::move(connection)),
      clock_(std::make_unique<RowClock>(connection_.get())) {}

Store::~Store() = default;

absl::StatusOr<std::unique_ptr<Store>> Store::Open(const std::string& path,
                                                   Mode mode) {
  return Open(path, mode, Options());
}

absl::StatusOr<std::unique_ptr<Store>> Store::Open(const std::string& path,
                                                   Mode mode,
                                                   const Options& options) {
  const absl::Status regular = CheckRegular(path);
  if (!regular.ok()) return regular;
  auto db = mode == Mode::kReadWrite
                ? OpenForWriting(path, options)
                : OpenForReading(path, mode == Mode::kImmutable, options);
  if (!db.ok()) return Located(path, db.status());
  if (options.time_limit.count() > 0) (*db)->LimitTime(options.time_limit);
  // A damaged or hostile file must not run anything, and damaged pages are to
  // be noticed where they are read.
  absl::Status ready = (*db)->Execute(
      "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;");
  if (ready.ok()) ready = CreateTemporaryViews(db->get());
  if (!ready.ok()) return Located(path, ready);
  return std::unique_ptr<Store>(new Store(path, mode, *std::move(db)));
}

absl::Status Store::Transaction(const std::function<absl::Status()>& body) {
  if (mode_ != Mode::kReadWrite) {
    return absl::PermissionDeniedError(path_ + " was opened for reading");
  }
  absl::Status status = connection_->Transaction(body);
  return status.ok() ? status : Located(path_, status);
}

absl::Status Store::Write(const Transfer& transfer, const Row& row) {
  return Transaction(
      [&] { return WriteRow(connection_.get(), transfer, row); });
}

absl::Status Store::WriteNew(const Transfer& transfer, bool is_now, Row row) {
  if (is_now) {
    const absl::StatusOr<int64_t> at = clock_->TimeOfNew(transfer, row);
    if (!at.ok()) return at.status();
    row.Replace("recorded_at_us", *at);
  }
  return WriteRow(connection_.get(), transfer, row);
}

absl::StatusOr<std::string> Store::StartRun(const Run& run) {
  const Row row = ToRow(run);
  absl::Status status = Write(kRuns, row);
  if (!status.ok()) return status;
  return row.Text("uid");
}

absl::StatusOr<std::string> Store::RecordStarted(const Attempt& attempt) {
  const Row row = ToRow(attempt);
  absl::Status status = Write(kAttempts, row);
  if (!status.ok()) return status;
  return row.Text("uid");
}

absl::Status Store::RecordMeasurement(const Measurement& measurement) {
  if (measurement.device.modelled) {
    return absl::InvalidArgumentError(
        absl::StrCat("nothing can be measured on ", measurement.device.name,
                     ", which is modelled: record a prediction"));
  }
  if (measurement.outcome == Outcome::kOk &&
      !(std::isfinite(measurement.median_ns) && measurement.median_ns > 0)) {
    return absl::InvalidArgumentError(
        "a measurement that is ok needs a positive median");
  }
  return Transaction([&] {
    return WriteNew(kMeasurements, measurement.recorded_at_us == 0,
                    ToRow(measurement));
  });
}

absl::Status Store::RecordPrediction(const Prediction& prediction) {
  return RecordPredictions({prediction});
}

absl::Status Store::RecordPredictions(
    const std::vector<Prediction>& predictions) {
  return Transaction([&] {
    for (const Prediction& prediction : predictions) {
      absl::Status status = WriteNew(
          kPredictions, prediction.recorded_at_us == 0, ToRow(prediction));
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  });
}

absl::Status Store::Quarantine(const GemmProblem& problem,
                               const ConfigRecord& config,
                               const DeviceFacts& device,
                               const std::string& reason,
                               const std::optional<MeasurementPolicy>& policy) {
  return Write(kQuarantine,
               QuarantineToRow(problem, config, device, reason, policy));
}

absl::Status Store::EndAttempt(const std::string& uid) {
  return Transaction([&]() -> absl::Status {
    absl::StatusOr<Statement> end =
        connection_->Prepare("DELETE FROM attempts WHERE uid = ?1");
    if (!end.ok()) return end.status();
    end->Bind(uid);
    return end->Run();
  });
}

absl::Status Store::MarkMeasurement(const std::string& uid, Mark mark,
                                    const std::string& reason) {
  Row row;
  row.Set("measurement_uid", uid);
  row.Set("mark", std::string(Name(mark)));
  row.Set("reason", reason);
  return Write(kMarks, row);
}

absl::StatusOr<TakenRows> Store::Merge(const Store& other) {
  TakenRows taken;
  const absl::Status merged = Transaction([&] {
    for (const Transfer* transfer : kShared) {
      absl::Status status = ReadRows(
          other.connection_.get(), *transfer, Filter(), [&](const Row& row) {
            absl::Status took = TakeOver(*transfer, row, &taken);
            if (!absl::IsInvalidArgument(took)) return took;
            // Damage must not keep back the other rows of a file.
            LeaveOut(took, &taken);
            return absl::OkStatus();
          });
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  });
  if (!merged.ok()) return merged;
  return taken;
}

absl::Status Store::TakeOver(const Transfer& transfer, const Row& row,
                             TakenRows* taken) {
  if (!IsKnown(transfer, row)) {
    ++taken->skipped;
    return absl::OkStatus();
  }
  const absl::Status possible = CheckRow(transfer, row);
  if (absl::IsFailedPrecondition(possible)) {
    LeaveOut(possible, taken);
    return absl::OkStatus();
  }
  if (!possible.ok()) return possible;
  clock_->Forget();
  Row whole = row;
  // Written before there were policies: it bars under every one.
  if (&transfer == &kQuarantine && row.Find("policy") == nullptr) {
    whole.Set("policy", std::string());
  }
  const absl::Status written = WriteRow(connection_.get(), transfer, whole);
  if (written.ok()) ++taken->read;
  return written;
}

absl::Status Store::UseBuilds(const std::vector<VariantBuild>& builds) {
  // A table takes the place of the temporary view of that name.
  absl::StatusOr<int64_t> views = connection_->QueryInteger(
      "SELECT count(*) FROM sqlite_temp_master"
      " WHERE name = 'current_builds' AND type = 'view'");
  if (!views.ok()) return views.status();
  absl::Status status = connection_->Execute(
      absl::StrCat("DROP ", *views != 0 ? "VIEW" : "TABLE",
                   " temp.current_builds;"
                   "CREATE TEMP TABLE current_builds("
                   "  variant TEXT PRIMARY KEY, build TEXT NOT NULL)"
                   "  WITHOUT ROWID"));
  if (!status.ok()) return status;
  absl::StatusOr<Statement> insert = connection_->Prepare(
      "INSERT OR REPLACE INTO temp.current_builds VALUES (?1, ?2)");
  if (!insert.ok()) return insert.status();
  for (const VariantBuild& build : builds) {
    insert->Bind(build.variant, build.build);
    status = insert->Run();
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Store::CheckTables() const {
  for (const Transfer* transfer : kShared) {
    const absl::Status there = connection_->Prepare(transfer->select).status();
    if (!there.ok()) {
      return absl::DataLossError(absl::StrCat(
          path_, " is not whole: ",
          std::string(there.message().data(), there.message().size())));
    }
  }
  return absl::OkStatus();
}

absl::Status Store::CheckIntegrity() const {
  absl::StatusOr<Statement> check =
      connection_->Prepare("PRAGMA integrity_check(10)");
  if (!check.ok()) return check.status();
  std::string found;
  while (true) {
    absl::StatusOr<bool> row = check->Step();
    if (!row.ok()) return row.status();
    if (!*row) break;
    absl::StrAppend(&found, found.empty() ? "" : "; ", check->Text(0));
  }
  if (found == "ok") return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(path_, ": ", found));
}

}  // namespace tiletune
