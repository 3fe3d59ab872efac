// Keeps a database from being written over by a program that was given its path
// where another file was meant.
//
//   const absl::Status status = CheckNoDatabase("--output of a user");
//   if (!status.ok()) return status;
//   std::ofstream file(path);
//   // FailedPrecondition: what is there is an SQLite database
#ifndef TILETUNE_AUTOTUNE_STORE_DATABASE_FILE_H_
#define TILETUNE_AUTOTUNE_STORE_DATABASE_FILE_H_

#include <string>

#include "absl/status/status.h"

namespace tiletune {

// FailedPrecondition if the file, or what a link of that name leads to, begins
// as every SQLite database does (sqlite.org/fileformat2.html#magic). OK where
// nothing is there, and of what is no regular file.
absl::Status CheckNoDatabase(const std::string& path);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STORE_DATABASE_FILE_H_
