#include "kernels/config.h"

#include <limits>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tiletune {
namespace {

absl::Status Malformed(const std::string& key) {
  return absl::InvalidArgumentError(absl::StrCat(
      "\"", key, "\" is not a config; one looks like ", "\"VARIANT o8zn k1\""));
}

// Decimal digits of a number from 1 to 2^32 - 1, in its one spelling: another
// would be another key of the same config.
bool ParsePositive(const std::string& text, uint32_t* value) {
  return !text.empty() && text[0] != '0' &&
         text.find_first_not_of("0123456789") == std::string::npos &&
         absl::SimpleAtoi(text, value) && *value >= 1;
}

}  // namespace

std::string ConfigKey(const GemmConfig& config) {
  const char* direction =
      config.swizzle_direction == SwizzleDirection::kZn ? "zn" : "nz";
  return absl::StrCat(config.variant == nullptr ? "none" : config.variant->name,
                      " o", config.swizzle_offset, direction, " k",
                      config.split_k, config.dependent_launch ? "" : " p0",
                      config.launch_cluster == 1
                          ? ""
                          : absl::StrCat(" g", config.launch_cluster));
}

absl::StatusOr<GemmConfig> ParseConfig(std::string_view key) {
  const std::string text(key);
  const std::vector<std::string> tokens = absl::StrSplit(text, ' ');
  if (tokens.size() < 3) return Malformed(text);
  const std::string& order = tokens[1];
  const std::string& splits = tokens[2];
  if (order.size() < 4 || order[0] != 'o' || splits.size() < 2 ||
      splits[0] != 'k') {
    return Malformed(text);
  }
  GemmConfig config;
  size_t next = 3;
  if (next < tokens.size() && tokens[next] == "p0") {
    config.dependent_launch = false;
    ++next;
  }
  if (next < tokens.size() && tokens[next][0] == 'g') {
    if (!ParsePositive(tokens[next].substr(1), &config.launch_cluster) ||
        config.launch_cluster == 1) {
      return Malformed(text);
    }
    ++next;
  }
  if (next != tokens.size()) return Malformed(text);
  const std::string direction = order.substr(order.size() - 2);
  if (direction != "zn" && direction != "nz") return Malformed(text);
  config.swizzle_direction =
      direction == "zn" ? SwizzleDirection::kZn : SwizzleDirection::kNz;
  if (!ParsePositive(order.substr(1, order.size() - 3),
                     &config.swizzle_offset) ||
      !ParsePositive(splits.substr(1), &config.split_k)) {
    return Malformed(text);
  }
  config.variant = FindVariant(tokens[0]);
  if (config.variant == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("this build has no variant \"", tokens[0], "\""));
  }
  return config;
}

std::vector<GemmConfig> OtherLaunches(const GemmConfig& config) {
  GemmConfig other = config;
  other.launch_cluster = 1;
  other.dependent_launch = false;
  std::vector<GemmConfig> others = {other};
  other.dependent_launch = true;
  for (uint32_t cluster : kLaunchClusters) {
    other.launch_cluster = cluster;
    others.push_back(other);
  }
  return others;
}

bool operator==(const GemmConfig& x, const GemmConfig& y) {
  return x.variant == y.variant && x.swizzle_offset == y.swizzle_offset &&
         x.swizzle_direction == y.swizzle_direction && x.split_k == y.split_k &&
         x.max_sms == y.max_sms && x.dependent_launch == y.dependent_launch &&
         x.launch_cluster == y.launch_cluster;
}

}  // namespace tiletune
