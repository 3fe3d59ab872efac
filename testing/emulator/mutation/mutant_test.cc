#include "testing/emulator/mutation/mutant.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

const Mutant* Find(const std::vector<Mutant>& mutants,
                   const std::string& name) {
  const auto found =
      std::find_if(mutants.begin(), mutants.end(),
                   [&](const Mutant& m) { return m.Name() == name; });
  return found == mutants.end() ? nullptr : &*found;
}

TEST(Mutant, DropsAFenceAndKeepsTheLineNumbers) {
  const std::string ptx = "mov.u32 %r1, 1;\nfence.proxy.async;\nret;\n";
  const std::vector<Mutant> mutants = MakeMutants(ptx);
  const Mutant* drop = Find(mutants, "drop fence.proxy.async, line 2");
  ASSERT_NE(drop, nullptr);
  EXPECT_EQ(Apply(*drop, ptx), "mov.u32 %r1, 1;\n\nret;\n");
}

TEST(Mutant, MovesAFencePastTheNextEffectOnly) {
  const std::string ptx =
      "fence.proxy.async;\nmov.u32 %r1, 1;\nst.u32 [%r2], %r1;\nret;\n";
  const std::vector<Mutant> mutants = MakeMutants(ptx);
  const Mutant* move = Find(mutants, "move later fence.proxy.async, line 1");
  ASSERT_NE(move, nullptr);
  EXPECT_EQ(Apply(*move, ptx),
            "\nmov.u32 %r1, 1;\nst.u32 [%r2], %r1; fence.proxy.async;\nret;\n");
}

TEST(Mutant, KnowsItsNeighboursAndWhatItWasMovedPast) {
  const std::string ptx =
      "bar.sync 0;\nfence.proxy.async;\nld.param.u32 %r1, [p];\n"
      "st.u32 [%r2], %r1;\nret;\n";
  const std::vector<Mutant> mutants = MakeMutants(ptx);
  const Mutant* move = Find(mutants, "move later fence.proxy.async, line 2");
  ASSERT_NE(move, nullptr);
  EXPECT_EQ(move->previous, "bar.sync");
  EXPECT_EQ(move->next, "st.u32");
  EXPECT_EQ(move->past, "ld.param.u32");
}

TEST(Mutant, MovesNothingOutOfStraightLineCode) {
  const std::string ptx =
      "fence.proxy.async;\n$L1:\nst.u32 [%r2], %r1;\nret;\n";
  EXPECT_EQ(Find(MakeMutants(ptx), "move later fence.proxy.async, line 1"),
            nullptr);
}

TEST(Mutant, FlipsAParity) {
  const std::string ptx =
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%r1], %r2;\n";
  const std::vector<Mutant> mutants = MakeMutants(ptx);
  ASSERT_EQ(mutants.size(), 2u);
  EXPECT_EQ(Apply(mutants[1], ptx),
            "{.reg .b32 mutated; xor.b32 mutated, %r2, 1; "
            "mbarrier.try_wait.parity.shared::cta.b64 p, [%r1], mutated;}\n");
}

TEST(Mutant, KeepsTheArrivalOfAnExpectationItDrops) {
  const std::string ptx =
      "mbarrier.arrive.expect_tx.release.cta.b64 _, [%r1], %r2;\n";
  const std::vector<Mutant> mutants = MakeMutants(ptx);
  const Mutant* m =
      Find(mutants,
           "expect nothing in mbarrier.arrive.expect_tx.release.cta.b64, "
           "line 1");
  ASSERT_NE(m, nullptr);
  EXPECT_EQ(Apply(*m, ptx), "mbarrier.arrive.release.cta.b64 _, [%r1], 1;\n");
}

TEST(Mutant, FlipsBitsOf64BitDescriptors) {
  const std::string ptx =
      "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r3, p;\n";
  for (const Mutant& m : MakeMutants(ptx)) {
    if (m.operation != "swizzle mode of B in") continue;
    EXPECT_NE(Apply(m, ptx).find("xor.b64 mutated, %rd2, 4611686018427387904"),
              std::string::npos);
    return;
  }
  FAIL();
}

TEST(Mutant, ReadsALaunchControlResponseAfterTheArrive) {
  const std::string ptx =
      "{\n.reg .pred p;\n"
      "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, handle;\n"
      "selp.u32 %r1, 1, 0, p;\n}\n"
      "mbarrier.arrive.b64 _, [%r2], 1;\n$L1:\nret;\n";
  for (const Mutant& m : MakeMutants(ptx)) {
    if (m.operation != "read the response late in") continue;
    const std::string text = Apply(m, ptx);
    EXPECT_GT(text.find("query_cancel"), text.find("$L1:"));
    EXPECT_GT(text.find("selp"), text.find("$L1:"));
    return;
  }
  FAIL();
}

}  // namespace
}  // namespace tiletune::emulator
