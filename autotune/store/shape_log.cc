#include "autotune/store/shape_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "autotune/store/database_file.h"
#include "autotune/store/text_lines.h"

namespace tiletune {
namespace {

struct Logged {
  int64_t launches = 0;
  std::string key;
};

absl::StatusOr<Logged> ParseLine(const std::string& line) {
  const size_t tab = line.find('\t');
  if (tab == std::string::npos) {
    return absl::InvalidArgumentError("no tab after a count of launches");
  }
  Logged logged;
  const std::string count = line.substr(0, tab);
  if (!absl::SimpleAtoi(count, &logged.launches) || logged.launches <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", count, "' is no count of launches"));
  }
  logged.key = line.substr(tab + 1);
  const absl::StatusOr<GemmProblem> problem = ParseProblemKey(logged.key);
  if (!problem.ok()) return problem.status();
  if (problem->m == 0 || problem->n == 0 || problem->batch == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(logged.key, " has no element to compute"));
  }
  logged.key = ProblemKey(Normalized(*problem));
  return logged;
}

}  // namespace

absl::Status AppendShape(const std::string& path, const GemmProblem& problem,
                         int64_t launches) {
  const std::string line =
      absl::StrCat(launches, "\t", ProblemKey(problem), "\n");
  // To open or to fill a pipe may take for ever.
  struct stat facts;
  if (stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode)) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot log shapes to ", path, ": not a regular file"));
  }
  const absl::Status no_database = CheckNoDatabase(path);
  if (!no_database.ok()) return no_database;
  const int file =
      open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK,
           0666);
  if (file < 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot open ", path, ": ", strerror(errno)));
  }
  const ssize_t written = write(file, line.data(), line.size());
  const int error = errno;
  close(file);
  if (written == static_cast<ssize_t>(line.size())) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("cannot write to ", path, ": ",
                   written < 0 ? strerror(error) : "the disk is full"));
}

absl::StatusOr<std::vector<LoggedShape>> ReadShapeLog(const std::string& path,
                                                      LeftOutLines* left_out) {
  std::ifstream in(path);
  if (!in) {
    return absl::NotFoundError(
        absl::StrCat("cannot be read: ", strerror(errno)));
  }
  std::map<std::string, int64_t> launches_of;
  LeftOutLines unread;
  std::string line;
  for (int64_t number = 1;; ++number) {
    const absl::StatusOr<bool> more = ReadLine(in, kLongestShape, &line);
    if (!more.ok()) return more.status();
    if (!*more) break;
    const absl::StatusOr<Logged> logged = ParseLine(line);
    if (!logged.ok()) {
      if (unread.count++ == 0) {
        const absl::Status why =
            Within(logged.status(), absl::StrCat("line ", number));
        unread.first = std::string(why.message().data(), why.message().size());
      }
      continue;
    }
    int64_t& sum = launches_of[logged->key];
    // Counts near 2^63 are nobody's launches, and their sum must not wrap.
    sum +=
        std::min(logged->launches, std::numeric_limits<int64_t>::max() - sum);
  }
  if (left_out != nullptr) *left_out = unread;
  std::vector<LoggedShape> shapes;
  for (const auto& [key, launches] : launches_of) {
    shapes.push_back({*ParseProblemKey(key), launches});
  }
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const LoggedShape& x, const LoggedShape& y) {
                     return static_cast<double>(x.launches) * Flops(x.problem) >
                            static_cast<double>(y.launches) * Flops(y.problem);
                   });
  return shapes;
}

}  // namespace tiletune
