// The rows that a Store takes and returns besides measurements.
//
//   Filter mine;
//   mine.device = device.Fingerprint();
//   const auto standings = store->Standings(mine);
//   for (const StandingRow& s : *standings)
//     printf("%d. %s %.0f ns\n", s.place, s.config.c_str(), s.median_ns);
#ifndef TILETUNE_AUTOTUNE_STORE_ROWS_H_
#define TILETUNE_AUTOTUNE_STORE_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "autotune/store/measurement.h"
#include "kernels/device.h"
#include "kernels/problem.h"

namespace tiletune {

// One invocation of the tuner. The provenance of its measurements.
struct Run {
  std::string uid;
  std::string host;
  std::string command;
  std::string tool_version;
  int64_t started_at_us = 0;  // 0: now
};

// A candidate that is about to run.
struct Attempt {
  std::string uid;  // empty: the store makes one
  GemmProblem problem;
  ConfigRecord config;
  DeviceFacts device;
  MeasurementPolicy policy;
  std::string run_uid;
  int64_t started_at_us = 0;  // 0: now
};

enum class Mark : uint8_t { kSuspect, kStale };

struct MarkRow {
  std::string measurement_uid;
  Mark mark = Mark::kSuspect;
  std::string reason;
};

// A build of a variant: KernelVariant::name and build_fingerprint.
struct VariantBuild {
  std::string variant;
  std::string build;
};

// Empty fields let everything through.
struct Filter {
  std::string device;   // DeviceFacts::Fingerprint()
  std::string problem;  // ProblemKey()
  std::optional<MeasurementPolicy> policy;
  std::string run_uid;  // of measurements and attempts
};

// A row of the view `winners`: the config to launch.
struct WinnerRow {
  std::string device;
  std::string problem;
  MeasurementPolicy policy;
  std::string config;
  std::string build;
  double median_ns = 0;
  double noise = 0;
  double best_ns = 0;                // the lowest median, of whichever config
  std::optional<double> default_ns;  // when the default config was ranked
  std::optional<double> gain;        // default_ns / median_ns
  int64_t ties = 0;        // configs in the tie set, the winner included
  int64_t candidates = 0;  // configs ranked
  std::string driver;
  bool suspect = false;
  std::string measurement_uid;
  int64_t recorded_at_us = 0;
};

// What dispatch needs of the winners of one device, and no more.
struct LaunchWinners {
  struct Config {
    std::string key;
    std::string build;
  };
  struct Row {
    std::string problem;
    MeasurementPolicy policy;
    size_t config = 0;  // in `configs`
    double median_ns = 0;
  };
  std::vector<Config> configs;  // those that the rows name
  std::vector<Row> rows;        // the policies of a problem in the view's order
};

// A row of the view `standings`: one ranked config.
struct StandingRow {
  std::string device;
  std::string problem;
  MeasurementPolicy policy;
  std::string config;
  std::string build;
  int64_t place = 0;  // 1: the winner
  bool tied = false;  // cannot be told from the fastest
  bool is_default = false;
  double median_ns = 0;
  double noise = 0;
  int64_t sample_count = 0;
  std::string measurement_uid;
};

// A row of the view `predicted_winners`.
struct PredictedRow {
  std::string device;
  std::string problem;
  std::string config;
  std::string build;
  std::string model;
  double predicted_ns = 0;
  std::optional<double> default_ns;  // predicted
};

struct QuarantineRow {
  std::string device;
  std::string problem;
  std::string config;
  std::string build;
  // Under which it is barred; under every one where there is none.
  std::optional<MeasurementPolicy> policy;
  std::string reason;
  int64_t recorded_at_us = 0;
};

// What an import or a merge did with the rows of another file.
struct TakenRows {
  int64_t read = 0;     // taken, or here already
  int64_t skipped = 0;  // of a kind or a problem that this build does not know
  // That cannot be true: they name a kernel of this program, and a config that
  // it cannot run.
  int64_t impossible = 0;
  std::string first_impossible;  // why, in a sentence
};

// A config that cannot have run a problem on a device, and yet has rows (see
// TakenRows::impossible).
struct ImpossibleRow {
  std::string device;
  std::string problem;
  std::string config;
  std::string build;
  std::string reason;
  bool is_prediction = false;  // else of measurements that are ok
  int64_t rows = 0;
};

struct RowCounts {
  int64_t measurements = 0;  // of any outcome
  int64_t predictions = 0;
};

struct DeviceRow {
  DeviceFacts facts;
  std::string fingerprint;
  int64_t measurements = 0;
  int64_t predictions = 0;
  int64_t problems = 0;  // measured
};

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STORE_ROWS_H_
