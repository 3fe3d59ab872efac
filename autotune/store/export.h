// The store as text that people and other programs read and can diff.
//
//   std::ofstream out("tuned.jsonl");
//   absl::Status written = Export(*store, TextFormat::kJsonl, out);
//   std::ifstream in("tuned.jsonl");
//   absl::StatusOr<TakenRows> n = Import(in, TextFormat::kJsonl, &other);
#ifndef TILETUNE_AUTOTUNE_STORE_EXPORT_H_
#define TILETUNE_AUTOTUNE_STORE_EXPORT_H_

#include <istream>
#include <ostream>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "autotune/store/store.h"

namespace tiletune {

// kJsonl holds everything but attempts: one object a line, its "row" naming
// the table. kCsv holds the measurements, with a header line; samples in ns
// are joined by ';'.
enum class TextFormat { kCsv, kJsonl };

// Rows come in a fixed order, whatever order they were recorded in.
absl::Status Export(const Store& store, TextFormat format, std::ostream& out);

// Adds the rows that `store` has not; importing twice changes nothing. Rows
// that cannot be true are left out; the first of them is named with its line.
// Else all of the file or none of it: InvalidArgument with the line number when
// malformed.
absl::StatusOr<TakenRows> Import(std::istream& in, TextFormat format,
                                 Store* store);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STORE_EXPORT_H_
