// Paths as the user means them. `bazel run` starts a program in its runfiles
// tree; relative paths on its command line and in its environment are meant
// from where the user stood, which Bazel passes in BUILD_WORKING_DIRECTORY, and
// bazelw, which goes to the workspace first, in TILETUNE_STARTED_IN.
//
//   // in /home/ada: bazel run //autotune -- list --db=x.db
//   std::string db = UserPath("x.db");   // "/home/ada/x.db"
//   UserPath("/tmp/x.db");               // "/tmp/x.db": absolute, unchanged
#ifndef TILETUNE_KERNELS_USER_PATH_H_
#define TILETUNE_KERNELS_USER_PATH_H_

#include <string>
#include <string_view>

namespace tiletune {

// `path` against where the user stood; unchanged when it is absolute, empty,
// or when the program was not started by `bazel run`.
std::string UserPath(std::string_view path);

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_USER_PATH_H_
