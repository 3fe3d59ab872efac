// The database of measurements: one SQLite file. The tuner writes it; dispatch
// and people read it (docs/database.md has the tables and example SELECTs).
//
//   auto store = Store::Open(DefaultDatabasePath(), Store::Mode::kReadWrite);
//   measurement.uid = *(*store)->RecordStarted(attempt);
//   absl::Status ok = (*store)->RecordMeasurement(measurement);
//   const auto winners = (*store)->Winners({});
//   for (const WinnerRow& w : *winners) Print(w.config, w.gain);
//
// Every Record call is one committed transaction: what returned OK survives a
// kill -9. A row recorded without a time gets one later than those of the rows
// that it replaces, even where a clock was wrong. Many processes may write one
// file; waiting for one another is bounded (Options::patience). An object
// serves one thread at a time.
//
// Errors: InvalidArgument (an empty path), NotFound (no such file),
// FailedPrecondition (newer schema, no tiletune database, or no regular file),
// DataLoss (damaged, or moved away while it was open), Unavailable (locked past
// patience), PermissionDenied (not writable), DeadlineExceeded, Internal (any
// other SQLite error).
#ifndef TILETUNE_AUTOTUNE_STORE_STORE_H_
#define TILETUNE_AUTOTUNE_STORE_STORE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "autotune/store/measurement.h"
#include "autotune/store/rows.h"
#include "kernels/device.h"
#include "kernels/problem.h"

namespace tiletune {

class Connection;
class Row;
class RowClock;
struct Transfer;

// PRAGMA user_version of the files that this build writes.
int StoreSchemaVersion();

class Store {
 public:
  enum class Mode {
    kReadWrite,  // creates the file and its folders
    // Opens for writing where that is allowed, because only a writer can roll
    // back what a killed one left behind, and then only reads.
    kReadOnly,
    kImmutable,  // a shipped file that nobody writes: no locks at all
  };
  struct Options {
    // How long a call may wait for other writers before it is Unavailable.
    std::chrono::milliseconds patience{60000};
    // If positive: how long this object may read in all, from now; a damaged
    // file can lead a query in circles. DeadlineExceeded after that.
    std::chrono::milliseconds time_limit{0};
    // Called once for each wait of more than 2 s for another process.
    std::function<void()> on_long_wait;
  };

  static absl::StatusOr<std::unique_ptr<Store>> Open(const std::string& path,
                                                     Mode mode);
  static absl::StatusOr<std::unique_ptr<Store>> Open(const std::string& path,
                                                     Mode mode,
                                                     const Options& options);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  const std::string& path() const { return path_; }

  // --- Writing ---------------------------------------------------------------

  // Returns the run's uid (made here when empty).
  absl::StatusOr<std::string> StartRun(const Run& run);
  // Before a candidate runs. Returns the uid that its measurement must carry.
  absl::StatusOr<std::string> RecordStarted(const Attempt& attempt);
  // Also ends the attempt of the same uid. Recording a uid again is no error
  // and changes nothing. InvalidArgument for a modelled device, or kOk without
  // a positive finite median.
  absl::Status RecordMeasurement(const Measurement& measurement);
  absl::Status RecordPrediction(const Prediction& prediction);
  absl::Status RecordPredictions(const std::vector<Prediction>& predictions);
  // Bars a config (this build of it) from running or winning on this device:
  // for one problem, under one policy or, without one, under every policy. The
  // reason is a sentence.
  absl::Status Quarantine(
      const GemmProblem& problem, const ConfigRecord& config,
      const DeviceFacts& device, const std::string& reason,
      const std::optional<MeasurementPolicy>& policy = std::nullopt);
  // Ends an attempt that left no measurement. OK when there is none.
  absl::Status EndAttempt(const std::string& uid);
  // kStale: out of the ranking from now on. kSuspect: still ranked, but to be
  // measured again. Marks are never taken back; measure again instead.
  absl::Status MarkMeasurement(const std::string& uid, Mark mark,
                               const std::string& reason);
  struct Garbage {
    bool other_builds = false;  // also what OtherBuilds counts
    bool impossible = false;    // also what Impossible finds
  };
  // Drops stale measurements and what `garbage` says, and then rows that
  // nothing refers to. Returns how many measurements went.
  absl::StatusOr<int64_t> CollectGarbage(const Garbage& garbage);

  // --- Reading ---------------------------------------------------------------

  // From now on this object chooses winners among these builds of the
  // variants, and no others. Without, the newest measured build of each
  // variant counts, as in the view.
  absl::Status UseBuilds(const std::vector<VariantBuild>& builds);

  absl::StatusOr<std::vector<WinnerRow>> Winners(const Filter& filter) const;
  // The winners of one device, chosen among the configs whose key `allowed`
  // accepts (null: all of them): the view's rows, read some ten times as fast.
  absl::StatusOr<LaunchWinners> WinnersToLaunch(
      const std::string& device,
      const std::function<bool(const std::string& config_key)>& allowed =
          nullptr) const;
  // Everything the winners were chosen from, best place first.
  absl::StatusOr<std::vector<StandingRow>> Standings(
      const Filter& filter) const;
  absl::StatusOr<std::vector<PredictedRow>> PredictedWinners(
      const Filter& filter) const;
  absl::StatusOr<std::vector<DeviceRow>> Devices() const;
  // How many rows cannot win here whatever their times, as another build of
  // their variant is the current one, or none is; stale ones not included.
  // (They are sound: the program that has those kernels chooses among them.)
  absl::StatusOr<RowCounts> OtherBuilds(const Filter& filter) const;
  // Configs of the kernels of this program with rows that cannot be true.
  absl::StatusOr<std::vector<ImpossibleRow>> Impossible(
      const Filter& filter) const;
  // DataLoss where a table that others are merged from is missing.
  absl::Status CheckTables() const;
  // Measurements marked stale, of whichever build.
  absl::StatusOr<int64_t> StaleMeasurements() const;

  // All measurements of any build and outcome, oldest first.
  absl::StatusOr<std::vector<Measurement>> Measurements(
      const Filter& filter) const;
  absl::StatusOr<std::vector<Prediction>> Predictions(
      const Filter& filter) const;
  // Of a policy: what is barred under it, or under every one.
  absl::StatusOr<std::vector<QuarantineRow>> Quarantined(
      const Filter& filter) const;
  // Started, neither measured nor ended: what a killed tuner was at.
  absl::StatusOr<std::vector<Attempt>> UnfinishedAttempts(
      const Filter& filter) const;
  absl::StatusOr<std::vector<Run>> Runs() const;
  absl::StatusOr<std::vector<MarkRow>> Marks() const;

  // --- Moving rows between files (see also export.h) -------------------------

  // Adds what `other` has and this file has not, but for rows that cannot be
  // true. Commutative and idempotent: any order of merges, and any repetition,
  // gives the same winners.
  absl::StatusOr<TakenRows> Merge(const Store& other);

  // Of merge and import: one row of another file. To be called inside a
  // transaction. InvalidArgument where it is no row.
  absl::Status TakeOver(const Transfer& transfer, const Row& row,
                        TakenRows* taken);

  // Runs `body` inside one transaction: all of its Record calls, or none.
  absl::Status Transaction(const std::function<absl::Status()>& body);

  // OK, or DataLoss with what PRAGMA integrity_check found. Reads everything.
  absl::Status CheckIntegrity() const;

  // For export.cc and the tests of this folder.
  Connection* connection() const { return connection_.get(); }

 private:
  Store(std::string path, Mode mode, std::unique_ptr<Connection> connection);
  absl::Status Write(const Transfer& transfer, const Row& row);
  // The row in a transaction, timed now if `is_now`.
  absl::Status WriteNew(const Transfer& transfer, bool is_now, Row row);
  // In a transaction; returns how many measurements went.
  absl::StatusOr<int64_t> DropImpossible();

  std::string path_;
  Mode mode_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<RowClock> clock_;
};

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STORE_STORE_H_
