// How each kind of row is read from and written to a database: the SQL that
// recording, merging, export and import share. For this folder only.
//
//   absl::Status seen = ReadRows(&from, kMeasurements, "", [&](const Row& r) {
//     return WriteRow(&to, kMeasurements, r);
//   });
//   // merge is this, for every kind in kShared
#ifndef TILETUNE_AUTOTUNE_STORE_TRANSFER_H_
#define TILETUNE_AUTOTUNE_STORE_TRANSFER_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "autotune/store/connection.h"
#include "autotune/store/row.h"
#include "autotune/store/rows.h"

namespace tiletune {

// A kind of row. Selected rows are self-contained: they bring the columns of
// their device, problem and config along, so that a row means the same in any
// file. Writing a row that is there already changes nothing; where two rows
// differ in what is no key, the same one wins in whichever order they come.
struct Transfer {
  const char* kind;    // "measurement", ...
  const char* select;  // up to FROM and joins: m, d, p and c are the tables
  const char* order;   // a total order that does not depend on row ids
  bool has_device_problem_config;
  const char* insert;  // :named parameters are the selected columns
};

extern const Transfer kRuns;
extern const Transfer kMeasurements;
extern const Transfer kPredictions;
extern const Transfer kQuarantine;
extern const Transfer kMarks;
extern const Transfer kAttempts;  // of one machine: never merged

// What a merge or an export moves, in order.
inline constexpr int kSharedCount = 5;
extern const Transfer* const kShared[kSharedCount];

// Calls `use` for every row that the filter lets through. Fields of the filter
// that the kind does not have are ignored.
absl::Status ReadRows(Connection* db, const Transfer& transfer,
                      const Filter& filter,
                      const std::function<absl::Status(const Row&)>& use);

// To be called inside a transaction.
absl::Status WriteRow(Connection* db, const Transfer& transfer, const Row& row);

// " WHERE ..." for the fields that are set; ?1, ?2 and ?3 are the device, the
// problem and the run. An empty column name ignores its field.
std::string Where(const Filter& filter, const std::string& device_column,
                  const std::string& problem_column,
                  const std::string& policy_prefix, bool has_policy,
                  const std::string& run_column);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STORE_TRANSFER_H_
