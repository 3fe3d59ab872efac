#include "autotune/store/json_lines.h"

#include <nlohmann/json.hpp>
#include <variant>
#include <vector>

namespace tiletune {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const Value& value) {
  return std::visit(
      [](const auto& v) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>,
                                     std::monostate>) {
          return nullptr;
        } else {
          return v;
        }
      },
      value);
}

// Samples are the only arrays; anything deeper is not ours and becomes NULL,
// which no column accepts.
Value FromJson(const Json& json) {
  if (json.is_boolean()) return int64_t{json.get<bool>()};
  if (json.is_number_integer()) return json.get<int64_t>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_array()) return std::monostate();
  std::vector<float> values;
  for (const Json& element : json) {
    if (!element.is_number()) return std::monostate();
    values.push_back(element.get<float>());
  }
  return values;
}

}  // namespace

std::string ToJsonLine(const std::string& kind, const Row& row) {
  Json json;
  json["row"] = kind;
  for (const auto& [name, value] : row.columns()) json[name] = ToJson(value);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

absl::StatusOr<std::pair<std::string, Row>> ParseJsonLine(
    const std::string& line) {
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return absl::InvalidArgumentError("not a JSON object");
  }
  const auto kind = json.find("row");
  if (kind == json.end() || !kind->is_string()) {
    return absl::InvalidArgumentError("no \"row\" says what this is");
  }
  Row row;
  for (const auto& [name, value] : json.items()) {
    if (name != "row") row.Set(name, FromJson(value));
  }
  return std::make_pair(kind->get<std::string>(), std::move(row));
}

}  // namespace tiletune
