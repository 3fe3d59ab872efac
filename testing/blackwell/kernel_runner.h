// KernelRunner: runs KernelCases on one kernel's PTX in the emulator, as the
// launcher would on the GPU, and judges D.
//
// Use it in tests.
//
//   absl::StatusOr<std::unique_ptr<KernelRunner>> runner =
//       KernelRunner::Create(variant, kernel_ptx, repack_ptx);
//   for (const KernelCase& c : CaseCover(variant, /*seed=*/1))
//     EXPECT_TRUE((*runner)->Run(c));
#ifndef TILETUNE_TESTING_BLACKWELL_KERNEL_RUNNER_H_
#define TILETUNE_TESTING_BLACKWELL_KERNEL_RUNNER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "kernels/variant.h"
#include "testing/blackwell/kernel_case.h"

namespace tiletune {

// What the launches of a case were, and did.
struct CaseReport {
  uint64_t cluster_tiles = 0;  // slices of K and batches counted
  uint32_t grid = 0;           // CTAs
  uint32_t cluster = 1;        // CTAs
  int sms = 0;
  size_t repacks = 0;
  size_t workspace_bytes = 0;
  // Of all launches, repacks too.
  uint64_t warp_instructions = 0;
  uint64_t ctas_run = 0;
  uint64_t ctas_taken_over = 0;  // by try_cancel
  size_t findings = 0;
};

class KernelRunner {
 public:
  // Takes the text of NAME_ptx and of //kernels/repack:repack_ptx. An error
  // when the emulator does not understand them.
  static absl::StatusOr<std::unique_ptr<KernelRunner>> Create(
      const KernelVariant& variant, const std::string& kernel_ptx,
      const std::string& repack_ptx);
  ~KernelRunner();

  // Success when the emulator found nothing, every element of D
  // is right and has the same bits in every interleaving, the gaps between its
  // rows are untouched, amax is right, and the workspace's counters are zero
  // again. `report` may be null.
  testing::AssertionResult Run(const KernelCase& c,
                               CaseReport* report = nullptr);

  // The same for three dependent launches in one stream: `first`, `second`,
  // which takes first's D as its A, and `first` again, over what second read.
  // Each may start before the one ahead of it ends (programmatic dependent
  // launch). No case needs a repack; loaded_case.h says what fits as A.
  testing::AssertionResult RunDependent(const KernelCase& first,
                                        const KernelCase& second);

 private:
  struct Modules;
  explicit KernelRunner(std::unique_ptr<Modules> modules);

  std::unique_ptr<Modules> modules_;
};

}  // namespace tiletune

#endif  // TILETUNE_TESTING_BLACKWELL_KERNEL_RUNNER_H_
