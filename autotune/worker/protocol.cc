#include "autotune/worker/protocol.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"

namespace tiletune {
namespace {

using Json = nlohmann::json;

Json ToJson(const BenchDevice& device) {
  const DeviceFacts& f = device.facts;
  return Json{{"major", f.capability_major},
              {"minor", f.capability_minor},
              {"sms", f.sm_count},
              {"l2", f.l2_bytes},
              {"bandwidth_class", f.bandwidth_class},
              {"power_class", f.power_class},
              {"modelled", f.modelled},
              {"shared", f.shared_bytes_per_cta},
              {"clock", f.max_clock_mhz},
              {"bandwidth", f.memory_bytes_per_second},
              {"flops", f.dense_16bit_flops},
              {"ordinal", f.ordinal},
              {"name", f.name},
              {"driver", f.driver},
              {"lock", device.lock_name}};
}

BenchDevice DeviceFrom(const Json& json) {
  BenchDevice device;
  DeviceFacts& f = device.facts;
  json.at("major").get_to(f.capability_major);
  json.at("minor").get_to(f.capability_minor);
  json.at("sms").get_to(f.sm_count);
  json.at("l2").get_to(f.l2_bytes);
  json.at("bandwidth_class").get_to(f.bandwidth_class);
  json.at("power_class").get_to(f.power_class);
  json.at("modelled").get_to(f.modelled);
  json.at("shared").get_to(f.shared_bytes_per_cta);
  json.at("clock").get_to(f.max_clock_mhz);
  json.at("bandwidth").get_to(f.memory_bytes_per_second);
  json.at("flops").get_to(f.dense_16bit_flops);
  json.at("ordinal").get_to(f.ordinal);
  json.at("name").get_to(f.name);
  json.at("driver").get_to(f.driver);
  json.at("lock").get_to(device.lock_name);
  return device;
}

Json ToJson(const Conditions& c) {
  return Json{{"sm_clock", c.sm_clock_mhz},
              {"memory_clock", c.memory_clock_mhz},
              {"temperature", c.temperature_c},
              {"power_limit", c.power_limit_w},
              {"power_capped", c.power_capped}};
}

Conditions ConditionsFrom(const Json& json) {
  Conditions c;
  json.at("sm_clock").get_to(c.sm_clock_mhz);
  json.at("memory_clock").get_to(c.memory_clock_mhz);
  json.at("temperature").get_to(c.temperature_c);
  json.at("power_limit").get_to(c.power_limit_w);
  json.at("power_capped").get_to(c.power_capped);
  return c;
}

// A byte that is not UTF-8 (in a driver's message) must not break the line.
std::string Line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <typename Message, typename Fill>
absl::StatusOr<Message> Decode(std::string_view line, Fill fill) {
  try {
    Message message;
    fill(Json::parse(line.begin(), line.end()), &message);
    return message;
  } catch (const Json::exception& e) {
    return absl::InvalidArgumentError(
        absl::StrCat("not a line of the worker protocol: ", e.what()));
  }
}

}  // namespace

std::string Encode(const Request& r) {
  return Line(Json{{"op", static_cast<int>(r.op)},
                   {"problem", r.problem},
                   {"policy", r.policy},
                   {"config", r.config},
                   {"stage", static_cast<int>(r.stage)},
                   {"first", r.first},
                   {"count", r.count},
                   {"instance", r.instance},
                   {"placement", r.placement}});
}

std::string Encode(const Reply& reply) {
  Json devices = Json::array();
  for (const BenchDevice& d : reply.devices) devices.push_back(ToJson(d));
  return Line(Json{{"outcome", static_cast<int>(reply.trial.outcome)},
                   {"detail", reply.trial.detail},
                   {"samples", reply.trial.samples_ns},
                   {"conditions", ToJson(reply.trial.conditions)},
                   {"devices", devices}});
}

absl::StatusOr<Request> DecodeRequest(std::string_view line) {
  return Decode<Request>(line, [](const Json& json, Request* r) {
    r->op = static_cast<Op>(json.at("op").get<int>());
    json.at("problem").get_to(r->problem);
    json.at("policy").get_to(r->policy);
    json.at("config").get_to(r->config);
    r->stage = static_cast<Stage>(json.at("stage").get<int>());
    json.at("first").get_to(r->first);
    json.at("count").get_to(r->count);
    json.at("instance").get_to(r->instance);
    json.at("placement").get_to(r->placement);
  });
}

absl::StatusOr<Reply> DecodeReply(std::string_view line) {
  return Decode<Reply>(line, [](const Json& json, Reply* reply) {
    reply->trial.outcome = static_cast<Outcome>(json.at("outcome").get<int>());
    json.at("detail").get_to(reply->trial.detail);
    json.at("samples").get_to(reply->trial.samples_ns);
    reply->trial.conditions = ConditionsFrom(json.at("conditions"));
    for (const Json& d : json.at("devices")) {
      reply->devices.push_back(DeviceFrom(d));
    }
  });
}

}  // namespace tiletune
