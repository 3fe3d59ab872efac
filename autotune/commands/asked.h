// What a command is asked: which problems and conditions, of which device, and,
// of one that reads, in which database.
//
//   absl::StatusOr<Asked> asked = OpenAsked(options, Problems::kNeeded);
//   if (!asked.ok()) return Fail(asked.status());
//   for (const GemmProblem& p : asked->problems)
//     Show(*asked->store, FilterOf(*asked, p));
#ifndef TILETUNE_AUTOTUNE_COMMANDS_ASKED_H_
#define TILETUNE_AUTOTUNE_COMMANDS_ASKED_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "autotune/command_line/options.h"
#include "autotune/commands/session.h"
#include "autotune/store/store.h"
#include "kernels/problem.h"

namespace tiletune {

struct Asked {
  std::vector<GemmProblem> problems;
  std::vector<MeasurementPolicy> policies;  // the default one if none is given
  std::string device;                       // a fingerprint; empty: every one
  std::unique_ptr<Store> store;
};

// kNeeded: at least a --shape or a --problem. kEvery: all that are stored.
enum class Problems { kNeeded, kEvery };

// InvalidArgument where a flag is wrong, else errors of FindTarget and of
// Store::Open.
absl::StatusOr<Asked> OpenAsked(const Options& options, Problems problems);

// What a command that times, and has to, is asked.
struct AskedToTime {
  std::vector<GemmProblem> problems;
  std::vector<MeasurementPolicy> policies;
  Session session;
};

// InvalidArgument where a flag is wrong, else errors of OpenTimingSession.
absl::StatusOr<AskedToTime> OpenToTime(const Options& options);

// Lets the rows of that problem through, on the device that is asked for.
Filter FilterOf(const Asked& asked, const GemmProblem& problem);

// The command that would tune the problem of `filter` as `options` have it.
std::string TuneCommand(const Filter& filter, const Options& options);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_COMMANDS_ASKED_H_
