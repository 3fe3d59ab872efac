// Fallback: what runs where nothing was measured, or where what was measured
// cannot run.
//
// Use it behind the tables of measurements, one for each snapshot of them. It
// looks at what the program links and the cost model says, never at a file.
//
//   Fallback fallback({device, &LinkedBackend(), /*batch_invariant=*/false});
//   absl::StatusOr<Choice> choice = fallback.Default(normalized);
//   if (choice.ok() && choice->workspace_bytes > workspace_bytes)
//     choice = fallback.WithoutWorkspace(normalized);
#ifndef TILETUNE_DISPATCH_FALLBACK_H_
#define TILETUNE_DISPATCH_FALLBACK_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "dispatch/backend.h"
#include "dispatch/choice.h"
#include "dispatch/miss_cache.h"
#include "kernels/config.h"
#include "kernels/device.h"
#include "kernels/problem.h"

namespace tiletune {

struct FallbackOptions {
  DeviceFacts device;
  const GemmBackend* backend;
  // Every M of a layer gets configs of one sum order: that of `sum_orders`
  // (by LayerOf(), kernels/batch_invariant.h), else the cost model's.
  bool batch_invariant = false;
  absl::flat_hash_map<GemmProblem, std::string> sum_orders = {};
  size_t remembered_problems = 1024;  // of each question
};

// Safe from several threads at once. Problems are Normalized() and valid; what
// was worked out is found again without an allocation or a lock.
class Fallback {
 public:
  explicit Fallback(FallbackOptions options);

  // The default config, or, in a program that does not link it, the first that
  // is both linked and legal. With its workspace; none on a modelled device.
  // FailedPrecondition where no kernel runs the problem on this device.
  absl::StatusOr<Choice> Default(const GemmProblem& normalized);

  // Of the configs that need no workspace, the one that the cost model likes
  // best. InvalidArgument where there is none. Its sum order may be any.
  absl::StatusOr<Choice> WithoutWorkspace(const GemmProblem& normalized);

 private:
  absl::StatusOr<Choice> WorkOutDefault(const GemmProblem& normalized) const;
  absl::StatusOr<GemmConfig> DefaultOf(const GemmProblem& normalized) const;
  std::optional<GemmConfig> FirstLinked(const GemmProblem& normalized) const;
  std::optional<GemmConfig> BestWithoutWorkspace(
      const GemmProblem& normalized) const;

  const FallbackOptions options_;
  MissCache defaults_;
  MissCache without_workspace_;
};

}  // namespace tiletune

#endif  // TILETUNE_DISPATCH_FALLBACK_H_
