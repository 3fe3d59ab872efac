// The problems that a command line asks for: shapes from flags, a file, a
// dispatch log or the built-in models, with the types and layout of the flags.
//
//   absl::StatusOr<Options> o = ParseOptions({"--shape=16x4096x4096"});
//   for (const GemmProblem& p : *ProblemsOf(*o)) Tune(p);
//   // one problem: 16x4096x4096, bf16, TN, packed
#ifndef TILETUNE_AUTOTUNE_COMMAND_LINE_PROBLEMS_H_
#define TILETUNE_AUTOTUNE_COMMAND_LINE_PROBLEMS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "autotune/command_line/options.h"
#include "kernels/problem.h"

namespace tiletune {

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
