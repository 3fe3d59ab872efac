// The file of $TILETUNE_LOG_SHAPES: the problems that dispatch met and nobody
// had tuned, with how often. Dispatch appends; `autotune --from-log` reads.
//
//   absl::Status logged = AppendShape("shapes.log", problem, /*launches=*/1);
//   const auto shapes = ReadShapeLog("shapes.log");
//   for (const LoggedShape& s : *shapes) Tune(s.problem);  // dearest first
//   // A line is "LAUNCHES<tab>PROBLEM KEY"; lines of one problem add up.
#ifndef TILETUNE_AUTOTUNE_STORE_SHAPE_LOG_H_
#define TILETUNE_AUTOTUNE_STORE_SHAPE_LOG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernels/problem.h"

namespace tiletune {

// Adds one line with a single write in append mode: processes and threads may
// share a local file, and a killed one leaves whole lines. Never waits:
// FailedPrecondition when `path` is a pipe or a device, else Unavailable.
absl::Status AppendShape(const std::string& path, const GemmProblem& problem,
                         int64_t launches);

struct LoggedShape {
  GemmProblem problem;
  int64_t launches = 0;
};

// Lines of a log that name no problem, or a newer build's, or one without
// elements, or no count of launches.
struct LeftOutLines {
  int64_t count = 0;
  std::string first;  // "line 3: ...", and why
};

// Ordered by launches * Flops(), the largest first. Lines that do not parse are
// left out, and counted where somebody asks. NotFound when there is no file;
// the message does not name it.
absl::StatusOr<std::vector<LoggedShape>> ReadShapeLog(
    const std::string& path, LeftOutLines* left_out = nullptr);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STORE_SHAPE_LOG_H_
