// The one table of commands and flags, from which parsing, help and error
// messages come. For the files of this folder only.
//
//   for (const Flag& flag : Flags()) {
//     if (flag.name == name && Takes(flag, options->command))
//       return flag.set(value, options);
//   }
#ifndef TILETUNE_AUTOTUNE_COMMAND_LINE_FLAG_TABLE_H_
#define TILETUNE_AUTOTUNE_COMMAND_LINE_FLAG_TABLE_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "autotune/command_line/options.h"

namespace tiletune {

struct Command {
  const char* name;
  const char* help;
};

// In the order in which help lists them.
const std::vector<Command>& Commands();
bool IsCommand(const std::string& name);

// InvalidArgument with what is wrong with the value, without the flag's name.
using Setter = std::function<absl::Status(const std::string&, Options*)>;

struct Flag {
  const char* name;
  const char* value;     // what stands after '='; nullptr for a switch
  const char* commands;  // space-separated
  const char* help;
  Setter set;
  bool repeats = false;  // whether each value counts
};

const std::vector<Flag>& Flags();
bool Takes(const Flag& flag, const std::string& command);

// The setter of --shard, for what launchers say in their variables.
absl::Status SetShard(const std::string& value, Options* options);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_COMMAND_LINE_FLAG_TABLE_H_
