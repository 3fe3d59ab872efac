#include "autotune/store/connection.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace tiletune {

// Who waits that long wonders what for.
constexpr std::chrono::milliseconds kLongWait(2000);

Connection::Connection(std::chrono::milliseconds patience,
                       std::function<void()> on_long_wait)
    : patience_(patience),
      on_long_wait_(std::move(on_long_wait)),
      jitter_(std::random_device{}()) {}

Connection::~Connection() {
  kept_.clear();
  sqlite3_close_v2(db_);
}

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(
    const std::string& name, int flags, std::chrono::milliseconds patience,
    std::function<void()> on_long_wait) {
  std::unique_ptr<Connection> connection(
      new Connection(patience, std::move(on_long_wait)));
  // No mutex of SQLite's own: one thread at a time uses a connection.
  const int code = sqlite3_open_v2(name.c_str(), &connection->db_,
                                   flags | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code != SQLITE_OK) {
    return SqliteError(connection->db_, code, "cannot open " + name);
  }
  // Before any statement: the first one may already meet another writer.
  sqlite3_busy_handler(connection->db_, &Connection::OnBusy, connection.get());
  sqlite3_extended_result_codes(connection->db_, 1);
  // No text or blob of ours is near this; a damaged length may be.
  sqlite3_limit(connection->db_, SQLITE_LIMIT_LENGTH, 64 << 20);
  return connection;
}

// SQLite's own timeout sleeps the same times in every process, so that writers
// collide again and again; random sleeps do not.
int Connection::OnBusy(void* self, int refusals) {
  Connection* connection = static_cast<Connection*>(self);
  const auto now = std::chrono::steady_clock::now();
  if (refusals == 0) {
    connection->waiting_since_ = now;
    connection->has_said_ = false;
  }
  const auto waited = now - connection->waiting_since_;
  if (waited >= connection->patience_) return 0;
  if (waited >= kLongWait && !connection->has_said_) {
    connection->has_said_ = true;
    if (connection->on_long_wait_ != nullptr) connection->on_long_wait_();
  }
  // On a slow disk a busy writer lets go of the lock for microseconds in every
  // ten milliseconds: who has missed that for long looks more often.
  const int most_us = waited > std::chrono::seconds(3)
                          ? 500
                          : std::min(1000 << std::min(refusals, 6), 40000);
  const int sleep_us = 200 + static_cast<int>(connection->jitter_() % most_us);
  std::this_thread::sleep_for(std::chrono::microseconds(sleep_us));
  return 1;
}

void Connection::LimitTime(std::chrono::milliseconds limit) {
  constexpr int kInstructions = 10000;  // of SQLite's virtual machine
  deadline_ = std::chrono::steady_clock::now() + limit;
  sqlite3_progress_handler(db_, kInstructions, &Connection::OnProgress, this);
}

int Connection::OnProgress(void* self) {
  return std::chrono::steady_clock::now() >
         static_cast<Connection*>(self)->deadline_;
}

absl::StatusOr<Statement> Connection::Prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(db_, sql, -1, &statement, nullptr);
  if (code != SQLITE_OK) return SqliteError(db_, code, "cannot prepare");
  return Statement(db_, statement);
}

absl::StatusOr<std::vector<Statement>*> Connection::PrepareAll(
    const char* sql) {
  auto [entry, is_new] = kept_.try_emplace(sql);
  if (!is_new) return &entry->second;
  std::vector<Statement> statements;
  for (const char* rest = sql; *rest != '\0';) {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v3(
        db_, rest, -1, SQLITE_PREPARE_PERSISTENT, &statement, &rest);
    if (code != SQLITE_OK) {
      kept_.erase(entry);
      return SqliteError(db_, code, "cannot prepare");
    }
    if (statement != nullptr) statements.emplace_back(db_, statement);
  }
  entry->second = std::move(statements);
  return &entry->second;
}

absl::Status Connection::Execute(const std::string& sql) {
  const int code = sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return SqliteError(db_, code, "cannot execute");
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Connection::QueryInteger(const char* sql) {
  absl::StatusOr<Statement> statement = Prepare(sql);
  if (!statement.ok()) return statement.status();
  absl::StatusOr<bool> row = statement->Step();
  if (!row.ok()) return row.status();
  if (!*row) return absl::InternalError("no row");
  return statement->Integer(0);
}

// IMMEDIATE takes the write lock now, where waiting for it is safe; a
// transaction that reads first and writes later may deadlock instead.
absl::Status Connection::Transaction(
    const std::function<absl::Status()>& body) {
  return Within("BEGIN IMMEDIATE", body);
}

absl::Status Connection::ReadTransaction(
    const std::function<absl::Status()>& body) {
  return Within("BEGIN", body);
}

absl::Status Connection::Within(const char* begin,
                                const std::function<absl::Status()>& body) {
  if (in_transaction_) return body();
  absl::Status status = Execute(begin);
  if (!status.ok()) return status;
  in_transaction_ = true;
  status = body();
  if (status.ok()) status = Execute("COMMIT");
  in_transaction_ = false;
  // Some errors (disk full, I/O) have rolled back already.
  if (!status.ok() && !sqlite3_get_autocommit(db_)) {
    Execute("ROLLBACK").IgnoreError();
  }
  return status;
}

}  // namespace tiletune
