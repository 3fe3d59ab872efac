// The commands of autotune. Each prints to standard output, and errors, as one
// sentence, to standard error; each returns the exit status of the process.
//
//   int main(int argc, char** argv) {
//     return tiletune::AutotuneMain(
//         argc, argv, {tiletune::OpenCudaBench, tiletune::IsLinked});
//   }
#ifndef TILETUNE_AUTOTUNE_COMMANDS_COMMANDS_H_
#define TILETUNE_AUTOTUNE_COMMANDS_COMMANDS_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "autotune/command_line/options.h"
#include "autotune/measure/bench.h"
#include "autotune/store/store.h"
#include "kernels/variant.h"

namespace tiletune {

// 0: done. 1: it failed. 2: the command line is wrong.
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;

// What the program runs on.
struct Platform {
  // Opens the device of a worker process, and is called in no other: "auto" (to
  // list them all) or "cuda:N".
  absl::StatusOr<std::unique_ptr<Bench>> (*open_bench)(
      const std::string& device);
  // Whether this program can launch the variant.
  bool (*is_linked)(const KernelVariant& variant);
};

// The whole program.
int AutotuneMain(int argc, char** argv, const Platform& platform);

int RunTune(const Options& options, const Platform& platform);
int RunQuery(const Options& options);
int RunList(const Options& options);
int RunDevices(const Options& options);
int RunExport(const Options& options);
int RunImport(const Options& options);
int RunMerge(const Options& options);
int RunGarbageCollection(const Options& options);
int RunExplain(const Options& options);
int RunSelfComparison(const Options& options);
int RunAgree(const Options& options);
int RunVerify(const Options& options);
int RunCalibrate(const Options& options);
int RunRegret(const Options& options, const Platform& platform);

// What the commands share.

// Prints the sentence and returns kFailed, or kUsage for InvalidArgument.
int Fail(const absl::Status& status);

// The database of --db, of $TILETUNE_DB or of the user's data folder; with
// shards, this shard's own file.
std::string DatabasePath(const Options& options);

// Whether the folder of a database that is to be written has to be there.
enum class Folder { kThere, kMade };
// That of --db has; the default's is made.
Folder FolderOf(const Options& options);

// Opens a database; says on standard error if it has to wait for long. NotFound
// where the folder has to be there and is not.
absl::StatusOr<std::unique_ptr<Store>> OpenFile(const std::string& path,
                                                Store::Mode mode,
                                                Folder folder);

// Opens that of DatabasePath, winners chosen among the kernels of this build.
// Errors name the path.
absl::StatusOr<std::unique_ptr<Store>> OpenStore(const Options& options,
                                                 Store::Mode mode);

// The policies of --policy, or the default one.
absl::StatusOr<std::vector<MeasurementPolicy>> PoliciesOf(
    const Options& options);

// Whether --format asks for json; InvalidArgument for any other than json and
// the table for people.
absl::StatusOr<bool> WantsJson(const Options& options);

// "3 measurements and 1 predictions".
std::string CountsText(const RowCounts& counts);

// The same, "of other builds of the kernels".
std::string OtherBuildsText(const RowCounts& counts);

// "", or a sentence with the count of rows that the filter lets through and
// that are of other builds of the kernels, so that no winner is among them.
absl::StatusOr<std::string> OtherBuildsNote(const Store& store,
                                            const Filter& filter);

// The fingerprint that --device means to a command that reads; empty for every
// device.
absl::StatusOr<std::string> FingerprintOf(const Options& options);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_COMMANDS_COMMANDS_H_
