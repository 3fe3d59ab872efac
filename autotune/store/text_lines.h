// The lines of a text that a user names, which may be no text at all.
//
//   std::string line;
//   while (true) {
//     const absl::StatusOr<bool> more = ReadLine(in, kLongestShape, &line);
//     if (!more.ok() || !*more) return more.status();
//     Use(line); }
#ifndef TILETUNE_AUTOTUNE_STORE_TEXT_LINES_H_
#define TILETUNE_AUTOTUNE_STORE_TEXT_LINES_H_

#include <cstddef>
#include <istream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tiletune {

// Bytes of a line, more than which none of ours has.
inline constexpr size_t kLongestShape = size_t{1} << 20;
inline constexpr size_t kLongestRow = size_t{64} << 20;

// The next line without its end; false after the last. InvalidArgument where it
// is longer than `longest` (a device without lines has no end), DataLoss where
// it cannot be read.
absl::StatusOr<bool> ReadLine(std::istream& in, size_t longest,
                              std::string* line);

// The same error, with where it is in front: "shapes.csv: line 3: ...". What it
// quotes of a file may be anything: bytes that a terminal would obey are
// written \x1b, and what is longer than any sentence is cut off.
absl::Status Within(const absl::Status& status, const std::string& where);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STORE_TEXT_LINES_H_
