// One problem: its sizes, with the types, layout, epilogue and strides of
// flags.
//
//   Options o = *ParseOptions({"tune", "--dtype=fp16", "--epilogue=relu"});
//   const absl::StatusOr<GemmProblem> p = ProblemOf({16, 4096, 4096}, o);
//   if (!p.ok()) Say(p.status().message());  // names the flag
#ifndef TILETUNE_AUTOTUNE_COMMAND_LINE_PROBLEM_FLAGS_H_
#define TILETUNE_AUTOTUNE_COMMAND_LINE_PROBLEM_FLAGS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "autotune/command_line/options.h"
#include "autotune/command_line/shape.h"
#include "kernels/problem.h"

namespace tiletune {

// `shape` with the types, layout, epilogue and strides of `options`, valid and
// normalized. InvalidArgument naming the flag that is wrong.
absl::StatusOr<GemmProblem> ProblemOf(const Shape& shape,
                                      const Options& options);

// InvalidArgument where a flag says of which type or strides a problem is, as
// those of `whose` say that themselves.
absl::Status CheckNoTypeFlag(const Options& options, const std::string& whose);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_COMMAND_LINE_PROBLEM_FLAGS_H_
