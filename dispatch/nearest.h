// What was measured for a problem nearby: the guess for one that was not.
//
//   NearestIndex index(table, device);
//   std::optional<GemmConfig> guess = index.Guess(normalized, fallback);
//   if (guess.has_value()) Use(*guess);   // legal for this problem
//   // else nothing near enough, or the cost model thinks little of it
#ifndef TILETUNE_DISPATCH_NEAREST_H_
#define TILETUNE_DISPATCH_NEAREST_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "dispatch/choice_table.h"
#include "kernels/config.h"
#include "kernels/device.h"
#include "kernels/problem.h"

namespace tiletune {

// Problems of one family differ in M, N and K alone: same batch, types,
// layout, epilogue and scales, and strides of the same alignment.
GemmProblem FamilyOf(const GemmProblem& normalized);

// The distance of two problems of a family: the Euclidean one between
// (log2 M, log2 N, log2 K). Sizes of 0 are at no finite distance.
double Distance(const GemmProblem& x, const GemmProblem& y);

class NearestIndex {
 public:
  // No guess from further away: one size halved or doubled, the others equal.
  static constexpr double kFurthest = 1.0;
  // How many neighbours' configs the cost model is asked about.
  static constexpr int kNeighbours = 8;
  // A neighbour's config that the model expects to take this many times as
  // long as `fallback` is not taken: it won elsewhere for a reason that does
  // not hold here.
  static constexpr double kMostPredictedLoss = 1.15;

  // The entries whose choice was measured (tuned or system); others are
  // ignored. They stay in `table`, which must outlive this.
  NearestIndex(const ChoiceTable& table, const DeviceFacts& device);

  // Among the configs of the neighbours within kFurthest that are legal here,
  // the one that the cost model likes best. Takes microseconds and allocates.
  std::optional<GemmConfig> Guess(const GemmProblem& normalized,
                                  const GemmConfig& fallback) const;

 private:
  DeviceFacts device_;
  absl::flat_hash_map<GemmProblem, std::vector<const TableEntry*>> families_;
};

}  // namespace tiletune

#endif  // TILETUNE_DISPATCH_NEAREST_H_
