// An SQLite connection that waits its turn. For the files of this folder only.
//
//   auto db = Connection::Open(path, SQLITE_OPEN_READWRITE, patience);
//   absl::Status done = (*db)->Execute("PRAGMA user_version = 1");
//   absl::StatusOr<Statement> s = (*db)->Prepare("SELECT ?1 + 1");
//   s->Bind(41);
//   while (*s->Step()) printf("%d\n", (int)s->Integer(0));
#ifndef TILETUNE_AUTOTUNE_STORE_CONNECTION_H_
#define TILETUNE_AUTOTUNE_STORE_CONNECTION_H_

#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "autotune/store/statement.h"

namespace tiletune {

class Connection {
 public:
  // `name` is a path, or a file: URI when `flags` has SQLITE_OPEN_URI.
  // `on_long_wait`, if any, is called once for each wait of some seconds.
  static absl::StatusOr<std::unique_ptr<Connection>> Open(
      const std::string& name, int flags, std::chrono::milliseconds patience,
      std::function<void()> on_long_wait = nullptr);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  absl::StatusOr<Statement> Prepare(const char* sql);
  // Every statement of `sql`, prepared on the first call and kept.
  absl::StatusOr<std::vector<Statement>*> PrepareAll(const char* sql);
  // One or more statements whose rows, if any, do not matter.
  absl::Status Execute(const std::string& sql);
  // The first column of the first row of `sql`, which must have one.
  absl::StatusOr<int64_t> QueryInteger(const char* sql);

  // BEGIN IMMEDIATE, `body`, COMMIT; or ROLLBACK and body's error. Inside
  // another transaction it is a part of that one.
  absl::Status Transaction(const std::function<absl::Status()>& body);

  // BEGIN, `body`, COMMIT: all that body reads is of one moment, however many
  // statements it takes. Inside another transaction it is a part of that one.
  absl::Status ReadTransaction(const std::function<absl::Status()>& body);

  // Statements fail with DeadlineExceeded once `limit` has passed from now.
  void LimitTime(std::chrono::milliseconds limit);

  sqlite3* get() const { return db_; }

 private:
  Connection(std::chrono::milliseconds patience,
             std::function<void()> on_long_wait);
  // SQLite asks this after each refusal, `refusals` counted per wait.
  static int OnBusy(void* self, int refusals);
  static int OnProgress(void* self);
  absl::Status Within(const char* begin,
                      const std::function<absl::Status()>& body);

  sqlite3* db_ = nullptr;
  std::chrono::milliseconds patience_;
  std::function<void()> on_long_wait_;
  bool has_said_ = false;  // in this wait
  std::chrono::steady_clock::time_point waiting_since_;
  std::chrono::steady_clock::time_point deadline_;
  std::minstd_rand jitter_;
  bool in_transaction_ = false;
  std::map<std::string, std::vector<Statement>> kept_;
};

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STORE_CONNECTION_H_
