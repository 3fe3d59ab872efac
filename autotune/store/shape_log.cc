#include "autotune/store/shape_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tiletune {

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
                                                      int64_t* left_out) {
  std::ifstream in(path);
  if (!in) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  std::map<std::string, int64_t> launches_of;
  int64_t unread = 0;
  std::string line;
  while (std::getline(in, line)) {
    const size_t tab = line.find('\t');
    int64_t launches = 0;
    if (tab == std::string::npos ||
        !absl::SimpleAtoi(line.substr(0, tab), &launches) || launches <= 0 ||
        !ParseProblemKey(line.substr(tab + 1)).ok()) {
      ++unread;
      continue;
    }
    launches_of[line.substr(tab + 1)] += launches;
  }
  if (in.bad()) return absl::DataLossError("cannot be read");
  if (left_out != nullptr) *left_out = unread;
  std::vector<LoggedShape> shapes;
  for (const auto& [key, launches] : launches_of) {
    shapes.push_back({*ParseProblemKey(key), launches});
  }
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const LoggedShape& x, const LoggedShape& y) {
                     return x.launches * Flops(x.problem) >
                            y.launches * Flops(y.problem);
                   });
  return shapes;
}

}  // namespace tiletune
