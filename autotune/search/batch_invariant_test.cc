#include "autotune/search/batch_invariant.h"

#include "gtest/gtest.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

bool Any(const KernelVariant&) { return true; }

GemmProblem Problem(int64_t m) {
  GemmProblem p;
  p.m = m;
  p.n = 2112;
  p.k = 7168;
  return Normalized(p);
}

TEST(InvariantCandidates, AreOfOneSumOrderAtEveryM) {
  const DeviceFacts device = *ModelledDevice("h200");
  std::string order;
  for (const int64_t m : {1, 16, 300, 4096}) {
    const absl::StatusOr<InvariantCandidates> candidates =
        InvariantCandidatesOf(Problem(m), device, Any);
    ASSERT_TRUE(candidates.ok()) << candidates.status();
    if (order.empty()) order = candidates->sum_order;
    EXPECT_EQ(candidates->sum_order, order);
    const GemmConfig fallback = *DefaultConfig(Problem(m), device);
    EXPECT_TRUE(candidates->allows(fallback));
    int of_the_order = 0;
    for (const GemmConfig& c : LegalConfigs(Problem(m), device, {})) {
      const bool fits = SumOrder(c) == order;
      EXPECT_EQ(candidates->allows(c), fits || c == fallback) << ConfigKey(c);
      of_the_order += fits;
    }
    EXPECT_GT(of_the_order, 1);
  }
}

TEST(InvariantCandidates, MustBeLaunchable) {
  const absl::StatusOr<InvariantCandidates> candidates = InvariantCandidatesOf(
      Problem(16), *ModelledDevice("h200"),
      [](const KernelVariant& v) { return v.supply == SupplyKind::kStatic; });
  ASSERT_TRUE(candidates.ok()) << candidates.status();
  for (const GemmConfig& c :
       LegalConfigs(Problem(16), *ModelledDevice("h200"), {})) {
    if (c.variant->supply == SupplyKind::kStatic) continue;
    EXPECT_FALSE(candidates->allows(c));
  }
}

}  // namespace
}  // namespace tiletune
