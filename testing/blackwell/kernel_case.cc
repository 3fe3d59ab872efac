#include "testing/blackwell/kernel_case.h"

#include "absl/strings/str_cat.h"

namespace tiletune {

GemmConfig ConfigOf(const KernelCase& c) {
  GemmConfig config;
  config.variant = c.variant;
  config.swizzle_offset = c.offset;
  config.swizzle_direction = c.direction;
  config.split_k = c.split_k;
  config.max_sms = c.max_sms;
  return config;
}

DeviceFacts DeviceOf(const KernelCase& c) {
  DeviceFacts facts = *ModelledDevice("b200");
  facts.sm_count =
      c.resident_clusters * c.variant->cluster_m * c.variant->cluster_n;
  return facts;
}

std::string ToString(const KernelCase& c) {
  return absl::StrCat(
      c.variant->name, ": ", ProblemKey(c.problem), ", o", c.offset,
      c.direction == SwizzleDirection::kZn ? "zn" : "nz", " k", c.split_k,
      ", alpha ", c.alpha, ", beta ", c.beta,
      c.scalars_on_device ? " on the device" : "",
      c.in_place ? ", in place" : "", c.has_d_scale ? ", D scaled" : "",
      c.has_random_inputs ? ", random inputs" : "", ", ", c.resident_clusters,
      " clusters resident, seed ", c.seed, ", refusals ", c.refusal_rate,
      ", delays ", c.max_delay,
      c.starved_warp < 0 ? ""
                         : absl::StrCat(", warp ", c.starved_warp, " starved"));
}

}  // namespace tiletune
