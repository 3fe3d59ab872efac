// What an error of a launch, or of a call around it, means for the candidate.
//
//   const absl::Status status = Launch(config);
//   if (!status.ok()) return FailedTrial(status);
//   // of a kernel that crashed: Outcome::kCrashed, and its message
#ifndef TILETUNE_AUTOTUNE_MEASURE_FAILED_TRIAL_H_
#define TILETUNE_AUTOTUNE_MEASURE_FAILED_TRIAL_H_

#include <string>

#include "absl/status/status.h"
#include "autotune/measure/bench.h"

namespace tiletune {

// DeadlineExceeded is the co-tenant's (sm_holder.h), not the candidate's own,
// which has a worker that hangs: the sample is no good, the config may be.
Trial FailedTrial(const absl::Status& status);

Trial FailedTrial(Outcome outcome, const std::string& detail);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_MEASURE_FAILED_TRIAL_H_
