// The search: finds the fastest config of one problem on one bench with few
// measurements, and writes every one of them down as it lands.
//
//   Search search(&bench, &journal, {});
//   absl::StatusOr<SearchReport> r = search.Run(problem, policy);
//   // the winner is now a row of the store's view
//
// Stages: legal configs, ranked by the cost model -> a screen of the best of
// each family (3 short samples; 1 at more than 1.5 times the best), beside the
// default config where the clock moves, and of short kernels the same in the
// other direction where that was not hopeless, and without dependent launch
// where that was fast -> a screen of the other orders and supplies of the
// fastest families -> a final, in interleaved rounds over operands in three
// places, from 36 contenders down to 8. A screen is good to a percent or two,
// so all that are near the best in it are contenders. The default config takes
// part in all of them, and the fastest of the screen enters the final twice:
// what it differs from itself by is no difference between two others either.
//
// What happens next depends on the problem, the predictions and the samples
// alone. A search that was killed is therefore resumed by running it again over
// the same journal: what is known is not measured again.
#ifndef TILETUNE_AUTOTUNE_SEARCH_SEARCH_H_
#define TILETUNE_AUTOTUNE_SEARCH_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "autotune/measure/bench.h"
#include "autotune/measure/paired_rounds.h"
#include "autotune/search/candidate_plan.h"
#include "autotune/search/journal.h"
#include "kernels/registry.h"

namespace tiletune {

struct SearchReport {
  int legal = 0;     // candidates there are
  int measured = 0;  // timed now
  int reused = 0;    // known from before
  int rejected = 0;  // wrong, crashed, hung, or did not fit
  int finalists = 0;
  int64_t samples = 0;  // taken now
  // What a config and its twin in the final differed by; 0.01 is 1 %.
  double self_difference = 0;
  bool out_of_time = false;
  // Exhaustive: how much slower than the best the pruned search's pick is,
  // 0.01 being 1 %.
  std::optional<double> pruning_loss;
};

struct SearchProgress {
  const char* stage;  // "screen", "orders" or "final"
  int done;
  int of;
  double best_ns;  // 0: none yet
};

class Search {
 public:
  struct Options {
    CandidateOptions candidates;
    CandidatePlan::Options plan;
    bool exhaustive = false;  // the screen takes every legal config
    // Of the final's first rounds; 8 of them stay to its end. Fewer where the
    // kernels are long.
    int finalists = 36;
    int exhaustive_finalists = 32;  // all that might be best, in turn
    // Those with a dynamic supply are dear to prove. More of them only where
    // the policy keeps SMs busy, which is what they are for.
    int dynamic_finalists = 2;
    // A finalist's screen median is at most so much slower than the third
    // fastest.
    double final_margin = 1.05;
    // Screen medians within this of the best are taken for equal, and simpler
    // configs preferred, as the store does among ties: two searches then hold
    // their finals among the same configs.
    double screen_tie = 0.005;
    RoundsRule final_rule = FinalRule();
    // In the final of kernels under which the clock holds still: for those,
    // where their operands lie is most of what two processes differ by.
    int short_placements = 6;
    absl::Duration budget = absl::InfiniteDuration();
    // Which candidates can run at all here (are linked in); all by default.
    std::function<bool(const GemmConfig&)> runnable;
    std::function<void(const SearchProgress&)> progress;
  };

  // Three placements of the operands, and 8 contenders in the end.
  static RoundsRule FinalRule() {
    RoundsRule rule;
    rule.placements = 3;
    rule.least_rounds = 12;
    rule.fewest_rounds = 6;
    rule.cuts = {{3, 24}, {6, 16}, {12, 8}};
    rule.noise = 0.0015;
    rule.most_rounds = 24;
    rule.most_ns = 240e6;
    rule.warm_up_ns = 60e6;
    return rule;
  }

  // The same for a few configs on a GPU that rested: after 60 ms an H200 still
  // ran a tenth faster than in a tune, where the screens come first.
  static RoundsRule PairRule() {
    RoundsRule rule = FinalRule();
    rule.hopeless = 0;
    rule.warm_up_ns = 300e6;
    return rule;
  }

  // Both must outlive this object.
  Search(Bench* bench, Journal* journal, Options options);

  // NotFound when no candidate is legal or none ran right, Unavailable when
  // the bench cannot prepare the problem; else errors of the store.
  absl::StatusOr<SearchReport> Run(const GemmProblem& problem,
                                   const MeasurementPolicy& policy);

 private:
  // Measures configs_[index] unless known; its median is in medians_ after.
  absl::Status Screen(size_t index);
  absl::Status ScreenAll(const std::vector<size_t>& indices, const char* stage);
  // Samples the config, and its time; nothing if that failed. Where the clock
  // moves (long kernels, a power cap) the default config is sampled between
  // its samples, and the time is relative to that.
  std::optional<double> TakeScreen(size_t index, Trial* trial);
  // The `nth` sample of the default config between those of `index`; 0 if it
  // fails.
  double Reference(size_t index, int nth);
  // Whether the clock moves under kernels that take `ns`.
  void NotePower(bool is_capped, double ns);
  absl::Status Final();
  absl::Status Prepare();
  bool OutOfTime() const;
  void Report(const char* stage, int done, int of) const;
  double BestMedian() const;
  double NearBestMedian() const;  // of the third fastest; one must be known
  double PruningLoss() const;
  size_t MostFinalists() const;
  std::vector<size_t> Finalists() const;
  // One for each finalist, with the proof that those with a dynamic supply need
  // and a "started" row, whose uids are in `uids` after.
  absl::StatusOr<std::vector<Contender>> Contenders(
      const std::vector<size_t>& finalists, std::vector<std::string>* uids);

  Bench* const bench_;
  Journal* const journal_;
  const Options options_;

  // Of the current Run:
  GemmProblem problem_;
  MeasurementPolicy policy_;
  std::optional<CandidatePlan> plan_;
  std::vector<std::optional<double>> medians_;  // of the screen, by index
  bool prepared_ = false;
  bool is_paired_ = false;  // the screen is relative to the default config
  absl::Time deadline_;
  SearchReport report_;
};

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_SEARCH_SEARCH_H_
