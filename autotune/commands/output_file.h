// The file of --output.
//
//   absl::StatusOr<std::ofstream> file = OpenOutput(path);
//   if (!file.ok()) return Fail(file.status());
//   *file << text;
//   const absl::Status written = CloseOutput(path, &*file);
#ifndef TILETUNE_AUTOTUNE_COMMANDS_OUTPUT_FILE_H_
#define TILETUNE_AUTOTUNE_COMMANDS_OUTPUT_FILE_H_

#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tiletune {

// Empties it. PermissionDenied where it cannot be written, FailedPrecondition
// where it is a database: the one that is read may be meant by mistake.
absl::StatusOr<std::ofstream> OpenOutput(const std::string& path);

// DataLoss where not all of it was written, as on a full disk.
absl::Status CloseOutput(const std::string& path, std::ofstream* file);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_COMMANDS_OUTPUT_FILE_H_
