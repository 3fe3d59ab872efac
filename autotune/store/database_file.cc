#include "autotune/store/database_file.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace tiletune {

absl::Status CheckNoDatabase(const std::string& path) {
  constexpr char kMagic[] = "SQLite format 3";  // with its zero: 16 bytes
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return absl::OkStatus();
  std::ifstream file(path);
  char start[sizeof(kMagic)] = {};
  file.read(start, sizeof(start));
  if (!file || std::memcmp(start, kMagic, sizeof(kMagic)) != 0) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat(path, " is a database, and is not written over"));
}

}  // namespace tiletune
