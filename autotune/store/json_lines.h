// A row as one line of JSON. For the files of this folder only.
//
//   std::string line = ToJsonLine("measurement", row);
//   // {"row":"measurement","uid":"9f...","device":"cc9.0 ...",...}
//   absl::StatusOr<std::pair<std::string, Row>> same = ParseJsonLine(line);
//   // same->first == "measurement"
#ifndef TILETUNE_AUTOTUNE_STORE_JSON_LINES_H_
#define TILETUNE_AUTOTUNE_STORE_JSON_LINES_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "autotune/store/row.h"

namespace tiletune {

// No line break inside; bytes that are no UTF-8 become U+FFFD.
std::string ToJsonLine(const std::string& kind, const Row& row);

// InvalidArgument when `line` is no object with a "row".
absl::StatusOr<std::pair<std::string, Row>> ParseJsonLine(
    const std::string& line);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STORE_JSON_LINES_H_
