#include "gtest/gtest.h"
#include "testing/emulator/snippet/snippet.h"

namespace tiletune::emulator {
namespace {

TEST(Barrier, NamedBarriersPairProducersWithConsumers) {
  // Warp 0 arrives, warp 1 syncs, over barrier 3 with 64 threads.
  Snippet s(
      "setp.lt.u32 %p1, %t, 32; @!%p1 bra WAIT;"
      "setp.eq.u32 %p2, %t, 0; @%p2 st.shared.u32 [word], 5;"
      "bar.arrive 3, 64; bra END;"
      "WAIT: bar.sync 3, 64; ld.shared.u32 %r1, [word];"
      "st.global.u32 [%out], %r1; END:");
  s.block = {64, 1, 1};
  Ran ran = RunSeeds(s, 6);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 5u);
}

TEST(Barrier, ReducesPredicates) {
  Snippet s(
      "setp.lt.u32 %p1, %t, 40; bar.red.popc.u32 %r1, 0, %p1;"
      "bar.red.and.pred %p2, 1, %p1; selp.u32 %r2, 1, 0, %p2;"
      "setp.eq.u32 %p3, %t, 0; @%p3 st.global.v2.u32 [%out], {%r1, %r2};");
  s.block = {64, 1, 1};
  Ran ran = RunOnce(s);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 40u);
  EXPECT_EQ(ran.out[1], 0u);
}

TEST(Barrier, ReportsADeadlockAndWhoWaits) {
  Snippet s("setp.lt.u32 %p1, %t, 32; @%p1 bar.sync 1, 64;");
  s.block = {64, 1, 1};
  Ran ran = RunOnce(s);
  ASSERT_TRUE(ran.Found("deadlock")) << ran.Text();
  EXPECT_NE(ran.Text().find("waits at a CTA barrier"), std::string::npos);
}

TEST(Barrier, RejectsAThreadCountThatIsNoMultipleOfAWarp) {
  Snippet s("bar.sync 1, 33;");
  s.block = {32, 1, 1};
  EXPECT_TRUE(RunOnce(s).Found("bad barrier"));
}

// PTX ISA 9.7.13.1: all threads of a warp execute the same .aligned barrier.
TEST(Barrier, IsNotForTheLanesOfAPredicateIfAlignedAndStrict) {
  const auto finds = [](const std::string& lanes, const std::string& barrier,
                        Checks checks) {
    Snippet s("setp.lt.u32 %p1, %t, " + lanes + "; @%p1 " + barrier);
    s.block = {48, 1, 1};  // the second warp has 16 lanes
    s.options.checks = checks;
    return RunOnce(s).Found("diverged warp");
  };
  for (const std::string& barrier :
       {std::string("bar.sync 0;"), std::string("barrier.sync.aligned 0;"),
        std::string("bar.arrive 1, 64;")}) {
    EXPECT_TRUE(finds("16", barrier, Checks::kStrict)) << barrier;
    EXPECT_TRUE(finds("40", barrier, Checks::kStrict)) << barrier;
    EXPECT_FALSE(finds("16", barrier, Checks::kHardware)) << barrier;
    EXPECT_FALSE(finds("48", barrier, Checks::kStrict)) << barrier;
    EXPECT_FALSE(finds("32", barrier, Checks::kStrict)) << barrier;
  }
  EXPECT_FALSE(finds("16", "barrier.sync 0;", Checks::kStrict));
}

// As the lanes behind an early return do; PTX does not tell them from others.
TEST(Barrier, DoesNotMissLanesThatGoAroundItAndExit) {
  Snippet s("setp.ge.u32 %p1, %t, 16; @%p1 bra END; bar.sync 0; END:");
  s.block = {32, 1, 1};
  s.options.checks = Checks::kStrict;
  const Ran ran = RunSeeds(s, 8);
  EXPECT_TRUE(ran.Clean()) << ran.Text();
}

// Warp 1 writes and exits; warp 0 reads behind `sync`, which waits for no
// exited thread.
Snippet WriteAndExit(const std::string& sync) {
  Snippet s("setp.ge.u32 %p1, %t, 32; @%p1 bra WRITE;" + sync +
            "ld.shared.u32 %r1, [word]; st.global.u32 [%out], %r1; bra END;"
            "WRITE: st.shared.u32 [word], 5; END:");
  s.block = {64, 1, 1};
  return s;
}

TEST(Barrier, OrdersWhatExitedWarpsDidInHardware) {
  for (const char* sync :
       {"bar.sync 0;", "barrier.cluster.arrive; barrier.cluster.wait;"}) {
    Snippet s = WriteAndExit(sync);
    s.options.checks = Checks::kStrict;
    EXPECT_FALSE(RunSeeds(s, 4).Clean()) << sync;
    s.options.checks = Checks::kHardware;
    for (s.options.seed = 0; s.options.seed < 8; ++s.options.seed) {
      Ran ran = RunOnce(s);
      ASSERT_TRUE(ran.Clean()) << sync << ran.Text();
      EXPECT_EQ(ran.out[0], 5u) << sync;
    }
  }
}

// Lanes that arrive and exit do not stand for the warp that has not arrived.
TEST(ClusterBarrier, WaitsForLiveThreadsBesideExitedOnes) {
  Snippet s(
      "setp.ge.u32 %p1, %t, 32; @%p1 bra LATE; barrier.cluster.arrive;"
      "setp.ne.u32 %p2, %t, 0; @%p2 bra END; barrier.cluster.wait;"
      "ld.shared.u32 %r1, [word]; st.global.u32 [%out], %r1; bra END;"
      "LATE: mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1;"
      "setp.lt.u32 %p3, %r2, 200; @%p3 bra L; st.shared.u32 [word], 5;"
      "barrier.cluster.arrive; END:");
  s.block = {48, 1, 1};  // 31 threads have exited, 16 are late
  Ran ran = RunSeeds(s, 8);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 5u);
}

TEST(ClusterBarrier, ReportsAWaitOfThreadsThatHaveNotArrived) {
  const std::string sync = "barrier.cluster.arrive; barrier.cluster.wait;";
  EXPECT_TRUE(RunSeeds(Snippet(sync + sync), 8).Clean());
  for (const std::string& text :
       {std::string("barrier.cluster.wait;"), sync + "barrier.cluster.wait;"}) {
    EXPECT_TRUE(RunSeeds(Snippet(text), 8).Found("bad barrier")) << text;
  }
}

// Warp 0 waits; of warp 1, lane 0 has arrived and the others exit without.
TEST(ClusterBarrier, NoticesLanesThatExit) {
  Snippet s(
      "setp.eq.u32 %p1, %t, 0; @%p1 st.shared.u32 [word], 0; bar.sync 0;"
      "setp.ge.u32 %p1, %t, 32; @%p1 bra SECOND;"
      "barrier.cluster.arrive; barrier.cluster.wait;"
      "st.release.cta.shared.u32 [word], 1; bra END;"
      "SECOND: setp.eq.u32 %p2, %t, 32; @%p2 bra ARRIVES;"
      "mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1; setp.lt.u32 %p3, %r2, 200;"
      "@%p3 bra L; bra END; ARRIVES: barrier.cluster.arrive;"
      "SPIN: ld.acquire.cta.shared.u32 %r1, [word]; setp.eq.u32 %p3, %r1, 0;"
      "@%p3 bra SPIN; END:");
  s.block = {64, 1, 1};
  Ran ran = RunSeeds(s, 8);
  EXPECT_FALSE(ran.Found("deadlock")) << ran.Text();
}

TEST(ClusterBarrier, RelaxedOrdersItsOwnCtaInHardwareAlone) {
  const std::string sync =
      "barrier.cluster.arrive.relaxed; barrier.cluster.wait;";
  Snippet own("setp.eq.u32 %p1, %t, 0; @%p1 st.shared.u32 [word], 5;" + sync +
              "ld.shared.u32 %r1, [word]; setp.eq.u32 %p2, %t, 32;"
              "@%p2 st.global.u32 [%out], %r1;");
  own.block = {64, 1, 1};
  EXPECT_TRUE(RunSeeds(own, 1).Found("data race"));
  own.options.checks = Checks::kHardware;
  Ran ran = RunOnce(own);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 5u);
  Snippet peer("mov.u32 %r1, %cluster_ctarank; st.shared.u32 [word], 5;" +
               sync +
               "xor.b32 %r3, %r1, 1; mov.u32 %r4, word;"
               "mapa.shared::cluster.u32 %r5, %r4, %r3;"
               "ld.shared::cluster.u32 %r6, [%r5];"
               "barrier.cluster.arrive; barrier.cluster.wait;");
  peer.grid = peer.cluster = {2, 1, 1};
  peer.options.checks = Checks::kHardware;
  EXPECT_TRUE(RunOnce(peer).Found("data race"));
}

TEST(ClusterBarrier, OrdersDistributedSharedMemory) {
  std::string write =
      "mov.u32 %r1, %cluster_ctarank; add.u32 %r2, %r1, 70;"
      "st.shared.u32 [word], %r2;";
  std::string sync = "barrier.cluster.arrive; barrier.cluster.wait;";
  std::string read =
      "xor.b32 %r3, %r1, 1; mov.u32 %r4, word;"
      "mapa.shared::cluster.u32 %r5, %r4, %r3;"
      "ld.shared::cluster.u32 %r6, [%r5]; mul.wide.u32 %rd1, %r1, 4;"
      "add.u64 %rd2, %out, %rd1; st.global.u32 [%rd2], %r6;";
  Snippet fixed(write + sync + read + sync);
  fixed.grid = {2, 1, 1};
  fixed.cluster = {2, 1, 1};
  Ran ran = RunSeeds(fixed, 8);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 71u);
  EXPECT_EQ(ran.out[1], 70u);
  // Without the trailing barrier the peer may be gone.
  Snippet leaves(write + sync + read);
  leaves.grid = {2, 1, 1};
  leaves.cluster = {2, 1, 1};
  EXPECT_TRUE(FindsWithSomeSeed(leaves, "access to an exited CTA", 30));
  // Without the leading one it may not have started, or not have written.
  Snippet early(write + read + sync);
  early.grid = {2, 1, 1};
  early.cluster = {2, 1, 1};
  EXPECT_TRUE(
      FindsWithSomeSeed(early, "data race", 20) ||
      FindsWithSomeSeed(early, "access to a CTA that has not started", 20));
}

TEST(Barrier, ADeadlockNamesNoMbarrierThatIsNotWaitedFor) {
  // Warp 0 waits for warp 1 at an mbarrier, then for itself.
  Snippet s(
      "setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared.b64 [bar], 32;"
      "bar.sync 0; setp.ge.u32 %p4, %t, 32; @!%p4 bra WAIT; mov.u32 %r1, 0;"
      "SLOW: add.u32 %r1, %r1, 1; setp.lt.u32 %p3, %r1, 500; @%p3 bra SLOW;"
      "mbarrier.arrive.shared.b64 _, [bar]; bra END;"
      "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;"
      "@!%p2 bra WAIT; @%p1 bra ONE; bar.sync 1; ONE: bar.sync 2; END:");
  s.block = {64, 1, 1};
  const Ran ran = RunOnce(s);
  ASSERT_TRUE(ran.Found("deadlock")) << ran.Text();
  EXPECT_NE(ran.Text().find("waits for the other lanes of its warp"),
            std::string::npos)
      << ran.Text();
  EXPECT_EQ(ran.Text().find("mbarrier"), std::string::npos) << ran.Text();
}

}  // namespace
}  // namespace tiletune::emulator
