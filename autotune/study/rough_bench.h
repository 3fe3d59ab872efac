// A fake GPU for tests that is as rough as a real one at its power limit: many
// configs are nearly equal, its clock falls under load, and each process sees
// other times (docs/results/tuner_h200.md has what an H200 does).
//
//   RoughBench bench(/*silicon=*/1, /*process=*/1);
//   bench.Prepare(problem, policy);
//   double ns = bench.Time({config, Stage::kFinal, 0, 1}).samples_ns[0];
//   double truth = bench.TimeHere(config, 3);  // what samples scatter around
//
// Two of them with the same silicon are two runs on one GPU.
#ifndef TILETUNE_AUTOTUNE_STUDY_ROUGH_BENCH_H_
#define TILETUNE_AUTOTUNE_STUDY_ROUGH_BENCH_H_

#include <cstdint>
#include <string>

#include "autotune/measure/fake_bench.h"

namespace tiletune {

class RoughBench : public FakeBench {
 public:
  RoughBench(uint64_t silicon, uint64_t process)
      : FakeBench(silicon, {}), silicon_(silicon), process_(process) {}

  Trial Prepare(const GemmProblem& problem,
                const MeasurementPolicy& policy) override;
  Trial Check(const GemmConfig& config, int repeats) override;
  Trial Time(const TimeRequest& request) override;

  // In ns, at the clock that the power limit sustains, the mean over all
  // processes; and in this one, over its first `placements`.
  virtual double SteadyTime(const GemmConfig& config) const;
  double TimeHere(const GemmConfig& config, int placements) const;

 protected:
  // In ns: no config of the problem takes less.
  virtual double FastestTime(const GemmProblem& problem) const;

 private:
  // What this process and where its operands lie add to a config: a factor.
  double ProcessFactor(const std::string& key) const;
  double PlacementFactor(const std::string& key, int placement) const;
  // What the state of the GPU adds to a sample: a factor. Loads it for as long.
  double ClockFactor(double sample_ns);

  const uint64_t silicon_;
  const uint64_t process_;
  std::string name_;       // of the problem
  double fastest_ns_ = 0;  // no config takes less
  double load_ms_ = 0;     // how long it has been busy, less what it rested
  double wander_ = 0;      // of the clock, relative
  int64_t calls_ = 0;
};

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STUDY_ROUGH_BENCH_H_
