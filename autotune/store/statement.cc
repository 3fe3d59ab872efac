#include "autotune/store/statement.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tiletune {
namespace {

// Samples are little-endian float32 in the file, whatever the host is.
std::string BytesOf(const std::vector<float>& values) {
  std::string bytes;
  bytes.reserve(4 * values.size());
  for (float value : values) {
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    for (int shift = 0; shift < 32; shift += 8) {
      bytes.push_back(static_cast<char>(bits >> shift));
    }
  }
  return bytes;
}

std::vector<float> FloatsOf(const unsigned char* bytes, size_t size) {
  std::vector<float> values(size / 4);
  for (size_t i = 0; i < values.size(); ++i, bytes += 4) {
    const uint32_t bits = uint32_t{bytes[0]} | uint32_t{bytes[1]} << 8 |
                          uint32_t{bytes[2]} << 16 | uint32_t{bytes[3]} << 24;
    std::memcpy(&values[i], &bits, 4);
  }
  return values;
}

// What to do about it, for people: " (...)" or nothing.
std::string AdviceOn(sqlite3* db, int code) {
  if (code == SQLITE_READONLY_DBMOVED) {
    return " (the file was moved or deleted meanwhile: start again)";
  }
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return " (another process keeps it: try again when that has ended)";
    case SQLITE_CORRUPT:
      return " (restore a copy, or save what is left with .recover of the "
             "sqlite3 program)";
    case SQLITE_NOTADB:
      return " (name another file, or move this one away)";
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return " (make the file and its folder writable, or name another file)";
    case SQLITE_FULL:
      return " (make room on the disk)";
    case SQLITE_CANTOPEN: {
      const int error = db == nullptr ? 0 : sqlite3_system_errno(db);
      return error == 0 ? "" : absl::StrCat(" (", strerror(error), ")");
    }
    case SQLITE_ERROR: {  // of a table or column
      const std::string_view error = db == nullptr ? "" : sqlite3_errmsg(db);
      return error.rfind("no such", 0) == 0
                 ? " (the file is not whole: restore a copy, or tune into a "
                   "new one)"
                 : "";
    }
    default:
      return "";
  }
}

std::string_view View(const void* data, int size) {
  if (data == nullptr) return {};
  return {static_cast<const char*>(data), static_cast<size_t>(size)};
}

}  // namespace

Statement::Statement(sqlite3* db, sqlite3_stmt* statement)
    : db_(db), statement_(statement) {}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement::Statement(Statement&& other) noexcept
    : db_(other.db_), statement_(std::exchange(other.statement_, nullptr)) {}

absl::Status Statement::BindNamed(const Row& row) {
  Rewind();
  const int count = sqlite3_bind_parameter_count(statement_);
  for (int i = 1; i <= count; ++i) {
    const char* name = sqlite3_bind_parameter_name(statement_, i);
    const Value* value = name == nullptr ? nullptr : row.Find(name + 1);
    if (value == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("no value for ", name == nullptr ? "?" : name));
    }
    BindOne(i, *value);
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> Statement::Step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return SqliteError(db_, code, "cannot run a statement");
}

absl::Status Statement::Run() {
  absl::StatusOr<bool> row = Step();
  Finish();
  return row.status();
}

void Statement::Finish() { sqlite3_reset(statement_); }

int64_t Statement::Integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

double Statement::Real(int column) const {
  return sqlite3_column_double(statement_, column);
}

std::string Statement::Text(int column) const {
  return std::string(TextView(column));
}

std::string_view Statement::TextView(int column) const {
  const void* text = sqlite3_column_text(statement_, column);
  return View(text, sqlite3_column_bytes(statement_, column));
}

Row Statement::CurrentRow() const {
  Row row;
  for (int i = 0; i < sqlite3_column_count(statement_); ++i) {
    Value value;
    switch (sqlite3_column_type(statement_, i)) {
      case SQLITE_INTEGER:
        value = Integer(i);
        break;
      case SQLITE_FLOAT:
        value = sqlite3_column_double(statement_, i);
        break;
      case SQLITE_TEXT:
        value = Text(i);
        break;
      case SQLITE_BLOB: {
        const void* blob = sqlite3_column_blob(statement_, i);
        value =
            FloatsOf(static_cast<const unsigned char*>(blob),
                     blob == nullptr ? 0 : sqlite3_column_bytes(statement_, i));
        break;
      }
      default:
        break;
    }
    row.Set(sqlite3_column_name(statement_, i), std::move(value));
  }
  return row;
}

void Statement::Rewind() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

void Statement::BindOne(int index, const Value& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) {
    sqlite3_bind_int64(statement_, index, *integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    sqlite3_bind_double(statement_, index, *real);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    sqlite3_bind_text(statement_, index, text->data(),
                      static_cast<int>(text->size()), SQLITE_TRANSIENT);
  } else if (const auto* floats = std::get_if<std::vector<float>>(&value)) {
    const std::string bytes = BytesOf(*floats);
    sqlite3_bind_blob(statement_, index, bytes.data(),
                      static_cast<int>(bytes.size()), SQLITE_TRANSIENT);
  }
}

absl::Status SqliteError(sqlite3* db, int code, std::string_view what) {
  const char* file = db == nullptr ? "" : sqlite3_db_filename(db, "main");
  const std::string where =
      file == nullptr || *file == '\0' ? "" : absl::StrCat(file, ": ");
  const std::string message =
      absl::StrCat(where, std::string(what), ": ",
                   db != nullptr ? sqlite3_errmsg(db) : sqlite3_errstr(code),
                   AdviceOn(db, code));
  if (code == SQLITE_READONLY_DBMOVED) return absl::DataLossError(message);
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      return absl::UnavailableError(message);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
      return absl::DataLossError(message);
    case SQLITE_CANTOPEN:
      return absl::NotFoundError(message);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return absl::PermissionDeniedError(message);
    case SQLITE_INTERRUPT:
      return absl::DeadlineExceededError(message);
    case SQLITE_FULL:
      return absl::ResourceExhaustedError(message);
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
      return absl::InvalidArgumentError(message);
    default:
      return absl::InternalError(message);
  }
}

}  // namespace tiletune
