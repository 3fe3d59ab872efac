// The registry: which variants exist, which configs are legal for a problem on
// a device, and what runs when nothing is known. No CUDA needed.
//
//   GemmConfig fallback = *DefaultConfig(problem, device);
//   for (const GemmConfig& c : LegalConfigs(problem, device, {}))
//     consider(c);
#ifndef TILETUNE_KERNELS_REGISTRY_H_
#define TILETUNE_KERNELS_REGISTRY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernels/config.h"
#include "kernels/device.h"
#include "kernels/problem.h"
#include "kernels/variant.h"

namespace tiletune {

// Every variant this source tree knows, linked or not, in a fixed order.
const std::vector<KernelVariant>& Variants();

// nullptr when there is none.
const KernelVariant* FindVariant(std::string_view name);

// OK, or FailedPrecondition with the reason in a sentence ("needs compute
// capability 9.0", "K of 100 elements is not a multiple of 16 bytes", ...).
absl::Status CheckLegal(const GemmProblem& problem, const GemmConfig& config,
                        const DeviceFacts& device);

struct CandidateOptions {
  std::string kernels = "*";  // glob over variant names
  // Empty: the offsets worth trying on this device (see l2_traffic.h).
  std::vector<uint32_t> offsets;
  std::vector<uint32_t> splits;
  bool include_unproven = false;
};

// All legal configs, default config first, no duplicates, fixed order.
std::vector<GemmConfig> LegalConfigs(const GemmProblem& problem,
                                     const DeviceFacts& device,
                                     const CandidateOptions& options);

// What dispatch launches with an empty database; legal for every valid
// problem on every supported device. FailedPrecondition on other devices.
absl::StatusOr<GemmConfig> DefaultConfig(const GemmProblem& problem,
                                         const DeviceFacts& device);

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_REGISTRY_H_
