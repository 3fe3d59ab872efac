// The problems that a command line asks for: shapes from flags, a file, a
// dispatch log or the built-in models, with the types and layout of the flags.
//
//   absl::StatusOr<Options> o = ParseOptions({"--shape=16x4096x4096"});
//   for (const GemmProblem& p : *ProblemsOf(*o)) Tune(p);
//   // one problem: 16x4096x4096, bf16, TN, packed
#ifndef TILETUNE_AUTOTUNE_COMMAND_LINE_PROBLEMS_H_
#define TILETUNE_AUTOTUNE_COMMAND_LINE_PROBLEMS_H_

#include <istream>
#include <vector>

#include "absl/status/statusor.h"
#include "autotune/command_line/options.h"
#include "autotune/command_line/shape.h"
#include "kernels/problem.h"

namespace tiletune {

// `shape` with the types, layout, epilogue and strides of `options`, valid and
// normalized. InvalidArgument naming the flag that is wrong.
absl::StatusOr<GemmProblem> ProblemOf(const Shape& shape,
                                      const Options& options);

// Problems from comma-separated lines. The first line names the columns, in
// any order: m, n, k are required; batch, dtype, out_dtype, layout, epilogue,
// ld and batch_stride may follow, else (or where empty) the flags hold. The
// epilogue's and the strides' own separators are then ';'. Other columns, empty
// lines and lines that start with '#' are skipped. Errors carry the line
// number.
absl::StatusOr<std::vector<GemmProblem>> ReadProblems(std::istream& csv,
                                                      const Options& options);

// All problems of the command line in order, without duplicates; the shard of
// `options` alone (shard.h), which may be empty. Without --shape, --problem,
// --shapes and --from-log: --models. InvalidArgument for a file that names no
// problem.
absl::StatusOr<std::vector<GemmProblem>> ProblemsOf(const Options& options);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_COMMAND_LINE_PROBLEMS_H_
