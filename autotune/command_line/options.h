// The command line of autotune, parsed. One table in options.cc says which
// flags there are; help, parsing and error messages all come from it.
//
//   absl::StatusOr<Options> o = ParseOptions({"tune", "--shape=16x4096x4096"});
//   if (!o.ok()) { PrintToStderr(o.status().message()); return 2; }
//   o->command == "tune"; o->shapes.size() == 1;
#ifndef TILETUNE_AUTOTUNE_COMMAND_LINE_OPTIONS_H_
#define TILETUNE_AUTOTUNE_COMMAND_LINE_OPTIONS_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "autotune/command_line/shape.h"

namespace tiletune {

struct Options {
  std::string command = "tune";
  // What follows the flags: of import, merge and agree.
  std::vector<std::string> files;
  // The flags that were given, without dashes and values.
  std::set<std::string> given;
  bool help = false;

  // Which problems.
  std::vector<Shape> shapes;
  std::vector<std::string> problems;  // keys, as the database writes them
  std::string shapes_file;
  std::string from_log;
  std::string models = "quick";
  std::string dtype = "bf16";
  std::string out_dtype;  // empty: as --dtype, bf16 for 8-bit operands
  std::string layout = "TN";
  std::string epilogue = "none";
  std::string ld;            // "A,B,C,D" in elements; empty fields: packed
  std::string batch_stride;  // the same

  // Where, and under which conditions.
  std::string device;  // empty: auto to tune, every stored one to read
  std::vector<std::string> policies;  // empty: the default policy alone
  std::string db;                     // empty: the default path
  bool force = false;

  // How.
  std::string kernels = "*";
  double budget_seconds = 0;  // 0: none
  double timeout_seconds = 10;
  bool exhaustive = false;
  bool include_unproven = false;
  bool batch_invariant = false;
  bool remeasure = false;
  bool other_builds = false;
  bool impossible = false;
  bool dry_run = false;
  int shard = 0;
  int shards = 1;
  int trials = 20;
  double sample = 0.05;
  std::vector<uint32_t> offsets = {1, 2, 8};

  // Output.
  std::string format;  // empty: a table for people
  std::string output;  // empty: standard output
};

// InvalidArgument with one sentence for people: an unknown command or flag, a
// flag the command does not take, a value of the wrong form. `arguments` are
// without the program's name. Shards come from --shard=I/N, else from the
// variables that mpirun, srun and torchrun set.
absl::StatusOr<Options> ParseOptions(const std::vector<std::string>& arguments);

// The help text: of all commands, or of one with its flags.
std::string Help(const std::string& command);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_COMMAND_LINE_OPTIONS_H_
