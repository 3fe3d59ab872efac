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

// Both CTAs hold 5 in buf; eight lanes of CTA 0 reduce into CTA 1's.
Snippet ReduceIntoNeighbour(const std::string& opcode) {
  Snippet s(
      "mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, bar; mov.u32 %r4, buf;"
      "setp.eq.u32 %p3, %t, 0;"
      "@%p3 mbarrier.init.shared::cta.b64 [%r2], 1;"
      "@%p3 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 32;"
      "@%p3 st.shared.u32 [buf], 5;"
      "barrier.cluster.arrive; barrier.cluster.wait;"
      "setp.eq.u32 %p1, %r1, 1; @%p1 bra RECEIVE;"
      "mapa.shared::cluster.u32 %r3, %r2, 1;"
      "mapa.shared::cluster.u32 %r5, %r4, 1;" +
      opcode +
      " [%r5], %t, [%r3]; bra DONE; RECEIVE:"
      "mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0;"
      "@!%p2 bra RECEIVE; ld.shared.u32 %r8, [buf];"
      "@%p3 st.global.u32 [%out], %r8;"
      "DONE: barrier.cluster.arrive; barrier.cluster.wait;");
  s.grid = {2, 1, 1};
  s.cluster = {2, 1, 1};
  s.block = {8, 1, 1};
  return s;
}

TEST(ReduceAsync, AddsTheOperandsOfAllLanes) {
  const std::string prefix =
      "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes";
  Ran ran = RunSeeds(ReduceIntoNeighbour(prefix + ".add.u32"), 6);
  EXPECT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 5u + 28u);
  ran = RunSeeds(ReduceIntoNeighbour(prefix + ".max.s32"), 2);
  EXPECT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 7u);
}

TEST(ReduceAsync, RefusesOperationsThatTheTypeLacks) {
  EXPECT_NE(
      RunOnce(ReduceIntoNeighbour("red.async.relaxed.cluster.shared::cluster."
                                  "mbarrier::complete_tx::bytes.exch.u32"))
          .error,
      "");
}

TEST(StoreAsync, CompletesItsBytesAndNoMore) {
  const Ran ran = RunOnce(StoreToNeighbour("16"));
  EXPECT_TRUE(ran.Found("deadlock")) << ran.Text();
}

}  // namespace
}  // namespace tiletune::emulator
