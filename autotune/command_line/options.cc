#include "autotune/command_line/options.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "autotune/command_line/flag_table.h"

namespace tiletune {
namespace {

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

}  // namespace tiletune
