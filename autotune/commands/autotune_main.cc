#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autotune/commands/commands.h"
#include "autotune/commands/target.h"
#include "autotune/commands/version.h"
#include "autotune/store/path.h"
#include "autotune/worker/worker.h"
#include "kernels/registry.h"
#include "kernels/user_path.h"

namespace tiletune {
namespace {

// A device that could not be opened: says why to whatever is asked.
class ClosedBench : public Bench {
 public:
  explicit ClosedBench(absl::Status why) : why_(std::move(why)) {}

  absl::StatusOr<std::vector<BenchDevice>> Devices() override { return why_; }
  Trial Prepare(const GemmProblem&, const MeasurementPolicy&) override {
    return Refused();
  }
  Trial Check(const GemmConfig&, int) override { return Refused(); }
  Trial Time(const TimeRequest&) override { return Refused(); }

 private:
  Trial Refused() const {
    Trial trial;
    trial.outcome = Outcome::kRefused;
    trial.detail = std::string(why_.message());
    return trial;
  }

  const absl::Status why_;
};

// A standard stream that the caller closed leads nowhere, lest a pipe to a
// worker or a file takes its number and is printed into. Whether standard
// output was open.
bool OpenStandardStreams() {
  const bool has_output = fcntl(STDOUT_FILENO, F_GETFD) >= 0;
  int file = open("/dev/null", O_RDWR);
  while (file >= 0 && file <= STDERR_FILENO) file = open("/dev/null", O_RDWR);
  if (file >= 0) close(file);
  return has_output;
}

int RunWorker(const std::string& device, const Platform& platform) {
  // The channel is ours alone: what a library prints goes to standard error.
  const int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return kFailed;
  absl::StatusOr<std::unique_ptr<Bench>> bench = platform.open_bench(device);
  if (!bench.ok()) {
    ClosedBench closed(bench.status());
    return ServeBench(&closed, STDIN_FILENO, out);
  }
  return ServeBench(bench->get(), STDIN_FILENO, out);
}

int RunVersion() {
  std::printf("autotune %s\n", ToolVersion().c_str());
  return 0;
}

int RunCommand(const Options& o, const Platform& platform) {
  if (o.command == "version") return RunVersion();
  if (o.command == "tune") return RunTune(o, platform);
  if (o.command == "regret") return RunRegret(o, platform);
  constexpr std::pair<const char*, int (*)(const Options&)> kRun[] = {
      {"query", RunQuery},         {"explain", RunExplain},
      {"list", RunList},           {"devices", RunDevices},
      {"aa", RunSelfComparison},   {"agree", RunAgree},
      {"calibrate", RunCalibrate}, {"verify", RunVerify},
      {"export", RunExport},       {"import", RunImport},
      {"merge", RunMerge},         {"gc", RunGarbageCollection},
  };
  for (const auto& [name, run] : kRun) {
    if (o.command == name) return run(o);
  }
  return Fail(absl::UnimplementedError(
      absl::StrCat("autotune ", o.command, " is not there yet")));
}

// The program, but for a worker.
int RunUser(const std::vector<std::string>& arguments, const Platform& platform,
            bool has_output) {
  const absl::StatusOr<Options> options = ParseOptions(arguments);
  if (!options.ok()) return Fail(options.status());
  // What tune prints is in the database as well.
  if (!has_output && options->output.empty() && options->command != "tune") {
    return Fail(absl::DataLossError("standard output is closed"));
  }
  if (options->help || options->command == "help") {
    const bool one = options->command == "help";
    const std::string about = !one                     ? options->command
                              : options->files.empty() ? ""
                                                       : options->files[0];
    const bool bare = arguments.size() == 1 && !one;
    std::fputs(Help(bare && arguments[0][0] == '-' ? "" : about).c_str(),
               stdout);
    return 0;
  }
  return RunCommand(*options, platform);
}

}  // namespace

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "autotune: %s\n", std::string(status.message()).c_str());
  return absl::IsInvalidArgument(status) ? kUsage : kFailed;
}

std::string DatabasePath(const Options& options) {
  std::error_code ignored;
  std::string path = std::filesystem::absolute(
      UserPath(options.db.empty() ? DefaultDatabasePath() : options.db),
      ignored);
  if (options.shards == 1) return path;
  const std::string shard =
      absl::StrCat(".", options.shard, "-of-", options.shards);
  const size_t dot = path.rfind(".db");
  if (dot != std::string::npos && dot + 3 == path.size()) {
    return path.insert(dot, shard);
  }
  return path + shard;
}

absl::StatusOr<std::unique_ptr<Store>> OpenFile(const std::string& path,
                                                Store::Mode mode,
                                                Folder folder) {
  const std::filesystem::path of_path =
      std::filesystem::path(path).parent_path();
  std::error_code ignored;
  if (mode == Store::Mode::kReadWrite && folder == Folder::kThere &&
      !std::filesystem::exists(of_path, ignored)) {
    return absl::NotFoundError(absl::StrCat(
        path, ": there is no folder ", of_path.string(), ": make it first"));
  }
  Store::Options options;
  options.on_long_wait = [path] {
    std::fprintf(stderr,
                 "autotune: waiting for another process that keeps %s\n",
                 path.c_str());
  };
  return Store::Open(path, mode, options);
}

absl::StatusOr<std::unique_ptr<Store>> OpenStore(const Options& options,
                                                 Store::Mode mode) {
  absl::StatusOr<std::unique_ptr<Store>> store =
      OpenFile(DatabasePath(options), mode, FolderOf(options));
  if (!store.ok()) return store;
  std::vector<VariantBuild> builds;
  for (const KernelVariant& variant : Variants()) {
    builds.push_back({variant.name, variant.build_fingerprint});
  }
  const absl::Status status = (*store)->UseBuilds(builds);
  if (!status.ok()) return status;
  return store;
}

absl::StatusOr<std::vector<MeasurementPolicy>> PoliciesOf(
    const Options& options) {
  std::vector<MeasurementPolicy> policies;
  for (const std::string& text : options.policies) {
    const absl::StatusOr<MeasurementPolicy> policy = ParsePolicy(text);
    if (!policy.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--policy: ", policy.status().message()));
    }
    // One that is given twice is one.
    if (std::find(policies.begin(), policies.end(), *policy) ==
        policies.end()) {
      policies.push_back(*policy);
    }
  }
  if (policies.empty()) policies.push_back(MeasurementPolicy());
  return policies;
}

absl::StatusOr<bool> WantsJson(const Options& options) {
  if (options.format.empty()) return false;
  if (options.format == "json") return true;
  return absl::InvalidArgumentError(absl::StrCat(
      "--format=", options.format, ": ", options.command, " knows json"));
}

// One that somebody named and that is not there is probably not the one meant.
Folder FolderOf(const Options& options) {
  return options.db.empty() ? Folder::kMade : Folder::kThere;
}

std::string CountsText(const RowCounts& counts) {
  return absl::StrCat(counts.measurements, " measurements and ",
                      counts.predictions, " predictions");
}

std::string OtherBuildsText(const RowCounts& counts) {
  return CountsText(counts) + " of other builds of the kernels";
}

absl::StatusOr<std::string> OtherBuildsNote(const Store& store,
                                            const Filter& filter) {
  const absl::StatusOr<RowCounts> others = store.OtherBuilds(filter);
  if (!others.ok()) return others.status();
  if (others->measurements == 0 && others->predictions == 0) return "";
  return absl::StrCat(
      store.path(), " has ", OtherBuildsText(*others),
      ", which do not count here: tune again (docs/database.md, \"Other "
      "builds\")");
}

absl::StatusOr<std::string> FingerprintOf(const Options& options) {
  const std::string& device = options.device;
  const bool stored =
      device.rfind("cc", 0) == 0 || device.rfind("model cc", 0) == 0;
  if (device.empty() || stored) return device;
  const absl::StatusOr<Target> target = FindTarget(device, {});
  if (!target.ok()) return target.status();
  return target->facts.Fingerprint();
}

int AutotuneMain(int argc, char** argv, const Platform& platform) {
  const bool has_output = OpenStandardStreams();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 2 && arguments[0] == "worker") {
    return RunWorker(arguments[1], platform);
  }
  const int status = RunUser(arguments, platform, has_output);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  return Fail(absl::DataLossError("cannot write to standard output"));
}

}  // namespace tiletune
