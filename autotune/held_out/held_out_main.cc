// held_out: see README.md.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "autotune/command_line/status_main.h"
#include "autotune/held_out/held_out.h"
#include "autotune/measure/noise.h"
#include "kernels/user_path.h"

ABSL_FLAG(std::string, tuned, "", "DB.pruned of autotune regret");
ABSL_FLAG(std::string, swept, "", "DB.oracle of autotune regret");
ABSL_FLAG(int, folds, 5, "into how many groups the shapes fall");
ABSL_FLAG(std::string, scratch, "held_out.db", "a file to overwrite");

namespace tiletune {
namespace {

void PrintSpread(const std::string& name, const std::vector<double>& losses,
                 size_t unknown) {
  const auto at = [&](int percent) {
    return 100 * Percentile(losses, percent);
  };
  std::printf(
      "%-10s %3zu shapes: loss median %.2f %%, 90th %.2f %%, worst %.2f %%; "
      "%zu not in the sweep\n",
      name.c_str(), losses.size() + unknown, at(50), at(90), at(100), unknown);
}

absl::Status Main() {
  if (absl::GetFlag(FLAGS_tuned).empty() ||
      absl::GetFlag(FLAGS_swept).empty()) {
    return absl::InvalidArgumentError("--tuned=DB and --swept=DB are needed");
  }
  const auto tuned =
      Store::Open(UserPath(absl::GetFlag(FLAGS_tuned)), Store::Mode::kReadOnly);
  if (!tuned.ok()) return tuned.status();
  const auto swept =
      Store::Open(UserPath(absl::GetFlag(FLAGS_swept)), Store::Mode::kReadOnly);
  if (!swept.ok()) return swept.status();
  const auto shapes = HoldOut(**tuned, **swept, absl::GetFlag(FLAGS_folds),
                              UserPath(absl::GetFlag(FLAGS_scratch)));
  if (!shapes.ok()) return shapes.status();
  std::map<std::string, std::vector<double>> losses;
  std::map<std::string, size_t> unknown;
  for (const HeldOutShape& s : *shapes) {
    for (const std::string& name : {s.source, std::string("all")}) {
      losses[name];
      if (s.loss.has_value()) losses[name].push_back(*s.loss);
      unknown[name] += s.loss.has_value() ? 0 : 1;
    }
    std::printf("%-32s %-9s %-56s %s\n", s.problem.c_str(), s.source.c_str(),
                s.config.c_str(),
                s.loss.has_value() ? std::to_string(100 * *s.loss).c_str()
                                   : "not in the sweep");
  }
  for (const auto& [name, of_name] : losses) {
    PrintSpread(name, of_name, unknown[name]);
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace tiletune

int main(int argc, char** argv) {
  return tiletune::StatusMain(argc, argv, tiletune::Main);
}
