// autotune calibrate: the cost model's parameters, fitted to a database.
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autotune/commands/commands.h"
#include "autotune/commands/output_file.h"
#include "autotune/commands/text_table.h"
#include "autotune/study/calibration.h"
#include "kernels/user_path.h"

namespace tiletune {
namespace {

// Fewer problems than this cannot hold anything out.
constexpr size_t kLeastProblems = 8;
constexpr int kFolds = 4;

std::string Percent(double fraction) {
  return absl::StrFormat("%.2f %%", 100 * fraction);
}

void Add(const char* name, const ModelFit& fit, TextTable* table) {
  table->Add({name, absl::StrCat(fit.problems), absl::StrCat(fit.configs),
              Percent(fit.median_error), Percent(fit.p90_error),
              absl::StrFormat("%.2f", fit.rank_correlation),
              Percent(fit.median_loss), Percent(fit.p90_loss),
              Percent(fit.median_loss_of_8), Percent(fit.p90_loss_of_8),
              Percent(fit.worst_loss_of_8)});
}

// The form of the table in kernels/cost_model/cost_parameters.cc.
std::string TableOf(const CostParameters& parameters) {
  std::string text = "{\n";
  for (const CostParameterField& field : CostParameterFields()) {
    absl::StrAppend(&text, absl::StrFormat("    /*%s=*/%.4g,\n", field.name,
                                           parameters.*field.value));
  }
  return text + "};\n";
}

// The one measured device of the database, or the one that --device names.
absl::StatusOr<DeviceFacts> DeviceIn(const Store& store,
                                     const std::string& fingerprint) {
  const absl::StatusOr<std::vector<DeviceRow>> rows = store.Devices();
  if (!rows.ok()) return rows.status();
  std::vector<DeviceFacts> measured;
  for (const DeviceRow& row : *rows) {
    if (row.measurements == 0) continue;
    if (fingerprint.empty() || row.fingerprint == fingerprint) {
      measured.push_back(row.facts);
    }
  }
  if (measured.empty()) {
    return absl::NotFoundError(
        absl::StrCat("no device", fingerprint.empty() ? "" : " " + fingerprint,
                     " has measurements in ", store.path()));
  }
  if (measured.size() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("several devices have measurements in ", store.path(),
                     "; name one with --device, for example --device='",
                     measured.front().Fingerprint(), "'"));
  }
  return measured.front();
}

absl::StatusOr<std::vector<Measurement>> MeasurementsFor(
    const Options& options, const Store& store, const DeviceFacts& device) {
  const absl::StatusOr<std::vector<MeasurementPolicy>> policies =
      PoliciesOf(options);
  if (!policies.ok()) return policies.status();
  if (policies->size() != 1) {
    return absl::InvalidArgumentError("calibrate takes one --policy");
  }
  Filter filter;
  filter.device = device.Fingerprint();
  filter.policy = policies->front();
  return store.Measurements(filter);
}

absl::Status Calibrate(const Options& options) {
  const absl::StatusOr<std::string> fingerprint = FingerprintOf(options);
  if (!fingerprint.ok()) return fingerprint.status();
  const auto store = OpenStore(options, Store::Mode::kReadOnly);
  if (!store.ok()) return store.status();
  const absl::StatusOr<DeviceFacts> device = DeviceIn(**store, *fingerprint);
  if (!device.ok()) return device.status();
  const absl::StatusOr<std::vector<Measurement>> measurements =
      MeasurementsFor(options, **store, *device);
  if (!measurements.ok()) return measurements.status();
  const Calibration calibration(TimedProblems(*measurements), *device);
  if (calibration.problems() < kLeastProblems) {
    return absl::FailedPreconditionError(absl::StrCat(
        "only ", calibration.problems(), " problems were measured on ",
        device->Fingerprint(), "; a fit needs ", kLeastProblems));
  }

  const CostParameters& before = ParametersOf(*device);
  const CostParameters fitted = calibration.Fit(before);
  TextTable table({"parameters", "shapes", "configs", "error", "p90",
                   "rank corr.", "first", "p90", "of 8", "p90", "worst"});
  Add("before", calibration.FitOf(before), &table);
  Add("fitted", calibration.FitOf(fitted), &table);
  Add("held out", calibration.HeldOutFit(before, kFolds), &table);
  std::printf(
      "%s\n%s\n"
      "error: of predicted times. first, of 8: how much slower than the best\n"
      "measured config the model's first choice is, and the best of its first\n"
      "eight, among what was measured. Medians over shapes. held out: each\n"
      "quarter of the shapes by parameters fitted to the other three.\n\n",
      device->Fingerprint().c_str(), table.ToString().c_str());
  const std::string parameters = TableOf(fitted);
  if (options.output.empty()) {
    std::fputs(parameters.c_str(), stdout);
    return absl::OkStatus();
  }
  const std::string path = UserPath(options.output);
  absl::StatusOr<std::ofstream> file = OpenOutput(path);
  if (!file.ok()) return file.status();
  *file << parameters;
  return CloseOutput(path, &*file);
}

}  // namespace

int RunCalibrate(const Options& options) {
  const absl::Status status = Calibrate(options);
  return status.ok() ? 0 : Fail(status);
}

}  // namespace tiletune
