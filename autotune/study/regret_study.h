// What the search's shortcuts cost on one shape: it is tuned by the search,
// swept as a whole, and what both found is timed afresh, in turn.
//
//   RegretStudy study(bench, device, options);
//   absl::StatusOr<Regret> r = study.Run(problem, policy, &tuned, &swept);
//   printf("%+.2f %%\n", 100 * r->regret);
//
// The sweep is the oracle: every legal config whose swizzle offset is one of
// RegretStudy::Options::offsets, in interleaved passes (sweep.h), its best in
// paired rounds. A search is not bound to those offsets and may do better.
#ifndef TILETUNE_AUTOTUNE_STUDY_REGRET_STUDY_H_
#define TILETUNE_AUTOTUNE_STUDY_REGRET_STUDY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "autotune/measure/bench.h"
#include "autotune/search/journal.h"
#include "autotune/search/search.h"
#include "autotune/store/store.h"
#include "autotune/study/sweep.h"

namespace tiletune {

// Losses and regrets: 0.01 is 1 % slower.
struct Regret {
  GemmConfig pick;      // the search's
  GemmConfig best;      // the sweep's
  GemmConfig fallback;  // the default config
  // Timed afresh.
  double pick_ns = 0, best_ns = 0, fallback_ns = 0;
  double regret = 0;           // of pick against best
  double against_default = 0;  // of pick; negative: faster

  // Wall clock with the GPU held, preparing the problem included.
  double search_seconds = 0, sweep_seconds = 0;
  int search_candidates = 0, sweep_candidates = 0;

  // Within the sweep: how much slower than its fastest is the model's first
  // choice, the best of its 8 first, and the best of the first members of its 8
  // first families?
  double model_first_loss = 0;
  double model_top8_loss = 0;
  double model_families8_loss = 0;
};

class RegretStudy {
 public:
  struct Options {
    Search::Options search;
    SweepOptions sweep;
    std::vector<uint32_t> offsets = {1, 2, 8};
    int sweep_finalists = 24;  // the sweep's best, in paired rounds
  };

  // `bench` must outlive this object.
  RegretStudy(Bench* bench, DeviceFacts device, Options options);

  // `tuned` receives what the search measured, `swept` what the sweep did;
  // each is measured anew. Errors: the search's, the stores', and Unavailable
  // where a pick does not run a second time.
  absl::StatusOr<Regret> Run(const GemmProblem& problem,
                             const MeasurementPolicy& policy, Store* tuned,
                             Store* swept);

 private:
  absl::Status Tune(Store* store);
  absl::Status SweepAll(Store* store);
  absl::Status RecordSweep(Store* store, const std::vector<Swept>& swept,
                           const std::vector<Contender>& finalists);
  absl::Status CompareAfresh();
  void JudgeModel(const std::vector<Swept>& swept);

  Bench* const bench_;
  const DeviceFacts device_;
  const Options options_;
  // Of the current Run:
  GemmProblem problem_;
  MeasurementPolicy policy_;
  Regret regret_;
};

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STUDY_REGRET_STUDY_H_
