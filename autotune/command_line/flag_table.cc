#include "autotune/command_line/flag_table.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tiletune {
namespace {

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

}  // namespace

const std::vector<Command>& Commands() {
  static const auto* const commands = new std::vector<Command>{
      {"tune",
       "time the candidates of each shape and store them (the default)"},
      {"query",
       "the stored winner of a shape on a device, and where it is from"},
      {"explain", "why a shape has the winner it has: runners-up and rejects"},
      {"list", "every stored winner"},
      {"devices", "the devices here, the modelled ones, and the stored ones"},
      {"aa", "time one kernel under two names: how wide is a tie here"},
      {"agree", "whether two databases of independent tunes chose alike"},
      {"regret", "compare the search's picks with those of a whole sweep"},
      {"calibrate",
       "fit the cost model to a database and print its parameters"},
      {"verify", "time a sample of stored winners again and mark stale rows"},
      {"export", "write the stored rows as csv or jsonl"},
      {"import", "read rows that export wrote; - is standard input"},
      {"merge", "take over the rows of other databases"},
      {"gc", "drop stale rows, and those of other builds where you say so"},
      {"version", "what this program is, and the schema of what it writes"},
      {"help", "this text, or a command's flags: autotune help tune"},
  };
  return *commands;
}

bool IsCommand(const std::string& name) {
  return std::any_of(Commands().begin(), Commands().end(),
                     [&](const Command& c) { return c.name == name; });
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
       "several times (default cold-graph-busy0; of list and verify: every "
       "one)",
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
      {"format", "FORMAT", "query list devices export import",
       "json for query, list and devices; csv or jsonl for export, and for "
       "import, which goes by the file's name otherwise",
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

}  // namespace tiletune
