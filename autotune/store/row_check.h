// Whether a row can be true: what an import or a merge asks of rows that this
// program did not write. For the files of this folder only.
//
//   const absl::Status status = CheckRow(kMeasurements, row);
//   if (absl::IsFailedPrecondition(status)) LeaveOut(row, status.message());
//   if (absl::IsInvalidArgument(status)) Refuse(line, status.message());
#ifndef TILETUNE_AUTOTUNE_STORE_ROW_CHECK_H_
#define TILETUNE_AUTOTUNE_STORE_ROW_CHECK_H_

#include <string>

#include "absl/status/status.h"
#include "autotune/store/row.h"
#include "autotune/store/transfer.h"
#include "kernels/device.h"

namespace tiletune {

// What a row says ran, or would.
struct RowClaim {
  std::string problem;  // ProblemKey()
  std::string config;   // ConfigKey()
  std::string build;    // fingerprint of the kernel's sources
  std::string variant;  // the kernel's name
  std::string supply;   // "static", "queue" or "clc"
  DeviceFacts device;
};

// Reads the columns of those names, and those of the table devices.
RowClaim ClaimOf(const Row& row);

// OK for every build but those of this program, of which alone it knows what
// they can run. FailedPrecondition with a sentence where the config's text does
// not parse, names another kernel or supply than the row, or is not legal for
// the problem on the device.
absl::Status CheckClaim(const RowClaim& claim);

// CheckClaim of a prediction or of a measurement that is ok, and
// InvalidArgument where one has a time that no kernel takes or no clock shows.
// A row that lacks a column is OK: writing it says so better.
absl::Status CheckRow(const Transfer& transfer, const Row& row);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STORE_ROW_CHECK_H_
