// The problems that a command line asks for: shapes from flags, a file, a
// dispatch log or the built-in models, with the types and layout of the flags.
//
//   absl::StatusOr<Options> o = ParseOptions({"--shape=16x4096x4096"});
//   for (const GemmProblem& p : *ProblemsOf(*o)) Tune(p);
//   // one problem: 16x4096x4096, bf16, TN, packed
#ifndef TILETUNE_AUTOTUNE_COMMAND_LINE_PROBLEMS_H_
#define TILETUNE_AUTOTUNE_COMMAND_LINE_PROBLEMS_H_

#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <vector>

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

// Problems from comma-separated lines. The first line names the columns, in
// any order: m, n, k are required; batch, dtype, out_dtype, layout, epilogue,
// ld and batch_stride may follow, else (or where empty) the flags hold. The
// epilogue's and the strides' own separators are then ';'. Empty lines and
// lines that start with '#' are skipped, as are columns called "name" or whose
// name starts with '#'; other columns are an error. Errors carry the line
// number.
absl::StatusOr<std::vector<GemmProblem>> ReadProblems(std::istream& csv,
                                                      const Options& options);

// InvalidArgument where a flag says of which type or strides a problem is, as
// those of `whose` say that themselves.
absl::Status CheckNoTypeFlag(const Options& options, const std::string& whose);

// How often each problem of a log was launched, by ProblemKey.
using LaunchCounts = std::map<std::string, int64_t>;

// All problems of the command line in order, without duplicates; the shard of
// `options` alone (shard.h), which may be empty. Where no flag names any, the
// default of --models. `launches`, if given: what --from-log counted.
// InvalidArgument for a file that names no problem, and for flags that would
// change none.
absl::StatusOr<std::vector<GemmProblem>> ProblemsOf(
    const Options& options, LaunchCounts* launches = nullptr);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_COMMAND_LINE_PROBLEMS_H_
