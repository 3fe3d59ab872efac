// A bench: something that runs candidates of one problem and times them. The
// search sees nothing else, so it works alike over a GPU, a worker process
// that holds one, and a fake device in tests.
//
//   bench->Prepare(problem, policy);
//   if (bench->Check(config, /*repeats=*/1).outcome == Outcome::kOk) {
//     Trial t = bench->Time({config, Stage::kScreen, /*first=*/0,
//     /*count=*/3}); Use(t.samples_ns);
//   }
#ifndef TILETUNE_AUTOTUNE_MEASURE_BENCH_H_
#define TILETUNE_AUTOTUNE_MEASURE_BENCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "autotune/store/measurement.h"
#include "kernels/config.h"
#include "kernels/device.h"
#include "kernels/problem.h"

namespace tiletune {

// What the device was like while it was sampled; 0: not known.
struct Conditions {
  int32_t sm_clock_mhz = 0;
  int32_t memory_clock_mhz = 0;
  int32_t temperature_c = 0;
  int32_t power_limit_w = 0;
  bool power_capped = false;
};

// What came of one request.
struct Trial {
  Outcome outcome = Outcome::kOk;
  std::string detail;              // why not kOk, in a sentence
  std::vector<double> samples_ns;  // of Time: one launch each, as asked
  Conditions conditions;

  bool ok() const { return outcome == Outcome::kOk; }
};

struct TimeRequest {
  GemmConfig config;
  Stage stage = Stage::kScreen;
  // How many samples of this config and stage were taken before. A real device
  // does not care; a fake one repeats itself by it. Negative: of a warm-up.
  int first = 0;
  int count = 0;
  // Another instance of the same config: with a graph of its own, as if it were
  // another kernel. For A/A tests.
  int instance = 0;
  // Which operands: other placements lie elsewhere in the device's memory. The
  // ones of 0 if there is no memory for more.
  int placement = 0;
};

// One device as a bench sees it.
struct BenchDevice {
  DeviceFacts facts;
  // Names the silicon for the lock between tuners: the PCI bus id.
  std::string lock_name;
};

class Bench {
 public:
  virtual ~Bench() = default;

  // The devices this bench could open; empty with no error when there is none.
  virtual absl::StatusOr<std::vector<BenchDevice>> Devices() = 0;

  // Makes operands (random normal), the reference result and, for a policy
  // with busy SMs, the co-tenant. What follows is about this problem.
  virtual Trial Prepare(const GemmProblem& problem,
                        const MeasurementPolicy& policy) = 0;

  // Runs `config` `repeats` times, each synchronised and into poisoned output,
  // and compares with the reference.
  virtual Trial Check(const GemmConfig& config, int repeats) = 0;

  virtual Trial Time(const TimeRequest& request) = 0;
};

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_MEASURE_BENCH_H_
