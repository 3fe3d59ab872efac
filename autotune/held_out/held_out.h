// The loss of choices for shapes that were not tuned.
//
//   absl::StatusOr<std::vector<HeldOutShape>> all =
//       HoldOut(*tuned, *swept, /*folds=*/5, "/tmp/fold.db");
//   for (const HeldOutShape& s : *all) printf("%+.2f %%\n", 100 * *s.loss);
#ifndef TILETUNE_AUTOTUNE_HELD_OUT_HELD_OUT_H_
#define TILETUNE_AUTOTUNE_HELD_OUT_HELD_OUT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "autotune/store/store.h"

namespace tiletune {

struct HeldOutShape {
  std::string problem;
  std::string source;  // "nearest", "default", ...
  std::string config;
  // How much slower than the fastest of the sweep; nothing where the sweep did
  // not time the config.
  std::optional<double> loss;
};

// Every shape that both databases have, in `folds` groups: the winners of the
// other groups are written to the file `scratch`, which is all that dispatch
// then knows. Errors are the stores' and dispatch's; FailedPrecondition unless
// `tuned` holds exactly one device.
absl::StatusOr<std::vector<HeldOutShape>> HoldOut(const Store& tuned,
                                                  const Store& swept, int folds,
                                                  const std::string& scratch);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_HELD_OUT_HELD_OUT_H_
