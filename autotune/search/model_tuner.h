// Tuning a device that nobody here has: the cost model ranks the registered
// variants, and the ranking is stored as predictions.
//
//   DeviceFacts b200 = *ModelledDevice("b200");
//   PredictedRow row = *PredictWinner(problem, b200, "*", store);
//   printf("%s, predicted %.0f ns\n", row.config.c_str(), row.predicted_ns);
#ifndef TILETUNE_AUTOTUNE_SEARCH_MODEL_TUNER_H_
#define TILETUNE_AUTOTUNE_SEARCH_MODEL_TUNER_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "autotune/store/store.h"
#include "kernels/device.h"
#include "kernels/problem.h"

namespace tiletune {

// Changes whenever the model's answers do; stored with each prediction.
inline constexpr char kCostModelName[] = "tiletune-8";

// Of so many kernels, the best first, the best config is stored for a problem.
inline constexpr size_t kStoredPredictions = 16;

// Predicts every legal config whose variant matches the glob `kernels`, and
// returns the best. Where `kernels` is "*", it also stores the best of several
// kernels and the default config; the best of fewer kernels is no answer for
// those who ask about the problem later.
// A dynamic supply or any other config replaces the default only where it is
// predicted faster. NotFound when nothing that matches is legal; else errors of
// the store.
absl::StatusOr<PredictedRow> PredictWinner(const GemmProblem& problem,
                                           const DeviceFacts& device,
                                           const std::string& kernels,
                                           Store* store);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_SEARCH_MODEL_TUNER_H_
