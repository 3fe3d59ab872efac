// A row as one line of comma-separated values (RFC 4180, without line breaks
// inside fields). For the files of this folder only.
//
//   out << CsvHeader(row) << '\n' << ToCsvLine(row) << '\n';
//   absl::StatusOr<std::vector<std::string>> header = SplitCsvLine(first_line);
//   absl::StatusOr<Row> same = ParseCsvLine(*header, second_line);
//   // A vector of floats is one field: "1.5;2.25"
#ifndef TILETUNE_AUTOTUNE_STORE_CSV_H_
#define TILETUNE_AUTOTUNE_STORE_CSV_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "autotune/store/row.h"

namespace tiletune {

std::string CsvHeader(const Row& row);
// Numbers are written so that they read back to the same bits.
std::string ToCsvLine(const Row& row);

// InvalidArgument where a quote does not end.
absl::StatusOr<std::vector<std::string>> SplitCsvLine(std::string_view line);
// A value in quotes is a text, another one what it looks like; "samples_ns"
// becomes floats. InvalidArgument when the number of
// fields is not the header's, or a quote does not end.
absl::StatusOr<Row> ParseCsvLine(const std::vector<std::string>& header,
                                 std::string_view line);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STORE_CSV_H_
