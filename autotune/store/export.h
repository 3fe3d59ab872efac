// The store as text that people and other programs read and can diff.
//
//   std::ofstream out("tuned.jsonl");
//   absl::Status written = Export(*store, TextFormat::kJsonl, out);
//   std::ifstream in("tuned.jsonl");
//   absl::StatusOr<ImportCounts> n = Import(in, TextFormat::kJsonl, &other);
#ifndef TILETUNE_AUTOTUNE_STORE_EXPORT_H_
#define TILETUNE_AUTOTUNE_STORE_EXPORT_H_

#include <cstdint>
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

struct ImportCounts {
  int64_t read = 0;     // rows understood
  int64_t skipped = 0;  // rows of a kind or a problem this build does not know
};

// Adds the rows that `store` has not; importing twice changes nothing. All of
// the file or none of it: InvalidArgument with the line number when malformed.
absl::StatusOr<ImportCounts> Import(std::istream& in, TextFormat format,
                                    Store* store);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STORE_EXPORT_H_
