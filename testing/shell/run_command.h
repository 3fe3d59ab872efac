// Runs a program as a user's shell does, for tests of what it prints and of its
// exit status.
//
//   const CommandOutcome ran = RunCommand("testing/emulator/ptx_run
//   --nonsense"); EXPECT_EQ(ran.code, 2); EXPECT_TRUE(ran.Has("unknown flag"));
#ifndef TILETUNE_TESTING_SHELL_RUN_COMMAND_H_
#define TILETUNE_TESTING_SHELL_RUN_COMMAND_H_

#include <string>

namespace tiletune {

struct CommandOutcome {
  int code = -1;       // exit status; -1 after a signal
  std::string output;  // standard output and error

  bool Has(const std::string& text) const {
    return output.find(text) != std::string::npos;
  }
};

// `command` is one for /bin/sh.
CommandOutcome RunCommand(const std::string& command);

}  // namespace tiletune

#endif  // TILETUNE_TESTING_SHELL_RUN_COMMAND_H_
