#include "autotune/command_line/problems.h"

#include <cstdio>
#include <string>
#include <unordered_set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "autotune/command_line/models.h"
#include "autotune/command_line/problem_file.h"
#include "autotune/command_line/problem_flags.h"
#include "autotune/command_line/shape.h"
#include "autotune/command_line/shard.h"
#include "autotune/store/shape_log.h"
#include "autotune/store/text_lines.h"
#include "kernels/user_path.h"

namespace tiletune {
namespace {

absl::StatusOr<std::vector<GemmProblem>> ReadLog(const std::string& path,
                                                 LaunchCounts* launches) {
  LeftOutLines left_out;
  const absl::StatusOr<std::vector<LoggedShape>> log =
      ReadShapeLog(path, &left_out);
  if (!log.ok()) return Within(log.status(), path);
  if (left_out.count != 0) {
    std::fprintf(stderr, "autotune: %s: %lld lines left out; the first: %s\n",
                 path.c_str(), static_cast<long long>(left_out.count),
                 left_out.first.c_str());
  }
  std::vector<GemmProblem> problems;
  for (const LoggedShape& s : *log) {
    problems.push_back(Normalized(s.problem));
    if (launches != nullptr)
      (*launches)[ProblemKey(problems.back())] = s.launches;
  }
  return problems;
}

// Named, or nothing else is.
bool UsesModels(const Options& options) {
  return options.given.count("models") != 0 ||
         (options.shapes.empty() && options.problems.empty() &&
          options.shapes_file.empty() && options.from_log.empty());
}

// Whole problems have types and strides of their own.
absl::Status CheckFlagsAreUsed(const Options& options) {
  if (!options.shapes.empty() || !options.shapes_file.empty() ||
      UsesModels(options)) {
    return absl::OkStatus();
  }
  return CheckNoTypeFlag(options,
                         options.from_log.empty() ? "--problem" : "--from-log");
}

}  // namespace

absl::StatusOr<std::vector<GemmProblem>> ProblemsOf(const Options& options,
                                                    LaunchCounts* launches) {
  if (!options.shapes_file.empty() && !options.from_log.empty()) {
    return absl::InvalidArgumentError(
        "--shapes and --from-log: only one of them is read; tune them one "
        "after another");
  }
  const absl::Status useful = CheckFlagsAreUsed(options);
  if (!useful.ok()) return useful;
  std::vector<GemmProblem> all;
  std::vector<Shape> shapes = options.shapes;
  if (!options.shapes_file.empty()) {
    absl::StatusOr<std::vector<GemmProblem>> read =
        ReadProblemFile(UserPath(options.shapes_file), options);
    if (!read.ok()) return read.status();
    all = *std::move(read);
  } else if (!options.from_log.empty()) {
    absl::StatusOr<std::vector<GemmProblem>> read =
        ReadLog(UserPath(options.from_log), launches);
    if (!read.ok()) return read.status();
    all = *std::move(read);
  }
  if (UsesModels(options)) {
    const absl::StatusOr<std::vector<Shape>> built_in =
        ShapesOfModels(options.models);
    if (!built_in.ok()) return Within(built_in.status(), "--models");
    shapes.insert(shapes.end(), built_in->begin(), built_in->end());
  }
  for (const Shape& shape : shapes) {
    const absl::StatusOr<GemmProblem> problem = ProblemOf(shape, options);
    if (!problem.ok()) return Within(problem.status(), ToString(shape));
    all.push_back(*problem);
  }
  for (const std::string& key : options.problems) {
    const absl::StatusOr<GemmProblem> problem = ParseProblemKey(key);
    if (!problem.ok()) return Within(problem.status(), "--problem");
    if (problem->m == 0 || problem->n == 0 || problem->batch == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("--problem=", key, " has no element to compute"));
    }
    all.push_back(Normalized(*problem));
  }
  if (all.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        UserPath(options.shapes_file.empty() ? options.from_log
                                             : options.shapes_file),
        ": no problem in it"));
  }
  std::vector<GemmProblem> distinct;
  std::unordered_set<std::string> seen;
  for (const GemmProblem& problem : all) {
    if (seen.insert(ProblemKey(problem)).second) distinct.push_back(problem);
  }
  return ShardOf(distinct, options.shard, options.shards);
}

}  // namespace tiletune
