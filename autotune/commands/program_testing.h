// Runs the program over its fake device, as a user would.
//
//   Program program;
//   program.Set("TILETUNE_FAKE_FAULTS", "hang:*o2zn*");
//   Result r = program.Run({"tune", "--shape=16x512x512", "--db=x.db"});
//   EXPECT_EQ(r.status, 0) << r.output;
//   // relative paths lie in program.folder(), removed afterwards
#ifndef TILETUNE_AUTOTUNE_COMMANDS_PROGRAM_TESTING_H_
#define TILETUNE_AUTOTUNE_COMMANDS_PROGRAM_TESTING_H_

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "autotune/store/memory_folder.h"

namespace tiletune {

// A device, and few enough candidates for a test to take seconds.
std::vector<std::string> FakeTune(const std::string& db,
                                  const std::vector<std::string>& shapes,
                                  const std::vector<std::string>& more = {});

// A device that nobody has: predictions, at once.
std::vector<std::string> ModelTune(const std::string& db,
                                   const std::string& shape,
                                   const std::string& device = "model:b200");

// BUILD passes a program's path in a variable, relative to where a test starts.
std::string ProgramPath(const char* variable);

class Program {
 public:
  explicit Program(const char* variable = "FAKE_AUTOTUNE")
      : variable_(variable) {}

  struct Result {
    int status = -1;     // exit status; 128 + the signal that killed it
    std::string output;  // standard output and standard error
  };

  // Sets a variable of its environment.
  void Set(const std::string& name, const std::string& value) {
    environment_[name] = value;
  }

  Result Run(const std::vector<std::string>& arguments) const;

  // Starts it in the background with its output in a file; with none, its
  // standard streams are closed.
  pid_t Start(const std::vector<std::string>& arguments,
              const char* output = "/dev/null") const;

  std::string File(const std::string& name) const { return folder_.File(name); }
  const std::string& folder() const { return folder_.path(); }

 private:
  // In a child process: becomes the program.
  [[noreturn]] void Become(const std::vector<std::string>& arguments,
                           int output) const;

  const char* const variable_;
  MemoryFolder folder_;
  std::map<std::string, std::string> environment_;
};

// Whether it printed that.
bool Has(const Program::Result& result, const std::string& text);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_COMMANDS_PROGRAM_TESTING_H_
