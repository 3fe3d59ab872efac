#include "autotune/command_line/shape.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tiletune {

absl::StatusOr<Shape> ParseShape(std::string_view text) {
  const std::string copy(text);
  const std::vector<std::string> parts = absl::StrSplit(copy, 'x');
  const absl::Status malformed = absl::InvalidArgumentError(absl::StrCat(
      "'", copy,
      "' is not a shape: write MxNxK or MxNxKxB with M, N, B from 1 and K ",
      "from 0 to 2^63 - 1, for example 4096x7168x2048"));
  if (parts.size() != 3 && parts.size() != 4) return malformed;
  int64_t sizes[4] = {0, 0, 0, 1};
  for (size_t i = 0; i < parts.size(); ++i) {
    const int64_t least = i == 2 ? 0 : 1;
    if (!absl::SimpleAtoi(parts[i], &sizes[i]) || sizes[i] < least) {
      return malformed;
    }
  }
  return Shape{sizes[0], sizes[1], sizes[2], sizes[3]};
}

std::string ToString(const Shape& shape) {
  std::string text = absl::StrCat(shape.m, "x", shape.n, "x", shape.k);
  if (shape.batch != 1) absl::StrAppend(&text, "x", shape.batch);
  return text;
}

}  // namespace tiletune
