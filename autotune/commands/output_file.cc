#include "autotune/commands/output_file.h"

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "autotune/store/database_file.h"

namespace tiletune {

absl::StatusOr<std::ofstream> OpenOutput(const std::string& path) {
  const absl::Status free = CheckNoDatabase(path);
  if (!free.ok()) return free;
  std::ofstream file(path);
  if (file) return file;
  return absl::PermissionDeniedError(
      absl::StrCat(path, ": cannot be written: ", strerror(errno)));
}

absl::Status CloseOutput(const std::string& path, std::ofstream* file) {
  file->close();
  if (*file) return absl::OkStatus();
  return absl::DataLossError(path + ": was not written whole");
}

}  // namespace tiletune
