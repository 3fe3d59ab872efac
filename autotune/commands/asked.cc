#include "autotune/commands/asked.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "autotune/command_line/problems.h"
#include "autotune/commands/commands.h"

namespace tiletune {

absl::StatusOr<Asked> OpenAsked(const Options& options, Problems problems) {
  Asked asked;
  if (problems == Problems::kNeeded) {
    if (options.shapes.empty() && options.problems.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          options.command, " needs a --shape=MxNxK or a --problem=KEY"));
    }
    absl::StatusOr<std::vector<GemmProblem>> named = ProblemsOf(options);
    if (!named.ok()) return named.status();
    asked.problems = *std::move(named);
  }
  absl::StatusOr<std::vector<MeasurementPolicy>> policies = PoliciesOf(options);
  if (!policies.ok()) return policies.status();
  asked.policies = *std::move(policies);
  absl::StatusOr<std::string> device = FingerprintOf(options);
  if (!device.ok()) return device.status();
  asked.device = *std::move(device);
  absl::StatusOr<std::unique_ptr<Store>> store =
      OpenStore(options, Store::Mode::kReadOnly);
  if (!store.ok()) return store.status();
  asked.store = *std::move(store);
  return asked;
}

absl::StatusOr<AskedToTime> OpenToTime(const Options& options) {
  absl::StatusOr<std::vector<GemmProblem>> problems = ProblemsOf(options);
  if (!problems.ok()) return problems.status();
  absl::StatusOr<std::vector<MeasurementPolicy>> policies = PoliciesOf(options);
  if (!policies.ok()) return policies.status();
  absl::StatusOr<Session> session = OpenTimingSession(options);
  if (!session.ok()) return session.status();
  return AskedToTime{*std::move(problems), *std::move(policies),
                     *std::move(session)};
}

Filter FilterOf(const Asked& asked, const GemmProblem& problem) {
  Filter filter;
  filter.device = asked.device;
  filter.problem = ProblemKey(problem);
  return filter;
}

namespace {

// As a shell of POSIX takes it for one word.
std::string Quoted(const std::string& word) {
  const auto is_plain = [](unsigned char c) {
    return absl::ascii_isalnum(c) || absl::StrContains("_-./:,=+", c);
  };
  if (std::all_of(word.begin(), word.end(), is_plain)) return word;
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

}  // namespace

std::string TuneCommand(const Filter& filter, const Options& options) {
  std::string command =
      absl::StrCat("autotune tune --problem=", Quoted(filter.problem));
  for (const std::string& policy : options.policies) {
    absl::StrAppend(&command, " --policy=", policy);
  }
  // A fingerprint is one to read only.
  if (options.device.rfind("model:", 0) == 0 ||
      options.device.rfind("cuda:", 0) == 0) {
    absl::StrAppend(&command, " --device=", options.device);
  }
  if (!options.db.empty()) {
    absl::StrAppend(&command, " --db=", Quoted(options.db));
  }
  return command;
}

}  // namespace tiletune
