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

// (Variants() and FindVariant() are in variant.h.)

// OK, or FailedPrecondition with the reason in a sentence ("needs compute
// capability 9.0", "K of 100 elements is not a multiple of 16 bytes", ...).
absl::Status CheckLegal(const GemmProblem& problem, const GemmConfig& config,
                        const DeviceFacts& device);

// False for kernels that are right for a problem but never the fastest: those
// with shifted rows where TMA can read their operand, or where a repack must
// turn or move it anyway.
bool IsMeantFor(const KernelVariant& variant, const GemmProblem& problem);

struct CandidateOptions {
  std::string kernels = "*";  // glob over variant names
  // Empty: the few offsets worth trying on this device (see l2_traffic.h), and
  // the splits that fill it. Both directions are tried for every offset.
  std::vector<uint32_t> offsets;
  std::vector<uint32_t> splits;
  // Also variants that no run has proved yet. For modelled devices, where
  // nothing runs, they always count.
  bool include_unproven = false;
};

// All legal configs of kernels meant for the problem, default config first,
// fixed order, none that visits the same tiles in the same way as another that
// is launched alike. On a real device those that leave SMs idle come once more
// for each other way to launch them. The reference variant is among them only
// where nothing else is legal, or where `kernels` names it in full.
std::vector<GemmConfig> LegalConfigs(const GemmProblem& problem,
                                     const DeviceFacts& device,
                                     const CandidateOptions& options);

// What dispatch launches with an empty database, and what every gain is
// measured against: the cost model's choice among proven variants with the
// static supply, on a real device in launch clusters of 4 where those were seen
// to pay, and the reference kernel where no such variant is legal. Legal for
// every valid problem on every device of compute capability 7.5 and above;
// FailedPrecondition on others.
absl::StatusOr<GemmConfig> DefaultConfig(const GemmProblem& problem,
                                         const DeviceFacts& device);

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_REGISTRY_H_
