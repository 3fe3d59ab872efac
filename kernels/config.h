// A config: a variant plus what is chosen at run time. What the tuner ranks,
// the store keeps and dispatch launches.
//
//   absl::StatusOr<GemmConfig> c =
//       ParseConfig("sm90_16b_128x128x64_c1x1_s6_coop_static o8zn k1");
//   std::string text = ConfigKey(*c);   // the same text again
#ifndef TILETUNE_KERNELS_CONFIG_H_
#define TILETUNE_KERNELS_CONFIG_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "kernels/variant.h"
#include "scheduler/order.h"

namespace tiletune {

// Hopper's slices are counted in 16 bits (hopper/split_meeting.cuh).
inline constexpr uint32_t kMaxSplitK = 65535;

// The launch clusters that there are (GemmConfig::launch_cluster).
inline constexpr uint32_t kLaunchClusters[] = {4, 8, 12, 16};

struct GemmConfig {
  const KernelVariant* variant = nullptr;  // from the registry, never owned
  uint32_t swizzle_offset = 1;             // at least 1, in cluster tiles
  SwizzleDirection swizzle_direction = SwizzleDirection::kZn;
  uint32_t split_k = 1;  // K slices, added up in fixed order
  // Programmatic dependent launch: the kernel's prologue overlaps the end of
  // the stream's last kernel, whose writes it waits for all the same. False
  // where starting on the SMs that happen to be free first spreads a few CTAs
  // worse over the GPU.
  bool dependent_launch = true;
  // The cluster that the CTAs of a kernel without clusters are launched in:
  // they share nothing, but run in one GPC, next to each other, where those of
  // a dependent launch would land by luck. 1: none.
  uint32_t launch_cluster = 1;
  // An option of the caller, not part of the key and never tuned.
  uint32_t max_sms = 0;  // 0: all; else leave the rest to others
};

// "VARIANT oOFFSET{zn|nz} kSPLITS", then " p0" without dependent launch, then
// " gN" in launch clusters of N: stable text, the database key.
std::string ConfigKey(const GemmConfig& config);
// NotFound when this build has no such variant; InvalidArgument when malformed.
absl::StatusOr<GemmConfig> ParseConfig(std::string_view key);

bool operator==(const GemmConfig& x, const GemmConfig& y);

// The other ways to launch what `config`, a dependent launch without launch
// clusters, computes: apart, and in each launch cluster, legal or not.
std::vector<GemmConfig> OtherLaunches(const GemmConfig& config);

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_CONFIG_H_
