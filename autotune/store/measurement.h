// What the store keeps of a timed candidate, and under which conditions it was
// taken. Fill one for every candidate that ran, well or badly.
//
//   Measurement m;
//   m.problem = problem; m.config = RecordOf(config); m.device = device;
//   m.policy = {L2State::kCold, LaunchMode::kGraph, /*busy_percent=*/0};
//   m.samples_ns = samples; m.noise = 0.005; Summarize(&m);
//   absl::Status stored = store->RecordMeasurement(m);
#ifndef TILETUNE_AUTOTUNE_STORE_MEASUREMENT_H_
#define TILETUNE_AUTOTUNE_STORE_MEASUREMENT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "kernels/config.h"
#include "kernels/device.h"
#include "kernels/launch_mode.h"
#include "kernels/problem.h"

namespace tiletune {

enum class L2State : uint8_t { kCold, kWarm };

// The conditions of a measurement; part of the key of a winner.
struct MeasurementPolicy {
  L2State l2 = L2State::kCold;
  LaunchMode launch = LaunchMode::kGraph;
  int32_t busy_percent = 0;  // of the SMs, held by another kernel: 0 to 99
};

bool operator==(const MeasurementPolicy& x, const MeasurementPolicy& y);

// "cold-graph-busy0"; what --policy takes.
std::string PolicyKey(const MeasurementPolicy& policy);
// InvalidArgument, with the forms there are, when malformed.
absl::StatusOr<MeasurementPolicy> ParsePolicy(std::string_view key);

// How far the search had come. Winners are chosen among the measurements of
// the furthest stage that a (device, problem, policy) has reached.
enum class Stage : uint8_t { kScreen, kFinal };

enum class Outcome : uint8_t {
  kOk,
  kWrong,        // the result was not the reference's
  kCrashed,      // the worker died or CUDA reported a sticky error
  kTimeout,      // the deadline passed
  kOutOfMemory,  // operands or workspace did not fit
  kUnstable,     // throttled or never quiet: timed, but not to be ranked
  kRefused,      // an error before launch
};

std::string_view Name(Stage stage);      // "screen", "final"
std::string_view Name(Outcome outcome);  // "ok", "wrong", "crashed", ...

// A config as it is stored: text that outlives the build that wrote it, and
// the columns that the tie rule sorts by.
struct ConfigRecord {
  std::string key;      // ConfigKey()
  std::string build;    // KernelVariant::build_fingerprint
  std::string variant;  // KernelVariant::name
  std::string supply;   // "static", "queue" or "clc"
  int32_t tile_m = 0, tile_n = 0, tile_k = 0;
  int32_t cluster_ctas = 1;  // cluster_m * cluster_n * cluster_k
  int32_t stages = 0;
  int32_t threads = 0;       // per CTA
  int32_t shared_bytes = 0;  // per CTA
  uint32_t swizzle_offset = 1;
  uint32_t swizzle_direction = 0;  // SwizzleDirection
  uint32_t split_k = 1;
};

// `config.variant` must not be null.
ConfigRecord RecordOf(const GemmConfig& config);

struct Measurement {
  std::string uid;  // 32 hex digits; empty: the store makes one
  GemmProblem problem;
  ConfigRecord config;
  DeviceFacts device;  // a modelled one is refused: see Prediction
  MeasurementPolicy policy;
  Stage stage = Stage::kScreen;
  Outcome outcome = Outcome::kOk;
  std::string detail;       // why the outcome is not kOk, in a sentence
  bool is_default = false;  // DefaultConfig() of the problem at the time

  std::vector<float> samples_ns;
  int64_t sample_count = 0;
  double median_ns = 0;
  double mean_ns = 0;
  double min_ns = 0;
  // Interquartile range of the samples over their median.
  double relative_spread = 0;
  // The tie width: two medians closer than this fraction are not told apart.
  double noise = 0;
  // Synchronised repeats that came out right. A dynamic supply (queue, clc)
  // never wins with fewer than kSoakRepeats of them.
  int64_t soak_repeats = 0;

  // While sampling; 0 when unknown.
  int32_t sm_clock_mhz = 0;
  int32_t memory_clock_mhz = 0;
  int32_t temperature_c = 0;
  int32_t power_limit_w = 0;
  bool power_capped = false;
  std::string input_kind = "normal";  // distribution of the operands

  std::string run_uid;
  int64_t recorded_at_us = 0;  // since the Unix epoch; 0: now
};

inline constexpr int64_t kSoakRepeats = 64;

// Fills sample_count, median, mean, min and relative_spread from samples_ns.
void Summarize(Measurement* measurement);

// What the cost model says of a config; never a measurement.
struct Prediction {
  GemmProblem problem;
  ConfigRecord config;
  DeviceFacts device;  // modelled or real
  std::string model;   // name and version of the cost model
  double predicted_ns = 0;
  bool is_default = false;
  int64_t recorded_at_us = 0;  // 0: now
};

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STORE_MEASUREMENT_H_
