#include "gtest/gtest.h"
#include "testing/emulator/snippet/snippet.h"

namespace tiletune::emulator {
namespace {

// Thread 0 writes word, arrives; thread 32 waits, reads.
Snippet Handover(const std::string& arrive, const std::string& wait) {
  Snippet s(
      "setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared.b64 [bar], 1;"
      "bar.sync 0; @!%p1 bra READ; st.shared.u32 [word], 6;" +
      arrive +
      "bra END; READ: setp.ne.u32 %p2, %t, 32; @%p2 bra END; WAIT:" + wait +
      "@!%p3 bra WAIT; ld.shared.u32 %r1, [word]; st.global.u32 [%out], %r1;"
      "END:");
  s.block = {64, 1, 1};
  return s;
}

const char kArrive[] = "mbarrier.arrive.shared::cta.b64 _, [bar];";
const char kWait[] = "mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], 0;";

TEST(MbarrierOps, ArriveAndWaitOrderMemory) {
  Ran ran = RunSeeds(Handover(kArrive, kWait), 8);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 6u);
}

TEST(MbarrierOps, TestWaitPolls) {
  Ran ran = RunSeeds(
      Handover(kArrive,
               "mbarrier.test_wait.parity.shared::cta.b64 %p3, [bar], 0;"),
      4);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
}

TEST(MbarrierOps, RelaxedArrivalsDoNotOrderMemory) {
  EXPECT_TRUE(FindsWithSomeSeed(
      Handover("mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [bar];", kWait),
      "data race", 4));
}

TEST(MbarrierOps, AFreshBarrierPassesParityOne) {
  Snippet s(
      "mbarrier.init.shared.b64 [bar], 1;"
      "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 1;"
      "mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;"
      "selp.u32 %r1, 1, 0, %p1; selp.u32 %r2, 1, 0, %p2;"
      "st.global.v2.u32 [%out], {%r1, %r2};");
  Ran ran = RunOnce(s);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 1u);
  EXPECT_EQ(ran.out[1], 0u);
}

TEST(MbarrierOps, TransactionsHoldThePhaseOpen) {
  Snippet s(
      "mbarrier.init.shared.b64 [bar], 1;"
      "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 8;"
      "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;"
      "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 8;"
      "mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;"
      "selp.u32 %r1, 1, 0, %p1; selp.u32 %r2, 1, 0, %p2;"
      "st.global.v2.u32 [%out], {%r1, %r2};");
  Ran ran = RunOnce(s);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 0u);
  EXPECT_EQ(ran.out[1], 1u);
}

TEST(MbarrierOps, StateOfArriveNamesItsPhase) {
  Snippet s(
      "mbarrier.init.shared.b64 [bar], 2;"
      "mbarrier.arrive.shared.b64 %rd1, [bar];"
      "mbarrier.test_wait.shared.b64 %p1, [bar], %rd1;"
      "mbarrier.arrive.shared.b64 %rd2, [bar];"
      "mbarrier.test_wait.shared.b64 %p2, [bar], %rd1;"
      "mbarrier.pending_count.b64 %r3, %rd1;"
      "selp.u32 %r1, 1, 0, %p1; selp.u32 %r2, 1, 0, %p2;"
      "st.global.v2.u32 [%out], {%r1, %r2}; st.global.u32 [%out+8], %r3;");
  Ran ran = RunOnce(s);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 0u);
  EXPECT_EQ(ran.out[1], 1u);
  EXPECT_EQ(ran.out[2], 2u);
}

TEST(MbarrierOps, ArriveDropLowersLaterPhases) {
  Snippet s(
      "mbarrier.init.shared.b64 [bar], 2;"
      "mbarrier.arrive_drop.shared.b64 _, [bar];"
      "mbarrier.arrive.shared.b64 _, [bar];"
      "mbarrier.arrive.shared.b64 _, [bar];"
      "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 1;"
      "selp.u32 %r1, 1, 0, %p1; st.global.u32 [%out], %r1;");
  Ran ran = RunOnce(s);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 1u);
}

TEST(MbarrierOpsCheck, SeesMoreArrivalsThanExpected) {
  Snippet s(
      "mbarrier.init.shared.b64 [bar], 1; mov.u32 %r1, 2;"
      "mbarrier.arrive.release.cta.shared.b64 _, [bar], %r1;");
  EXPECT_TRUE(RunOnce(s).Found("mbarrier phase overrun"));
}

TEST(MbarrierOpsCheck, SeesAWaiterThatMissedItsPhase) {
  // Two phases complete while thread 32 waits for the first.
  Ran ran;
  bool found =
      FindsWithSomeSeed(Handover(std::string(kArrive) + kArrive, kWait),
                        "mbarrier phase overrun", 40);
  EXPECT_TRUE(found);
}

TEST(MbarrierOpsCheck, SeesTransactionOverflow) {
  Snippet s(
      "mbarrier.init.shared.b64 [bar], 1;"
      "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 1048576;"
      "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 1048576;");
  EXPECT_TRUE(RunOnce(s).Found("mbarrier transaction overflow"));
}

TEST(MbarrierOpsCheck, SeesUseWithoutInitAndDoubleInit) {
  EXPECT_TRUE(RunOnce(Snippet("mbarrier.arrive.shared.b64 _, [bar];"))
                  .Found("no mbarrier"));
  EXPECT_TRUE(RunOnce(Snippet("mbarrier.init.shared.b64 [bar], 1;"
                              "mbarrier.init.shared.b64 [bar], 1;"))
                  .Found("mbarrier initialised twice"));
  EXPECT_TRUE(RunOnce(Snippet("mbarrier.init.shared.b64 [bar], 1;"
                              "mbarrier.inval.shared.b64 [bar];"
                              "mbarrier.init.shared.b64 [bar], 1;"))
                  .Clean());
}

TEST(MbarrierOpsCheck, SeesUseBeforeTheInitIsVisibleIfStrict) {
  // Thread 0 initialises, thread 32 arrives.
  auto arrive = [](const std::string& between) {
    Snippet s(
        "setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared.b64 [bar], 1;" +
        between +
        "setp.eq.u32 %p2, %t, 32;"
        "@%p2 mbarrier.arrive.shared.b64 _, [bar];");
    s.block = {64, 1, 1};
    return s;
  };
  EXPECT_TRUE(RunSeeds(arrive("bar.sync 0;"), 4).Clean());
  Snippet unordered = arrive("");
  unordered.options.checks = Checks::kStrict;
  EXPECT_TRUE(FindsWithSomeSeed(unordered, "mbarrier not visible", 20));
  unordered.options.checks = Checks::kHardware;
  EXPECT_FALSE(FindsWithSomeSeed(unordered, "mbarrier not visible", 20));
}

// The CTAs of a pair initialise their mbarriers and arrive on each other's.
Snippet ArriveRemotely(const std::string& fence, const std::string& arrive) {
  Snippet s("mbarrier.init.shared.b64 [bar], 1;" + fence + arrive +
            "barrier.cluster.wait; mov.u32 %r1, %cluster_ctarank;"
            "xor.b32 %r1, %r1, 1; mov.u32 %r2, bar;"
            "mapa.shared::cluster.u32 %r3, %r2, %r1;"
            "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r3];"
            "W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W;"
            "barrier.cluster.arrive; barrier.cluster.wait;");
  s.grid = {2, 1, 1};
  s.cluster = {2, 1, 1};
  return s;
}

TEST(MbarrierOpsCheck, ARelaxedClusterBarrierNeedsTheInitFence) {
  const std::string fence = "fence.mbarrier_init.release.cluster;";
  const std::string relaxed = "barrier.cluster.arrive.relaxed;";
  EXPECT_TRUE(RunSeeds(ArriveRemotely(fence, relaxed), 4).Clean());
  EXPECT_TRUE(
      RunSeeds(ArriveRemotely("", "barrier.cluster.arrive;"), 4).Clean());
  EXPECT_TRUE(
      RunSeeds(ArriveRemotely("", relaxed), 1).Found("mbarrier not visible"));
}

TEST(MbarrierOpsCheck, SeesPlainAccessToAnMbarrier) {
  EXPECT_TRUE(RunOnce(Snippet("mbarrier.init.shared.b64 [bar], 1;"
                              "st.shared.u32 [bar], 0;"))
                  .Found("plain access to an mbarrier"));
}

TEST(MbarrierOps, AWarpMayInitialiseOneMbarrierInHardware) {
  Snippet s(
      "mbarrier.init.shared.b64 [bar], 32; bar.warp.sync 0xffffffff;"
      "mbarrier.arrive.shared.b64 _, [bar];"
      "W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W;");
  s.block = {32, 1, 1};
  EXPECT_TRUE(RunSeeds(s, 1).Found("mbarrier initialised twice"));
  s.options.checks = Checks::kHardware;
  Ran ran = RunOnce(s);
  EXPECT_TRUE(ran.Clean()) << ran.Text();
  s.body = "add.u32 %r1, %t, 1; mbarrier.init.shared.b64 [bar], %r1;";
  EXPECT_TRUE(RunOnce(s).Found("mbarrier initialised twice"));
}

// Asks for a phase once, and completes it whatever the answer.
TEST(MbarrierOps, ATryWaitThatNothingCompletesReturns) {
  Snippet s(
      "mbarrier.init.shared.b64 [bar], 1;"
      "mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;"
      "selp.u32 %r1, 1, 0, %p1; st.global.u32 [%out], %r1;"
      "mbarrier.arrive.shared.b64 _, [bar];"
      "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W;");
  Ran ran = RunSeeds(s, 8);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 0u);
}

// The same beside a thread that spins until the answer is there.
TEST(MbarrierOps, ATryWaitBesideASpinningThreadReturns) {
  Snippet s(
      "setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared.b64 [bar], 1;"
      "@%p1 st.shared.u32 [word], 0; bar.sync 0; @!%p1 bra SPIN;"
      "mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;"
      "st.release.cta.shared.u32 [word], 1; bra END;"
      "SPIN: ld.acquire.cta.shared.u32 %r1, [word]; setp.eq.u32 %p3, %r1, 0;"
      "@%p3 bra SPIN; END:");
  s.block = {33, 1, 1};
  Ran ran = RunSeeds(s, 4);
  EXPECT_TRUE(ran.Clean()) << ran.Text();
}

TEST(MbarrierOpsCheck, SeesADeadlockBehindStoresThatNobodyWaitsFor) {
  Snippet s(
      "mbarrier.init.shared.b64 [bar], 3;"
      "W: st.global.u32 [%out], 1;"
      "mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W;");
  EXPECT_TRUE(RunOnce(s).Found("deadlock"));
}

TEST(MbarrierOpsCheck, DeadlockSaysWhatThePhaseLacks) {
  Snippet s(
      "mbarrier.init.shared.b64 [bar], 3; mbarrier.arrive.shared.b64 _, [bar];"
      "W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W;");
  Ran ran = RunOnce(s);
  ASSERT_TRUE(ran.Found("deadlock")) << ran.Text();
  EXPECT_NE(ran.Text().find("lacks 2 of 3 arrivals"), std::string::npos)
      << ran.Text();
}

}  // namespace
}  // namespace tiletune::emulator
