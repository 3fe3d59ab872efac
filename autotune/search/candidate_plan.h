// Which of the legal configs of a problem are worth timing, and when.
//
//   CandidatePlan plan(configs, predicted_seconds, {});
//   for (size_t i : plan.First()) Screen(configs[i]);
//   for (size_t i : plan.Turned(median_of)) Screen(configs[i]);
//   for (size_t i : plan.Independent(median_of)) Screen(configs[i]);
//   for (size_t i : plan.Second(median_of)) Screen(configs[i]);
//   // what was in none of the lists is pruned
//
// A family is what the configs of one tile, cluster, pipeline and split of K
// have in common; its members differ in order and supply alone. The first list
// holds the best predicted member of the best predicted families; the one of
// the turned, where that was not hopeless, the best predicted member with the
// other direction, as one says little about the other (6 to 34 % apart on an
// H200, docs/results/tuner_h200.md); the one of the independent, of the fast
// families, the fastest member without dependent launch, which the model cannot
// tell from the one with it (some 15 % faster to 30 % slower); the second the
// other members of the families that turned out fastest. That this finds what
// the full product finds was seen on Hopper (pytorch#153335).
#ifndef TILETUNE_AUTOTUNE_SEARCH_CANDIDATE_PLAN_H_
#define TILETUNE_AUTOTUNE_SEARCH_CANDIDATE_PLAN_H_

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/config.h"

namespace tiletune {

// The name of a config's family: its tile, cluster, pipeline and split of K.
std::string FamilyOf(const GemmConfig& config);

// A pure function of its arguments: the same medians give the same plan, which
// is how an interrupted search finds back to where it was.
class CandidatePlan {
 public:
  struct Options {
    int families = 32;   // in the first list
    int survivors = 12;  // families in the second
    // Of each survivor in the second list: with the static supply, and with
    // each other one. Fixed counts, whatever the times: with some that depend
    // on them two searches would look at other members.
    int members = 5;
    int dynamic_members = 1;
    // A survivor's best member is at most so much slower than the best.
    double survival = 1.08;
    // A family is turned if its first member is at most so much slower.
    double turning = 1.8;
    // Its fastest member is tried without dependent launch and in launch
    // clusters if it is at most so much slower than the best: that is the most
    // they were seen to bring (64x80 tiles of 64x6144x4096, whose dependents
    // land badly, in clusters of 12).
    double independence = 1.2;
    // A member that is so near to its family's fastest is tried without
    // dependent launch, too: which of them is the fastest is chance, and
    // without it they may be a tenth apart.
    double kinship = 1.03;
  };

  // `configs` holds the default config first; `predicted` a time for each.
  CandidatePlan(std::vector<GemmConfig> configs, std::vector<double> predicted,
                Options options);

  const std::vector<GemmConfig>& configs() const { return configs_; }

  // Indices, the default config first, then by predicted time.
  std::vector<size_t> First() const;

  // `median` gives the measured time of an index, nothing where there is none
  // (not measured, wrong, or crashed). No index is in two lists. Each of them
  // asks about those before it alone.
  using MedianOf = std::function<std::optional<double>(size_t)>;
  std::vector<size_t> Turned(const MedianOf& median) const;
  std::vector<size_t> Independent(const MedianOf& median) const;
  std::vector<size_t> Second(const MedianOf& median) const;

 private:
  // First() and Turned(), and the fastest of each family in `indices`.
  std::vector<size_t> FirstAndTurned(const MedianOf& median) const;
  std::map<int, size_t> FastestOfEach(const std::vector<size_t>& indices,
                                      const MedianOf& median) const;

  const std::vector<GemmConfig> configs_;
  const std::vector<double> predicted_;
  const Options options_;
  std::vector<size_t> by_prediction_;  // all indices
  std::vector<int> family_;            // of each index
};

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_SEARCH_CANDIDATE_PLAN_H_
