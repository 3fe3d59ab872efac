// The time that a new row carries, on machines whose clocks were wrong once.
// For the files of this folder only.
//
//   RowClock clock(&connection);
//   // inside a transaction:
//   absl::StatusOr<int64_t> at = clock.TimeOfNew(kMeasurements, row);
//   measurement.recorded_at_us = *at;
#ifndef TILETUNE_AUTOTUNE_STORE_ROW_CLOCK_H_
#define TILETUNE_AUTOTUNE_STORE_ROW_CLOCK_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "autotune/store/connection.h"
#include "autotune/store/row.h"
#include "autotune/store/transfer.h"

namespace tiletune {

// A century: no row that comes from elsewhere may be dated further ahead than
// this. Clocks that are wrong show the next one at most, and the rows that
// replace such a row, later by a microsecond each, are taken elsewhere too, as
// now goes on.
inline constexpr int64_t kMostAheadMicros =
    int64_t{36525} * 24 * 3600 * 1'000'000;

// The newest row of a config, the newest build of a kernel and the newest cost
// model count (docs/database.md, "Who wins"): so a row taken now has to be
// newer than those it replaces, even if their times lie in the future. Rows
// that a merge or an import moves keep the times they have.
class RowClock {
 public:
  explicit RowClock(Connection* db) : db_(db) {}

  // Microseconds since the Unix epoch: now, but later than every row of the
  // same device, problem and (of measurements) config, and than every row of
  // the same kernel that this object has met.
  absl::StatusOr<int64_t> TimeOfNew(const Transfer& transfer, const Row& row);

  // To be called when rows came in that are not new.
  void Forget() { is_read_ = false; }

 private:
  absl::Status ReadVariants();

  Connection* const db_;
  bool is_read_ = false;
  std::map<std::string, int64_t> newest_;  // by variant
};

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STORE_ROW_CLOCK_H_
