// The file of --shapes: problems in comma-separated lines.
//
//   // m,n,k,dtype,name
//   // 16,4096,4096,fp16,decode
//   absl::StatusOr<std::vector<GemmProblem>> problems =
//       ReadProblemFile("shapes.csv", options);
#ifndef TILETUNE_AUTOTUNE_COMMAND_LINE_PROBLEM_FILE_H_
#define TILETUNE_AUTOTUNE_COMMAND_LINE_PROBLEM_FILE_H_

#include <istream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "autotune/command_line/options.h"
#include "kernels/problem.h"

namespace tiletune {

// The first line names the columns, in any order: m, n, k are required; batch,
// dtype, out_dtype, layout, epilogue, ld and batch_stride may follow, else (or
// where empty) the flags hold. The epilogue's and the strides' own separators
// are then ';'. Empty lines and lines that start with '#' are skipped, as are
// columns called "name" or whose name starts with '#'; other columns are an
// error. Errors carry the line number.
absl::StatusOr<std::vector<GemmProblem>> ReadProblems(std::istream& csv,
                                                      const Options& options);

// The same of a file; errors carry its path. NotFound when there is none.
absl::StatusOr<std::vector<GemmProblem>> ReadProblemFile(
    const std::string& path, const Options& options);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_COMMAND_LINE_PROBLEM_FILE_H_
