#include "autotune/worker/remote_bench.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tiletune {
namespace {

Reply Fault(Outcome outcome, absl::string_view detail) {
  Reply reply;
  reply.trial.outcome = outcome;
  reply.trial.detail = std::string(detail);
  return reply;
}

}  // namespace

RemoteBench::RemoteBench(std::vector<std::string> command, Limits limits)
    : command_(std::move(command)), limits_(limits) {}

Reply RemoteBench::Ask(const Request& request, absl::Duration limit) {
  if (child_ == nullptr) {
    absl::StatusOr<std::unique_ptr<ChildProcess>> child =
        ChildProcess::Start(command_);
    if (!child.ok()) {
      return Fault(Outcome::kCrashed, child.status().message());
    }
    child_ = *std::move(child);
    prepared_ = false;
    ++starts_;
    limit += limits_.start;  // its first answer waits for the driver
  }
  const absl::StatusOr<std::string> line = child_->Ask(Encode(request), limit);
  absl::StatusOr<Reply> reply =
      line.ok() ? DecodeReply(*line) : absl::StatusOr<Reply>(line.status());
  if (!reply.ok()) {
    child_ = nullptr;  // kills it
    const bool late =
        reply.status().code() == absl::StatusCode::kDeadlineExceeded;
    return Fault(late ? Outcome::kTimeout : Outcome::kCrashed,
                 reply.status().message());
  }
  if (reply->trial.outcome == Outcome::kCrashed) child_ = nullptr;
  return *std::move(reply);
}

Trial RemoteBench::AskPrepared(const Request& request) {
  if (child_ == nullptr || !prepared_) {
    if (!problem_.has_value()) {
      return Fault(Outcome::kRefused, "no problem was prepared").trial;
    }
    Trial trial = Ask(*problem_, limits_.prepare).trial;
    if (!trial.ok()) {
      // Not this candidate's fault: it has not run.
      trial.detail =
          absl::StrCat("preparing the problem again: ", trial.detail);
      if (trial.outcome != Outcome::kOutOfMemory) {
        trial.outcome = Outcome::kUnstable;
      }
      return trial;
    }
    prepared_ = true;
  }
  return Ask(request, limits_.trial).trial;
}

absl::StatusOr<std::vector<BenchDevice>> RemoteBench::Devices() {
  Reply reply = Ask(Request(), limits_.start);
  if (!reply.trial.ok()) return absl::UnavailableError(reply.trial.detail);
  return std::move(reply.devices);
}

Trial RemoteBench::Prepare(const GemmProblem& problem,
                           const MeasurementPolicy& policy) {
  Request request;
  request.op = Op::kPrepare;
  request.problem = ProblemKey(problem);
  request.policy = PolicyKey(policy);
  problem_ = request;
  Trial trial = Ask(request, limits_.prepare).trial;
  prepared_ = trial.ok();
  return trial;
}

Trial RemoteBench::Check(const GemmConfig& config, int repeats) {
  Request request;
  request.op = Op::kCheck;
  request.config = ConfigKey(config);
  request.count = repeats;
  return AskPrepared(request);
}

Trial RemoteBench::Time(const TimeRequest& request) {
  Request message;
  message.op = Op::kTime;
  message.config = ConfigKey(request.config);
  message.stage = request.stage;
  message.first = request.first;
  message.count = request.count;
  message.instance = request.instance;
  message.placement = request.placement;
  return AskPrepared(message);
}

}  // namespace tiletune
