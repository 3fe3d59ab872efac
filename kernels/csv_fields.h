// The fields of one line of comma-separated values (RFC 4180, without line
// breaks inside fields), of whatever table.
//
//   absl::StatusOr<std::vector<CsvField>> fields =
//       SplitCsvFields("16,\"a, \"\"b\"\"\",");
//   // 16; a, "b" (quoted); an empty one
//   if (!fields.ok()) return Within(fields.status(), "line 7");
#ifndef TILETUNE_KERNELS_CSV_FIELDS_H_
#define TILETUNE_KERNELS_CSV_FIELDS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace tiletune {

struct CsvField {
  std::string text;  // without the quotes around it
  bool quoted = false;
};

// At least one. InvalidArgument where a quote does not end.
absl::StatusOr<std::vector<CsvField>> SplitCsvFields(std::string_view line);

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_CSV_FIELDS_H_
