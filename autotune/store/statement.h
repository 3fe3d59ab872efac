// A prepared SQL statement. Made by Connection::Prepare; see connection.h.
//
//   absl::StatusOr<Statement> s = db.Prepare("SELECT m, n FROM problems WHERE "
//                                            "key = ?1 AND k > ?2");
//   s->Bind(key, 0);
//   while (*s->Step()) Use(s->CurrentRow().Integer("m"));
#ifndef TILETUNE_AUTOTUNE_STORE_STATEMENT_H_
#define TILETUNE_AUTOTUNE_STORE_STATEMENT_H_

#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "autotune/store/row.h"

namespace tiletune {

class Statement {
 public:
  // Takes `statement`; `db` must outlive it.
  Statement(sqlite3* db, sqlite3_stmt* statement);
  ~Statement();
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;

  // Binds ?1, ?2, ... and rewinds. Values past the last parameter are ignored.
  template <typename... Values>
  void Bind(const Values&... values) {
    Rewind();
    int index = 0;
    (BindOne(++index, Value(values)), ...);
  }
  // Binds each :name to the row's value of that name, and rewinds.
  // InvalidArgument when the row lacks one.
  absl::Status BindNamed(const Row& row);

  // True: there is a row to read. False: done.
  absl::StatusOr<bool> Step();
  // For statements without rows.
  absl::Status Run();
  // Ends a statement that may have more rows: until then it keeps its lock.
  void Finish();

  int64_t Integer(int column) const;
  double Real(int column) const;
  std::string Text(int column) const;
  // Until the next Step().
  std::string_view TextView(int column) const;
  Row CurrentRow() const;

 private:
  void Rewind();
  void BindOne(int index, const Value& value);

  sqlite3* db_;
  sqlite3_stmt* statement_;
};

// The error of an SQLite call as a status that names the file; the codes are
// those of store.h.
absl::Status SqliteError(sqlite3* db, int code, std::string_view what);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STORE_STATEMENT_H_
