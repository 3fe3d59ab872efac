#include "autotune/measure/failed_trial.h"

namespace tiletune {
namespace {

Outcome OutcomeOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kResourceExhausted:
      return Outcome::kOutOfMemory;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kNotFound:
      return Outcome::kRefused;
    case absl::StatusCode::kDataLoss:
      return Outcome::kWrong;
    case absl::StatusCode::kDeadlineExceeded:
      return Outcome::kUnstable;
    default:
      return Outcome::kCrashed;
  }
}

}  // namespace

Trial FailedTrial(const absl::Status& status) {
  return FailedTrial(
      OutcomeOf(status.code()),
      std::string(status.message().data(), status.message().size()));
}

Trial FailedTrial(Outcome outcome, const std::string& detail) {
  Trial trial;
  trial.outcome = outcome;
  trial.detail = detail;
  return trial;
}

}  // namespace tiletune
