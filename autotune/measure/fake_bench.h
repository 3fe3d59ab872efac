// A fake device for tests of the tuner: deterministic times, and faults where
// they are planted. Nothing runs; nothing here may reach a user's database.
//
//   FakeBench bench(/*seed=*/1, *ParseFaults("hang:*o2zn*,wrong:*_queue*"));
//   bench.Prepare(problem, policy);
//   bench.Time({config, Stage::kScreen, 0, 10}).samples_ns;  // always the same
#ifndef TILETUNE_AUTOTUNE_MEASURE_FAKE_BENCH_H_
#define TILETUNE_AUTOTUNE_MEASURE_FAKE_BENCH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "autotune/measure/bench.h"

namespace tiletune {

struct FakeFault {
  enum class Kind {
    kHang,    // never answers
    kCrash,   // the process dies of SIGSEGV
    kAbort,   // the process dies of SIGABRT
    kExit,    // the process ends quietly
    kSticky,  // reports a broken device context, as CUDA does
    kWrong,   // a wrong result
    kRare,    // a wrong result, but only in the 40th repeat of a check
    kOom,     // out of memory
    kSlow,    // ten times slower
    kHot,     // 15 % slower
  };
  Kind kind;
  std::string configs;  // glob over config keys
};

// "KIND:GLOB,KIND:GLOB,...", kinds in lower case.
absl::StatusOr<std::vector<FakeFault>> ParseFaults(std::string_view text);

class FakeBench : public Bench {
 public:
  FakeBench(uint64_t seed, std::vector<FakeFault> faults)
      : seed_(seed), faults_(std::move(faults)) {}

  // Every call takes so long; 0 by default.
  void set_delay(absl::Duration delay) { delay_ = delay; }
  // The deviation of the samples, relative to the time; 0.3 % by default.
  void set_noise(double noise) { noise_ = noise; }
  // The deviation of what a placement adds to a config's time; none by default.
  void set_placement_noise(double noise) { placement_noise_ = noise; }

  // Every call of Time adds a line to this file; none by default.
  void set_log(std::string path) { log_ = std::move(path); }

  absl::StatusOr<std::vector<BenchDevice>> Devices() override;
  Trial Prepare(const GemmProblem& problem,
                const MeasurementPolicy& policy) override;
  Trial Check(const GemmConfig& config, int repeats) override;
  Trial Time(const TimeRequest& request) override;

  // What Time's samples scatter around, in ns. The tests' oracle.
  double TrueTime(const GemmProblem& problem, const MeasurementPolicy& policy,
                  const GemmConfig& config) const;

  // Samples taken so far: what the search costs.
  int64_t samples() const { return samples_; }

 private:
  // Runs the planted fault, if any; true when `trial` now says what it did.
  bool Fails(const GemmConfig& config, int repeats, Trial* trial);
  bool Matches(const FakeFault& fault, const GemmConfig& config) const;

  const uint64_t seed_;
  const std::vector<FakeFault> faults_;
  absl::Duration delay_ = absl::ZeroDuration();
  double noise_ = 0.003;
  double placement_noise_ = 0;
  std::string log_;
  GemmProblem problem_;
  MeasurementPolicy policy_;
  int64_t samples_ = 0;
};

// Compute capability 9.0 and sizes that no product has.
DeviceFacts FakeDevice();

// The device "fake:SEED" of a test's program; Unavailable for another name. It
// fails where $TILETUNE_FAKE_FAULTS says ("hang:*o2zn*,wrong:*queue*"), and
// each of its calls takes $TILETUNE_FAKE_DELAY_US microseconds. Each call of
// Time adds "STAGE FIRST POLICY PROBLEM | CONFIG" to the file
// $TILETUNE_FAKE_LOG.
absl::StatusOr<std::unique_ptr<Bench>> OpenFakeBench(const std::string& device);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_MEASURE_FAKE_BENCH_H_
