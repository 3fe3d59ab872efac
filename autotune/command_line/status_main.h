// The main() of a small program: Abseil's flags, and a status that says how it
// went.
//
//   ABSL_FLAG(std::string, swept, "", "a database");
//   absl::Status Run() { return Read(UserPath(absl::GetFlag(FLAGS_swept))); }
//
//   int main(int argc, char** argv) { return StatusMain(argc, argv, Run); }
#ifndef TILETUNE_AUTOTUNE_COMMAND_LINE_STATUS_MAIN_H_
#define TILETUNE_AUTOTUNE_COMMAND_LINE_STATUS_MAIN_H_

#include "absl/status/status.h"

namespace tiletune {

// Parses the flags (unknown ones end the program), then runs. Returns 0, or 1
// after "PROGRAM: MESSAGE" on standard error.
int StatusMain(int argc, char** argv, absl::Status (*run)());

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_COMMAND_LINE_STATUS_MAIN_H_
