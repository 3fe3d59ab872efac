// A shape: the sizes of a GEMM without its types, as people write them.
//
//   absl::StatusOr<Shape> s = ParseShape("4096x7168x2048x8");
//   s->m == 4096; s->n == 7168; s->k == 2048; s->batch == 8;
//   ToString(*s) == "4096x7168x2048x8";
#ifndef TILETUNE_AUTOTUNE_COMMAND_LINE_SHAPE_H_
#define TILETUNE_AUTOTUNE_COMMAND_LINE_SHAPE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace tiletune {

struct Shape {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  int64_t batch = 1;
};

// "MxNxK" or "MxNxKxB", decimal, M, N, B >= 1 and K >= 0. InvalidArgument with
// the text and the form expected otherwise.
absl::StatusOr<Shape> ParseShape(std::string_view text);

// The same form; the batch only where it is not 1.
std::string ToString(const Shape& shape);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_COMMAND_LINE_SHAPE_H_
