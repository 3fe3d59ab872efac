#include "kernels/csv_fields.h"

#include <cstddef>

#include "absl/status/status.h"

namespace tiletune {

absl::StatusOr<std::vector<CsvField>> SplitCsvFields(std::string_view line) {
  std::vector<CsvField> fields(1);
  bool inside = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && inside && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back().text += line[++i];
    } else if (c == '"') {
      inside = !inside;
      fields.back().quoted = true;
    } else if (c == ',' && !inside) {
      fields.emplace_back();
    } else {
      fields.back().text += c;
    }
  }
  if (!inside) return fields;
  return absl::InvalidArgumentError("a quote that does not end");
}

}  // namespace tiletune
