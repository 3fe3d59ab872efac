#include "testing/emulator/runtime/settings.h"

#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tiletune::emulator::runtime {
namespace {

constexpr int kMaxSms = 1024;

absl::Status Bad(const char* variable, const std::string& value,
                 const std::string& allowed) {
  return absl::InvalidArgumentError(
      absl::StrCat(variable, " is '", value, "'; it must be ", allowed));
}

}  // namespace

absl::StatusOr<Settings> ReadSettings(
    const std::function<const char*(const char*)>& lookup) {
  const auto text = [&lookup](const char* variable) {
    const char* value = lookup(variable);
    return std::string(value == nullptr ? "" : value);
  };
  Settings settings;
  const char* variable = "TILETUNE_EMULATOR_GPU";
  std::string value = text(variable);
  settings.gpu = FindGpuModel(value.empty() ? "b200" : value);
  if (settings.gpu == nullptr) {
    return Bad(variable, value, absl::StrCat("one of ", GpuModelNames()));
  }
  settings.sms = settings.gpu->sms;
  variable = "TILETUNE_EMULATOR_SMS";
  value = text(variable);
  if (!value.empty() && (!absl::SimpleAtoi(value, &settings.sms) ||
                         settings.sms < 1 || settings.sms > kMaxSms)) {
    return Bad(variable, value, absl::StrCat("1 to ", kMaxSms));
  }
  variable = "TILETUNE_EMULATOR_SEED";
  value = text(variable);
  if (!value.empty() && !absl::SimpleAtoi(value, &settings.seed)) {
    return Bad(variable, value, "a number");
  }
  variable = "TILETUNE_EMULATOR_CHECKS";
  value = text(variable);
  if (value == "strict") {
    settings.checks = Checks::kStrict;
  } else if (!value.empty() && value != "hardware") {
    return Bad(variable, value, "strict or hardware");
  }
  variable = "TILETUNE_EMULATOR_CLC_REFUSAL";
  value = text(variable);
  if (!value.empty() &&
      (!absl::SimpleAtod(value, &settings.clc_refusal_rate) ||
       !(settings.clc_refusal_rate >= 0 && settings.clc_refusal_rate <= 1))) {
    return Bad(variable, value, "a probability from 0 to 1");
  }
  variable = "TILETUNE_EMULATOR_MAX_STEPS";
  value = text(variable);
  if (!value.empty() && !absl::SimpleAtoi(value, &settings.max_steps)) {
    return Bad(variable, value, "a number of warp instructions");
  }
  settings.spare_ptx = text("TILETUNE_EMULATOR_PTX");
  settings.trace = text("TILETUNE_EMULATOR_TRACE");
  return settings;
}

std::string TracePath(const std::string& first, uint64_t number) {
  if (first.empty() || number == 0) return first;
  const size_t name = first.rfind('/') + 1;  // 0 if there is none
  size_t dot = first.rfind('.');
  if (dot == std::string::npos || dot <= name) dot = first.size();
  return absl::StrCat(first.substr(0, dot), ".", number, first.substr(dot));
}

}  // namespace tiletune::emulator::runtime
