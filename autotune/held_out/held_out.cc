#include "autotune/held_out/held_out.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "dispatch/tuned_gemm.h"
#include "kernels/config.h"

namespace tiletune {
namespace {

// Config key -> time, of one problem's sweep.
using Times = std::map<std::string, double>;

absl::StatusOr<std::map<std::string, Times>> SweptTimes(const Store& swept) {
  const absl::StatusOr<std::vector<Measurement>> rows = swept.Measurements({});
  if (!rows.ok()) return rows.status();
  std::map<std::string, Times> times;
  for (const Measurement& m : *rows) {
    // The sweep alone: the final is of its best, and of another moment.
    if (m.stage != Stage::kScreen || m.outcome != Outcome::kOk) continue;
    times[ProblemKey(m.problem)][m.config.key] = m.median_ns;
  }
  return times;
}

// The measurements of all problems of `groups` but those of group `hidden`.
absl::Status WriteFold(const std::vector<Measurement>& rows,
                       const std::map<std::string, int>& groups, int hidden,
                       const std::string& path) {
  std::remove(path.c_str());
  const absl::StatusOr<std::unique_ptr<Store>> fold =
      Store::Open(path, Store::Mode::kReadWrite);
  if (!fold.ok()) return fold.status();
  return (*fold)->Transaction([&]() -> absl::Status {
    for (const Measurement& m : rows) {
      const auto group = groups.find(ProblemKey(m.problem));
      if (group == groups.end() || group->second == hidden) continue;
      const absl::Status status = (*fold)->RecordMeasurement(m);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<HeldOutShape> Ask(TunedGemm* gemm, const GemmProblem& problem,
                                 const Times& times) {
  const absl::StatusOr<Choice> choice = gemm->Choose(problem);
  if (!choice.ok()) return choice.status();
  HeldOutShape shape;
  shape.problem = ProblemKey(problem);
  shape.source = Name(choice->why);
  shape.config = ConfigKey(choice->config);
  double best = std::numeric_limits<double>::infinity();
  for (const auto& [config, ns] : times) best = std::min(best, ns);
  const auto found = times.find(shape.config);
  if (found != times.end()) shape.loss = found->second / best - 1;
  return shape;
}

}  // namespace

absl::StatusOr<std::vector<HeldOutShape>> HoldOut(const Store& tuned,
                                                  const Store& swept, int folds,
                                                  const std::string& scratch) {
  const absl::StatusOr<std::map<std::string, Times>> times = SweptTimes(swept);
  if (!times.ok()) return times.status();
  const absl::StatusOr<std::vector<Measurement>> rows = tuned.Measurements({});
  if (!rows.ok()) return rows.status();
  const absl::StatusOr<std::vector<DeviceRow>> devices = tuned.Devices();
  if (!devices.ok()) return devices.status();
  if (devices->size() != 1) {
    return absl::FailedPreconditionError("not exactly one device was tuned");
  }
  // Groups by turns through the problems in the order of their names.
  std::map<std::string, GemmProblem> problems;
  for (const Measurement& m : *rows) {
    const std::string key = ProblemKey(m.problem);
    if (times->count(key) != 0) problems.emplace(key, m.problem);
  }
  std::map<std::string, int> groups;
  for (const auto& [key, problem] : problems) {
    const int next = static_cast<int>(groups.size());
    groups[key] = next % folds;
  }
  std::vector<HeldOutShape> shapes;
  for (int fold = 0; fold < folds; ++fold) {
    const absl::Status written = WriteFold(*rows, groups, fold, scratch);
    if (!written.ok()) return written;
    TunedGemmOptions options;
    options.user_database = scratch;
    options.system_database = "";
    options.device = devices->front().facts;
    options.shape_log = "";
    absl::StatusOr<std::unique_ptr<TunedGemm>> gemm =
        TunedGemm::Open(std::move(options));
    if (!gemm.ok()) return gemm.status();
    for (const auto& [key, group] : groups) {
      if (group != fold) continue;
      absl::StatusOr<HeldOutShape> shape =
          Ask(gemm->get(), problems.at(key), times->at(key));
      if (!shape.ok()) return shape.status();
      shapes.push_back(*std::move(shape));
    }
  }
  return shapes;
}

}  // namespace tiletune
