#include "autotune/command_line/options.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace tiletune {
namespace {

struct Command {
  const char* name;
  const char* help;
};

constexpr Command kCommands[] = {
    {"tune", "time the candidates of each shape and store them (the default)"},
    {"query", "the stored winner of a shape on a device, and where it is from"},
    {"explain", "why a shape has the winner it has: runners-up and rejects"},
    {"list", "every stored winner"},
    {"devices", "the devices here, the modelled ones, and the stored ones"},
    {"aa", "time one kernel under two names: how wide is a tie here"},
    {"agree", "whether two databases of independent tunes chose alike"},
    {"regret", "compare the search's picks with those of a whole sweep"},
    {"calibrate", "fit the cost model to a database and print its parameters"},
    {"verify", "time a sample of stored winners again and mark stale rows"},
    {"export", "write the stored rows as csv or jsonl"},
    {"import", "read rows that export wrote; - is standard input"},
    {"merge", "take over the rows of other databases"},
    {"gc", "drop stale rows, and those of other builds where you say so"},
    {"version", "what this program is, and which database it writes"},
    {"help", "this text, or a command's flags: autotune help tune"},
};

// What the tables show.
constexpr char kWords[] =
    "A config is written KERNEL o8zn k4 p0. KERNEL: its tile and cluster, and\n"
    "its supply, by which a worker gets the next tile: static (a formula),\n"
    "queue (a counter in memory) or clc (Blackwell's Cluster Launch Control).\n"
    "o8: the offset, tiles go in windows 8 high. zn or nz: the direction,\n"
    "through a window along N or along M. k4: K is split among 4. p0: it does\n"
    "not start before the kernel in front of it has ended.\n"
    "docs/tuning.md has more.\n";

using Setter = std::function<absl::Status(const std::string&, Options*)>;

struct Flag {
  const char* name;
  const char* value;     // what stands after '='; nullptr for a switch
  const char* commands;  // space-separated
  const char* help;
  Setter set;
  bool repeats = false;  // whether each value counts
};

Setter Text(std::string Options::*field) {
  return [field](const std::string& value, Options* options) {
    options->*field = value;
    return absl::OkStatus();
  };
}

// An empty one is a variable of a shell that is not set, and not the default.
Setter Path(std::string Options::*field) {
  return [field](const std::string& value, Options* options) {
    if (value.empty()) return absl::InvalidArgumentError("the path is empty");
    options->*field = value;
    return absl::OkStatus();
  };
}

Setter Switch(bool Options::*field) {
  return [field](const std::string& value, Options* options) {
    if (value != "true" && value != "false") {
      return absl::InvalidArgumentError("is a switch: write it alone");
    }
    options->*field = value == "true";
    return absl::OkStatus();
  };
}

Setter Number(double Options::*field, double least, double most) {
  return [=](const std::string& value, Options* options) {
    double number = 0;
    if (!absl::SimpleAtod(value, &number) || !(number >= least) ||
        !(number <= most)) {
      return absl::InvalidArgumentError(
          absl::StrCat("needs a number from ", least, " to ", most));
    }
    options->*field = number;
    return absl::OkStatus();
  };
}

absl::Status AddShape(const std::string& value, Options* options) {
  const absl::StatusOr<Shape> shape = ParseShape(value);
  if (!shape.ok()) return shape.status();
  options->shapes.push_back(*shape);
  return absl::OkStatus();
}

absl::Status AddProblem(const std::string& value, Options* options) {
  options->problems.push_back(value);
  return absl::OkStatus();
}

absl::Status AddPolicy(const std::string& value, Options* options) {
  options->policies.push_back(value);
  return absl::OkStatus();
}

absl::Status SetTrials(const std::string& value, Options* options) {
  if (!absl::SimpleAtoi(value, &options->trials) || options->trials < 1) {
    return absl::InvalidArgumentError("needs a count from 1 to 2147483647");
  }
  return absl::OkStatus();
}

absl::Status SetOffsets(const std::string& value, Options* options) {
  options->offsets.clear();
  for (const absl::string_view part : absl::StrSplit(value, ',')) {
    uint32_t offset = 0;
    if (!absl::SimpleAtoi(part, &offset) || offset == 0) {
      return absl::InvalidArgumentError(
          "needs offsets from 1 to 4294967295: 1,2,8");
    }
    options->offsets.push_back(offset);
  }
  return absl::OkStatus();
}

absl::Status SetShard(const std::string& value, Options* options) {
  const std::vector<std::string> parts = absl::StrSplit(value, '/');
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &options->shard) ||
      !absl::SimpleAtoi(parts[1], &options->shards) || options->shard < 0 ||
      options->shard >= options->shards) {
    return absl::InvalidArgumentError(
        "needs I/N with 0 <= I < N, for example 0/8");
  }
  return absl::OkStatus();
}

const std::vector<Flag>& Flags() {
  static const auto* const flags = new std::vector<Flag>{
      {"shape", "MxNxK[xB]", "tune query explain verify aa regret",
       "a problem's sizes; may be given several times", AddShape, true},
      {"problem", "KEY", "tune query explain verify aa regret",
       "a whole problem, as list and export write it; may be given several "
       "times",
       AddProblem, true},
      {"shapes", "FILE.csv", "tune aa regret",
       "problems from a file; docs/tuning.md has its columns",
       Path(&Options::shapes_file)},
      {"models", "LIST", "tune aa regret",
       "built-in shapes of published language models, beside those of other "
       "flags: quick, all, or names (quick where no problem is given)",
       Text(&Options::models)},
      {"from-log", "FILE", "tune aa regret",
       "problems that dispatch logged, most expensive first",
       Path(&Options::from_log)},
      {"dtype", "TYPE", "tune query explain verify aa regret",
       "operands: bf16, fp16, e4m3, e5m2 (default bf16)",
       Text(&Options::dtype)},
      {"out-dtype", "TYPE", "tune query explain verify aa regret",
       "of D (default: as --dtype; bf16 for 8-bit operands)",
       Text(&Options::out_dtype)},
      {"layout", "TN|NN|NT|TT", "tune query explain verify aa regret",
       "BLAS letters; TN: both operands K-contiguous (default TN)",
       Text(&Options::layout)},
      {"epilogue", "LIST", "tune query explain verify aa regret",
       "comma-separated: c, bias-row, bias-column, relu, gelu, silu, "
       "scale-tensor, scale-row-column, scale-block128, amax (default none)",
       Text(&Options::epilogue)},
      {"ld", "A,B,C,D", "tune query explain verify aa regret",
       "leading dimensions in elements; an empty field is packed",
       Text(&Options::ld)},
      {"batch-stride", "A,B,C,D", "tune query explain verify aa regret",
       "elements between batches; an empty field is packed",
       Text(&Options::batch_stride)},
      {"policy", "POLICY", "tune query explain list verify aa regret calibrate",
       "measuring conditions: {cold|warm}-{graph|stream}-busyN, N from 0 to 99 "
       "the percentage of SMs kept busy by another kernel; may be given "
       "several times (default cold-graph-busy0; list: every one)",
       AddPolicy, true},
      {"kernels", "GLOB", "tune aa regret", "only variants with such names",
       Text(&Options::kernels)},
      {"device", "DEVICE", "tune query explain list verify aa regret calibrate",
       "auto, cuda:N, or model:NAME such as model:b200; to read, also a "
       "stored fingerprint (default: auto to time, every stored device to "
       "read)",
       Text(&Options::device)},
      {"db", "PATH",
       "tune query explain list devices verify regret agree calibrate export "
       "import "
       "merge "
       "gc",
       "the database (default $TILETUNE_DB, else tiletune/tiletune.db in the "
       "user's data folder)",
       Path(&Options::db)},
      {"budget", "SECONDS", "tune verify regret",
       "stop after about this long, best effort shared over the shapes",
       Number(&Options::budget_seconds, 0, 1e9)},
      {"timeout", "SECONDS", "tune verify aa regret",
       "a candidate that takes longer is killed and rejected (default 10)",
       Number(&Options::timeout_seconds, 0.01, 3600)},
      {"exhaustive", nullptr, "tune",
       "time every legal candidate and report what pruning would have lost",
       Switch(&Options::exhaustive)},
      {"include-unproven", nullptr, "tune regret",
       "also try kernels that are compiled but that no run has proved",
       Switch(&Options::include_unproven)},
      {"batch-invariant", nullptr, "tune",
       "only kernels that give a row of D the same bits at every M of its "
       "layer, for programs that dispatch with batch_invariant",
       Switch(&Options::batch_invariant)},
      {"remeasure", nullptr, "tune",
       "do not reuse stored measurements: take new ones",
       Switch(&Options::remeasure)},
      {"other-builds", nullptr, "gc",
       "also drop the rows of builds of kernels that this program has not: "
       "another version of it may use them",
       Switch(&Options::other_builds)},
      {"impossible", nullptr, "gc",
       "also drop the rows that cannot be true: of a kernel of this program, "
       "with a config that it cannot run",
       Switch(&Options::impossible)},
      {"dry-run", nullptr, "gc", "say what would go, and drop nothing",
       Switch(&Options::dry_run)},
      {"shard", "I/N", "tune",
       "tune the I-th of N shares of the problems, alike in cost (default: the "
       "rank that mpirun, srun or torchrun set)",
       SetShard},
      {"force", nullptr, "tune verify aa regret",
       "time even if another tuner uses this GPU: both will store wrong times",
       Switch(&Options::force)},
      {"sample", "SHARE", "verify",
       "share of the winners to time again (default 0.05)",
       Number(&Options::sample, 0, 1)},
      {"trials", "COUNT", "aa", "pairs a shape (default 20)", SetTrials},
      {"offsets", "LIST", "regret",
       "the offsets of the sweep: tiles between two turns of the order in "
       "which they are visited (default 1,2,8)",
       SetOffsets},
      {"format", "FORMAT", "query list devices export",
       "json for query, list and devices; csv or jsonl for export",
       Text(&Options::format)},
      {"output", "FILE", "export regret calibrate",
       "export, calibrate: instead of standard output; regret: a line of CSV a "
       "shape",
       Path(&Options::output)},
  };
  return *flags;
}

bool Takes(const Flag& flag, const std::string& command) {
  const std::vector<std::string> commands = absl::StrSplit(flag.commands, ' ');
  return std::find(commands.begin(), commands.end(), command) != commands.end();
}

bool IsCommand(const std::string& name) {
  return std::any_of(std::begin(kCommands), std::end(kCommands),
                     [&](const Command& c) { return c.name == name; });
}

absl::Status NoCommand(const std::string& name) {
  return absl::InvalidArgumentError(
      absl::StrCat("there is no command '", name, "'; see autotune help"));
}

absl::Status ParseFlag(const std::string& argument, Options* options) {
  const std::string text = argument.substr(2);
  const size_t equals = text.find('=');
  std::string name = text.substr(0, equals);
  std::replace(name.begin(), name.end(), '_', '-');
  if (name == "help") {
    options->help = true;
    return absl::OkStatus();
  }
  if (name == "version" && equals == std::string::npos) {
    options->command = "version";
    return absl::OkStatus();
  }
  for (const Flag& flag : Flags()) {
    if (name != flag.name) continue;
    if (!Takes(flag, options->command)) {
      return absl::InvalidArgumentError(
          absl::StrCat("autotune ", options->command, " takes no --", name,
                       "; see autotune help ", options->command));
    }
    if (flag.value != nullptr && equals == std::string::npos) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--", name, " needs a value: --", name, "=", flag.value));
    }
    if (!flag.repeats && options->given.count(name) != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", name, " is given twice: only one value counts"));
    }
    const std::string value =
        equals == std::string::npos ? "true" : text.substr(equals + 1);
    const absl::Status status = flag.set(value, options);
    options->given.insert(name);
    if (status.ok()) return status;
    return absl::InvalidArgumentError(absl::StrCat(
        "--", name, equals == std::string::npos ? "" : "=",
        equals == std::string::npos ? "" : value, ": ", status.message()));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "there is no flag --", name, "; see autotune help ", options->command));
}

// The commands of which a launcher starts one a GPU, each with its own file. In
// a batch job its variables are set for the others as well, and mean nothing.
bool IsOneOfMany(const std::string& command) {
  return command == "tune" || command == "regret" || command == "verify";
}

// The rank of this process and how many there are, as launchers tell it.
absl::Status ShardFromLauncher(Options* options) {
  constexpr std::pair<const char*, const char*> kVariables[] = {
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
      {"PMI_RANK", "PMI_SIZE"},
      {"SLURM_PROCID", "SLURM_NTASKS"},
      {"RANK", "WORLD_SIZE"},
  };
  for (const auto& [rank, size] : kVariables) {
    const char* rank_text = std::getenv(rank);
    const char* size_text = std::getenv(size);
    if (rank_text == nullptr || size_text == nullptr) continue;
    if (*rank_text == '\0' || *size_text == '\0') continue;
    if (SetShard(absl::StrCat(rank_text, "/", size_text), options).ok()) break;
    return absl::InvalidArgumentError(
        absl::StrCat(rank, "=", rank_text, " and ", size, "=", size_text,
                     " are no rank and size: unset them, or say --shard=I/N"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Options> ParseOptions(
    const std::vector<std::string>& arguments) {
  Options options;
  size_t i = 0;
  if (!arguments.empty() && arguments[0].rfind("-", 0) != 0) {
    options.command = arguments[i++];
    if (!IsCommand(options.command)) {
      return NoCommand(options.command);
    }
  }
  const bool takes_files =
      options.command == "import" || options.command == "merge" ||
      options.command == "agree" || options.command == "help";
  for (; i < arguments.size(); ++i) {
    if (arguments[i].rfind("--", 0) == 0 && arguments[i].size() > 2) {
      const absl::Status status = ParseFlag(arguments[i], &options);
      if (!status.ok()) return status;
    } else if (arguments[i] == "-h") {
      options.help = true;
    } else if (takes_files) {
      options.files.push_back(arguments[i]);
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("autotune ", options.command, " does not know what '",
                       arguments[i], "' is; flags are written --name=value"));
    }
  }
  if (options.command == "help") {
    for (const std::string& about : options.files) {
      if (!IsCommand(about)) return NoCommand(about);
    }
    return options;
  }
  if (options.help || options.given.count("shard") != 0 ||
      !IsOneOfMany(options.command)) {
    return options;
  }
  const absl::Status shard = ShardFromLauncher(&options);
  if (!shard.ok()) return shard;
  return options;
}

std::string Help(const std::string& command) {
  std::string text;
  if (command.empty() || command == "help" || !IsCommand(command)) {
    absl::StrAppend(&text,
                    "autotune: for this GEMM on this GPU, which kernel "
                    "configuration is fastest\n\n"
                    "  autotune [COMMAND] [--flag=value ...]\n\n");
    for (const Command& c : kCommands) {
      absl::StrAppend(&text, absl::StrFormat("  %-9s %s\n", c.name, c.help));
    }
    absl::StrAppend(&text, "\nautotune help COMMAND lists its flags.\n\n",
                    kWords);
    return text;
  }
  absl::StrAppend(&text, "autotune ", command, " [--flag=value ...]",
                  command == "import" || command == "merge" ? " FILE ..."
                  : command == "agree"                      ? " OTHER.db"
                                                            : "",
                  "\n");
  for (const Command& c : kCommands) {
    if (command == c.name) absl::StrAppend(&text, "  ", c.help, "\n\n");
  }
  for (const Flag& flag : Flags()) {
    if (!Takes(flag, command)) continue;
    const std::string form =
        flag.value == nullptr ? absl::StrCat("--", flag.name)
                              : absl::StrCat("--", flag.name, "=", flag.value);
    absl::StrAppend(&text, "  ", form, "\n      ", flag.help, "\n");
  }
  return text;
}

}  // namespace tiletune
