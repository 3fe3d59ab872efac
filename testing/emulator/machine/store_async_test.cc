#include <string>

#include "gtest/gtest.h"
#include "testing/emulator/snippet/snippet.h"

namespace tiletune::emulator {
namespace {

// CTA 0 of a pair stores two words into CTA 1, whose barrier expects `bytes`.
Snippet StoreToNeighbour(const std::string& bytes) {
  Snippet s(
      "mov.u32 %r1, %cluster_ctarank;\n"
      "mov.u32 %r2, bar;\n"
      "mbarrier.init.shared::cta.b64 [%r2], 1;\n"
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], " +
      bytes +
      ";\n"
      "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
      "setp.eq.u32 %p1, %r1, 1;\n"
      "@%p1 bra RECEIVE;\n"
      "mapa.shared::cluster.u32 %r3, %r2, 1;\n"
      "mov.u32 %r4, buf;\n"
      "mapa.shared::cluster.u32 %r5, %r4, 1;\n"
      "mov.u32 %r6, 7;\nmov.u32 %r7, 9;\n"
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32"
      " [%r5+8], {%r6, %r7}, [%r3];\n"
      "bra DONE;\n"
      "RECEIVE:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0;\n"
      "@!%p2 bra RECEIVE;\n"
      "ld.shared.v2.u32 {%r8, %r9}, [buf+8];\n"
      "st.global.v2.u32 [%out], {%r8, %r9};\n"
      "DONE:\n"
      "barrier.cluster.arrive;\nbarrier.cluster.wait;\n");
  s.grid = {2, 1, 1};
  s.cluster = {2, 1, 1};
  s.target = "sm_90a";
  return s;
}

TEST(StoreAsync, ReachesTheNeighbourBeforeItsBarrierCompletes) {
  const Ran ran = RunSeeds(StoreToNeighbour("8"), 10);
  EXPECT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 7u);
  EXPECT_EQ(ran.out[1], 9u);
}

TEST(StoreAsync, CompletesItsBytesAndNoMore) {
  const Ran ran = RunOnce(StoreToNeighbour("16"));
  EXPECT_TRUE(ran.Found("deadlock")) << ran.Text();
}

}  // namespace
}  // namespace tiletune::emulator
