// A sweep: all of many configs timed against one another in a few interleaved
// passes. The oracle of a study; a search is what one runs to tune.
//
//   bench->Prepare(problem, policy);
//   std::vector<Swept> all = Sweep(bench, configs, {});
//   // all[i] is configs[i]: level_ns is 0 where it was wrong or did not run
#ifndef TILETUNE_AUTOTUNE_STUDY_SWEEP_H_
#define TILETUNE_AUTOTUNE_STUDY_SWEEP_H_

#include <vector>

#include "autotune/measure/bench.h"

namespace tiletune {

struct Swept {
  GemmConfig config;
  Trial trial;  // one sample a pass
  // The median of its samples, each brought to the clock of the first sample of
  // the reference by those of the reference before and after it.
  double level_ns = 0;
};

struct SweepOptions {
  int passes = 3;
  // One that is so many times as slow as the best is not sampled again.
  double hopeless = 1.5;
  // The reference (the first config) is sampled after so many others.
  int reference_every = 4;
};

// The first pass checks each config's result before it times it. Each pass
// visits the configs in an order of its own, the same in every call.
std::vector<Swept> Sweep(Bench* bench, const std::vector<GemmConfig>& configs,
                         const SweepOptions& options);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STUDY_SWEEP_H_
