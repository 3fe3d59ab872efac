// The queries of Store; everything else of it is in store.cc.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autotune/store/connection.h"
#include "autotune/store/convert.h"
#include "autotune/store/store.h"
#include "autotune/store/transfer.h"

namespace tiletune {
namespace {

// The rows of `select` (FROM a view) that the filter lets through.
template <typename Out>
absl::StatusOr<std::vector<Out>> ReadView(Connection* db, const char* select,
                                          const char* order, bool has_policy,
                                          const Filter& filter,
                                          Out (*convert)(const Row&)) {
  const std::string sql =
      absl::StrCat(select,
                   Where(filter, "device", "problem", "", has_policy,
                         /*run_column=*/""),
                   order);
  absl::StatusOr<Statement> rows = db->Prepare(sql.c_str());
  if (!rows.ok()) return rows.status();
  rows->Bind(filter.device, filter.problem, filter.run_uid);
  std::vector<Out> out;
  while (true) {
    absl::StatusOr<bool> more = rows->Step();
    if (!more.ok()) return more.status();
    if (!*more) return out;
    out.push_back(convert(rows->CurrentRow()));
  }
}

std::optional<double> Optional(const Row& row, std::string_view column) {
  const Value* value = row.Find(column);
  if (value == nullptr || std::holds_alternative<std::monostate>(*value)) {
    return std::nullopt;
  }
  return row.Real(column);
}

WinnerRow WinnerFrom(const Row& row) {
  WinnerRow winner;
  winner.device = row.Text("device");
  winner.problem = row.Text("problem");
  winner.policy = PolicyFrom(row);
  winner.config = row.Text("config");
  winner.build = row.Text("build");
  winner.median_ns = row.Real("median_ns");
  winner.noise = row.Real("noise");
  winner.best_ns = row.Real("best_ns");
  winner.default_ns = Optional(row, "default_ns");
  winner.gain = Optional(row, "gain");
  winner.ties = row.Integer("ties");
  winner.candidates = row.Integer("candidates");
  winner.driver = row.Text("driver");
  winner.suspect = row.Integer("suspect") != 0;
  winner.measurement_uid = row.Text("measurement_uid");
  winner.recorded_at_us = row.Integer("recorded_at_us");
  return winner;
}

StandingRow StandingFrom(const Row& row) {
  StandingRow standing;
  standing.device = row.Text("device");
  standing.problem = row.Text("problem");
  standing.policy = PolicyFrom(row);
  standing.config = row.Text("config");
  standing.build = row.Text("build");
  standing.place = row.Integer("place");
  standing.tied = row.Integer("tied") != 0;
  standing.is_default = row.Integer("is_default") != 0;
  standing.median_ns = row.Real("median_ns");
  standing.noise = row.Real("noise");
  standing.sample_count = row.Integer("sample_count");
  standing.measurement_uid = row.Text("measurement_uid");
  return standing;
}

PredictedRow PredictedFrom(const Row& row) {
  PredictedRow predicted;
  predicted.device = row.Text("device");
  predicted.problem = row.Text("problem");
  predicted.config = row.Text("config");
  predicted.build = row.Text("build");
  predicted.model = row.Text("model");
  predicted.predicted_ns = row.Real("predicted_ns");
  predicted.default_ns = Optional(row, "default_ns");
  return predicted;
}

DeviceRow DeviceRowFrom(const Row& row) {
  DeviceRow device;
  device.facts = DeviceFrom(row);
  device.fingerprint = row.Text("device");
  device.measurements = row.Integer("measurements");
  device.predictions = row.Integer("predictions");
  device.problems = row.Integer("problems");
  return device;
}

// The rows of a table that convert. A row whose problem this build cannot
// parse is not one it could tune or launch, and a policy that it cannot parse
// not one under which it does: they are left out.
template <typename Out>
absl::StatusOr<std::vector<Out>> ReadTable(
    Connection* db, const Transfer& transfer, const Filter& filter,
    absl::StatusOr<Out> (*convert)(const Row&)) {
  std::vector<Out> out;
  absl::Status status =
      ReadRows(db, transfer, filter, [&](const Row& row) -> absl::Status {
        absl::StatusOr<Out> converted = convert(row);
        if (converted.ok()) out.push_back(*std::move(converted));
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return out;
}

// The rows of a table, all of which convert.
template <typename Out>
absl::StatusOr<std::vector<Out>> ReadWholeTable(Connection* db,
                                                const Transfer& transfer,
                                                const Filter& filter,
                                                Out (*convert)(const Row&)) {
  std::vector<Out> out;
  absl::Status status = ReadRows(db, transfer, filter, [&](const Row& row) {
    out.push_back(convert(row));
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return out;
}

}  // namespace

absl::StatusOr<std::vector<WinnerRow>> Store::Winners(
    const Filter& filter) const {
  return ReadView(connection_.get(),
                  "SELECT device, problem, l2, launch, busy_percent, config, "
                  "build, median_ns, noise, best_ns, default_ns, gain, ties, "
                  "candidates, driver, suspect, measurement_uid, "
                  "recorded_at_us FROM winners",
                  " ORDER BY device, problem, l2, launch, busy_percent", true,
                  filter, &WinnerFrom);
}

absl::StatusOr<std::vector<StandingRow>> Store::Standings(
    const Filter& filter) const {
  return ReadView(connection_.get(), "SELECT * FROM standings",
                  " ORDER BY device, problem, l2, launch, busy_percent, place",
                  true, filter, &StandingFrom);
}

absl::StatusOr<std::vector<PredictedRow>> Store::PredictedWinners(
    const Filter& filter) const {
  return ReadView(connection_.get(), "SELECT * FROM predicted_winners",
                  " ORDER BY device, problem", false, filter, &PredictedFrom);
}

absl::StatusOr<std::vector<DeviceRow>> Store::Devices() const {
  return ReadView(connection_.get(),
                  "SELECT d.*, d.fingerprint AS device, d.name AS device_name,"
                  " (SELECT count(*) FROM measurements WHERE device_id = d.id)"
                  "   AS measurements,"
                  " (SELECT count(*) FROM predictions WHERE device_id = d.id)"
                  "   AS predictions,"
                  " (SELECT count(DISTINCT problem_id) FROM measurements"
                  "   WHERE device_id = d.id) AS problems"
                  " FROM devices AS d",
                  " ORDER BY d.fingerprint", false, Filter(), &DeviceRowFrom);
}

absl::StatusOr<std::vector<Measurement>> Store::Measurements(
    const Filter& filter) const {
  return ReadTable(connection_.get(), kMeasurements, filter, &MeasurementFrom);
}

absl::StatusOr<std::vector<Prediction>> Store::Predictions(
    const Filter& filter) const {
  return ReadTable(connection_.get(), kPredictions, filter, &PredictionFrom);
}

absl::StatusOr<std::vector<Attempt>> Store::UnfinishedAttempts(
    const Filter& filter) const {
  return ReadTable(connection_.get(), kAttempts, filter, &AttemptFrom);
}

absl::StatusOr<std::vector<QuarantineRow>> Store::Quarantined(
    const Filter& filter) const {
  absl::StatusOr<std::vector<QuarantineRow>> rows =
      ReadTable(connection_.get(), kQuarantine, filter, &QuarantineFrom);
  if (!rows.ok() || !filter.policy.has_value()) return rows;
  const auto bars_elsewhere = [&filter](const QuarantineRow& row) {
    return row.policy.has_value() && !(*row.policy == *filter.policy);
  };
  rows->erase(std::remove_if(rows->begin(), rows->end(), bars_elsewhere),
              rows->end());
  return rows;
}

absl::StatusOr<std::vector<Run>> Store::Runs() const {
  return ReadWholeTable(connection_.get(), kRuns, Filter(), &RunFrom);
}

absl::StatusOr<std::vector<MarkRow>> Store::Marks() const {
  return ReadWholeTable(connection_.get(), kMarks, Filter(), &MarkFrom);
}

}  // namespace tiletune
