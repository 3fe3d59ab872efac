// Tuning a device that nobody here has: the cost model ranks the registered
// variants, and the ranking is stored as predictions.
//
//   DeviceFacts b200 = *ModelledDevice("b200");
//   PredictedRow row = *PredictWinner(problem, b200, "*", store);
//   printf("%s, predicted %.0f ns\n", row.config.c_str(), row.predicted_ns);
#ifndef TILETUNE_AUTOTUNE_SEARCH_MODEL_TUNER_H_
#define TILETUNE_AUTOTUNE_SEARCH_MODEL_TUNER_H_

#include <string>

#include "absl/status/statusor.h"
#include "autotune/store/store.h"
#include "kernels/device.h"
#include "kernels/problem.h"

namespace tiletune {

// Changes whenever the model's answers do; stored with each prediction.
inline constexpr char kCostModelName[] = "tiletune-5";

// So many of the best predicted configs are stored for each problem.
inline constexpr int kStoredPredictions = 16;

// Predicts every legal config whose variant matches the glob `kernels`, stores
// the best and, if it is one of them, the default config, and returns the best.
// A dynamic supply or any other config replaces the default only where it is
// predicted faster. NotFound when nothing that matches is legal; else errors of
// the store.
absl::StatusOr<PredictedRow> PredictWinner(const GemmProblem& problem,
                                           const DeviceFacts& device,
                                           const std::string& kernels,
                                           Store* store);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_SEARCH_MODEL_TUNER_H_
