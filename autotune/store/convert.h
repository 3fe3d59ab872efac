// Structs to rows and back. For the files of this folder only.
//
//   Row row = ToRow(measurement);
//   absl::StatusOr<Measurement> same = MeasurementFrom(row);
//   // A row has the columns that transfer.h selects.
//   // Errors: InvalidArgument when the problem's key does not parse.
#ifndef TILETUNE_AUTOTUNE_STORE_CONVERT_H_
#define TILETUNE_AUTOTUNE_STORE_CONVERT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "autotune/store/measurement.h"
#include "autotune/store/row.h"
#include "autotune/store/rows.h"

namespace tiletune {

Row ToRow(const Measurement& measurement);
Row ToRow(const Prediction& prediction);
Row ToRow(const Attempt& attempt);
Row ToRow(const Run& run);
Row QuarantineToRow(const GemmProblem& problem, const ConfigRecord& config,
                    const DeviceFacts& device, const std::string& reason,
                    const std::optional<MeasurementPolicy>& policy);

absl::StatusOr<Measurement> MeasurementFrom(const Row& row);
absl::StatusOr<Prediction> PredictionFrom(const Row& row);
absl::StatusOr<Attempt> AttemptFrom(const Row& row);
Run RunFrom(const Row& row);
absl::StatusOr<QuarantineRow> QuarantineFrom(const Row& row);
MarkRow MarkFrom(const Row& row);
// Reads the columns l2, launch and busy_percent.
MeasurementPolicy PolicyFrom(const Row& row);
// Reads the columns of the table devices.
DeviceFacts DeviceFrom(const Row& row);

std::string_view Name(Mark mark);  // "suspect", "stale"
int64_t NowMicros();               // since the Unix epoch

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STORE_CONVERT_H_
