// What the tuner and its worker process say to each other: one line of JSON
// for a request, one for its reply.
//
//   Request r; r.op = Op::kCheck; r.config = ConfigKey(config); r.count = 1;
//   absl::StatusOr<std::string> line = child->Ask(Encode(r), limit);
//   absl::StatusOr<Reply> reply = DecodeReply(*line);
//
// Problems, configs and policies travel as their keys, the same text that the
// database holds, so both sides resolve them with the same parser.
#ifndef TILETUNE_AUTOTUNE_WORKER_PROTOCOL_H_
#define TILETUNE_AUTOTUNE_WORKER_PROTOCOL_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "autotune/measure/bench.h"

namespace tiletune {

enum class Op : uint8_t { kDevices, kPrepare, kCheck, kTime };

struct Request {
  Op op = Op::kDevices;
  std::string problem;           // kPrepare: ProblemKey
  std::string policy;            // kPrepare: PolicyKey
  std::string config;            // kCheck, kTime: ConfigKey
  Stage stage = Stage::kScreen;  // kTime
  int first = 0;                 // kTime
  int count = 0;                 // kCheck: repeats; kTime: samples
  int instance = 0;              // kTime
  int placement = 0;             // kTime
};

struct Reply {
  Trial trial;
  std::vector<BenchDevice> devices;  // of kDevices
};

std::string Encode(const Request& request);
std::string Encode(const Reply& reply);
// InvalidArgument when the line is not what Encode writes.
absl::StatusOr<Request> DecodeRequest(std::string_view line);
absl::StatusOr<Reply> DecodeReply(std::string_view line);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_WORKER_PROTOCOL_H_
