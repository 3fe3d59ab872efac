#include "autotune/worker/worker.h"

#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "autotune/worker/protocol.h"

namespace tiletune {
namespace {

Trial Refused(const absl::Status& status) {
  Trial trial;
  trial.outcome = Outcome::kRefused;
  trial.detail = std::string(status.message());
  return trial;
}

Reply Answer(Bench* bench, const Request& request) {
  Reply reply;
  switch (request.op) {
    case Op::kDevices: {
      absl::StatusOr<std::vector<BenchDevice>> devices = bench->Devices();
      if (devices.ok()) {
        reply.devices = *std::move(devices);
      } else {
        reply.trial = Refused(devices.status());
      }
      return reply;
    }
    case Op::kPrepare: {
      const absl::StatusOr<GemmProblem> problem =
          ParseProblemKey(request.problem);
      const absl::StatusOr<MeasurementPolicy> policy =
          ParsePolicy(request.policy);
      reply.trial = !problem.ok()  ? Refused(problem.status())
                    : !policy.ok() ? Refused(policy.status())
                                   : bench->Prepare(*problem, *policy);
      return reply;
    }
    case Op::kCheck:
    case Op::kTime: {
      const absl::StatusOr<GemmConfig> config = ParseConfig(request.config);
      if (!config.ok()) {
        reply.trial = Refused(config.status());
      } else if (request.op == Op::kCheck) {
        reply.trial = bench->Check(*config, request.count);
      } else {
        reply.trial =
            bench->Time({*config, request.stage, request.first, request.count,
                         request.instance, request.placement});
      }
      return reply;
    }
  }
  reply.trial = Refused(absl::InvalidArgumentError("an unknown request"));
  return reply;
}

bool WriteAll(int out, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(out, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    text.remove_prefix(n);
  }
  return true;
}

}  // namespace

int ServeBench(Bench* bench, int in, int out) {
  std::string unread;
  char buffer[4096];
  while (true) {
    const ssize_t n = read(in, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return 0;
    unread.append(buffer, n);
    for (size_t end; (end = unread.find('\n')) != std::string::npos;) {
      const absl::StatusOr<Request> request =
          DecodeRequest(std::string_view(unread).substr(0, end));
      unread.erase(0, end + 1);
      Reply reply;
      if (request.ok()) {
        reply = Answer(bench, *request);
      } else {
        reply.trial = Refused(request.status());
      }
      if (!WriteAll(out, Encode(reply) + "\n")) return 0;
      if (reply.trial.outcome == Outcome::kCrashed) return 1;
    }
  }
}

}  // namespace tiletune
