// Which instructions order the lanes of one warp, as strict checks see it.
#include "gtest/gtest.h"
#include "testing/emulator/snippet/snippet.h"

namespace tiletune::emulator {
namespace {

Snippet OneWarp(const std::string& body, Checks checks = Checks::kStrict) {
  Snippet s(body);
  s.block = {32, 1, 1};
  s.options.checks = checks;
  return s;
}

// Every lane writes a word of buf, and reads the next lane's.
std::string Exchange(const std::string& between) {
  return "mov.u32 %r1, buf; shl.b32 %r2, %t, 2; add.u32 %r3, %r1, %r2;"
         "st.shared.u32 [%r3], %t;" +
         between +
         "xor.b32 %r4, %r2, 4; add.u32 %r5, %r1, %r4;"
         "ld.shared.u32 %r6, [%r5]; mul.wide.u32 %rd1, %t, 4;"
         "add.u64 %rd2, %out, %rd1; st.global.u32 [%rd2], %r6;";
}

TEST(LaneOrder, AWarpBarrierOrdersMemoryAccesses) {
  const Ran ran = RunOnce(OneWarp(Exchange("bar.warp.sync 0xFFFFFFFF;")));
  EXPECT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[6], 7u);
  EXPECT_TRUE(RunOnce(OneWarp(Exchange("bar.sync 0;"))).Clean());
}

TEST(LaneOrder, WithoutABarrierLanesRace) {
  EXPECT_TRUE(RunOnce(OneWarp(Exchange(""))).Found("data race"));
  EXPECT_TRUE(RunOnce(OneWarp(Exchange(""), Checks::kHardware)).Clean());
}

TEST(LaneOrder, ShufflesVotesAndElectionsOrderNothing) {
  for (const char* between :
       {"shfl.sync.idx.b32 %r9, %t, 0, 31, 0xFFFFFFFF;",
        "setp.eq.u32 %p1, %t, 0; vote.sync.ballot.b32 %r9, %p1, 0xFFFFFFFF;",
        "elect.sync %r9|%p1, 0xFFFFFFFF;"}) {
    EXPECT_TRUE(RunOnce(OneWarp(Exchange(between))).Found("data race"))
        << between;
  }
}

TEST(LaneOrder, AWarpBarrierOrdersItsMembersOnly) {
  // Pairs exchange words: a barrier of each half does, one of even lanes does
  // not.
  EXPECT_TRUE(RunOnce(OneWarp(Exchange("setp.lt.u32 %p1, %t, 16; @%p1 bra LOW;"
                                       "bar.warp.sync 0xFFFF0000; bra JOIN;"
                                       "LOW: bar.warp.sync 0x0000FFFF; JOIN:")))
                  .Clean());
  EXPECT_TRUE(RunOnce(OneWarp(Exchange("and.b32 %r8, %t, 1;"
                                       "setp.eq.u32 %p1, %r8, 1; @%p1 bra ODD;"
                                       "bar.warp.sync 0x55555555; ODD:")))
                  .Found("data race"));
}

TEST(LaneOrder, DivergedLanesAdvanceInAnyOrder) {
  // Each half adds its digit to a log; some seed lets the second half begin.
  Snippet s = OneWarp(
      "setp.eq.u32 %p1, %t, 0; setp.lt.u32 %p2, %t, 16; setp.eq.u32 %p3, %t, "
      "16;"
      "@%p2 bra LOW; mov.u32 %r1, 2; bra ADD_HIGH;"
      "LOW: @!%p1 bra END; nanosleep.u32 1; nanosleep.u32 1;"
      "atom.global.exch.b32 %r2, [%out], 1; bra END;"
      "ADD_HIGH: @!%p3 bra END; atom.global.exch.b32 %r2, [%out], 2; END:");
  bool low_last = false;
  bool high_last = false;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    s.options.seed = seed;
    const Ran ran = RunOnce(s);
    ASSERT_TRUE(ran.Clean()) << ran.Text();
    low_last = low_last || ran.out[0] == 1;
    high_last = high_last || ran.out[0] == 2;
  }
  EXPECT_TRUE(low_last);
  EXPECT_TRUE(high_last);
}

TEST(LaneOrder, ALaneIsOrderedWithItself) {
  // Narrow stores: two lanes share each word.
  const Ran ran = RunOnce(OneWarp(
      "mov.u32 %r1, buf; shl.b32 %r2, %t, 1; add.u32 %r3, %r1, %r2;"
      "cvt.u16.u32 %h1, %t; st.shared.u16 [%r3], %h1;"
      "ld.shared.u16 %h2, [%r3]; st.shared.u16 [%r3], %h2;"
      "shl.b32 %r2, %t, 4; add.u32 %r3, %r1, %r2; add.u32 %r3, %r3, 512;"
      "st.shared.v4.u32 [%r3], {%t, %t, %t, %t};"
      "ld.shared.v2.u32 {%r4, %r5}, [%r3+8]; st.shared.u32 [%r3+4], %r4;"));
  EXPECT_TRUE(ran.Clean()) << ran.Text();
}

TEST(LaneOrder, OthersMayReadWhatOneLaneWroteAfterABarrier) {
  const std::string write =
      "setp.eq.u32 %p1, %t, 3; @%p1 st.shared.u32 [word], 5;";
  const std::string read = "ld.shared.u32 %r1, [word];";
  const std::string sync = "bar.warp.sync 0xFFFFFFFF;";
  const std::string again = "@%p1 st.shared.u32 [word], 6;";
  EXPECT_TRUE(RunOnce(OneWarp(write + sync + read + sync + again)).Clean());
  EXPECT_TRUE(RunOnce(OneWarp(write + read)).Found("data race"));
  EXPECT_TRUE(RunOnce(OneWarp(write + sync + read + again)).Found("data race"));
}

// All lanes write 16 bytes each, one of them sends them off.
std::string StoreByOneLane(const std::string& between) {
  return "mov.u32 %r1, buf; shl.b32 %r2, %t, 4; add.u32 %r3, %r1, %r2;"
         "st.shared.v4.u32 [%r3], {%t, %t, %t, %t}; fence.proxy.async;" +
         between +
         "elect.sync %r9|%p1, 0xFFFFFFFF;"
         "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [buf], 512;"
         "@%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0;";
}

TEST(LaneOrder, AnElectedLaneSendsWhatOthersWroteAfterABarrier) {
  EXPECT_TRUE(
      RunOnce(OneWarp(StoreByOneLane("bar.warp.sync 0xFFFFFFFF;"))).Clean());
  EXPECT_TRUE(RunOnce(OneWarp(StoreByOneLane(""))).Found("data race"));
}

TEST(LaneOrder, AProxyFenceAndABarrierMayComeInEitherOrder) {
  const std::string write =
      "mov.u32 %r1, buf; shl.b32 %r2, %t, 4; add.u32 %r3, %r1, %r2;"
      "st.shared.v4.u32 [%r3], {%t, %t, %t, %t};";
  const std::string send =
      "setp.eq.u32 %p1, %t, 0;"
      "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [buf], 512;"
      "@%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0;";
  const std::string sync = "bar.warp.sync 0xFFFFFFFF;";
  const std::string fence = "fence.proxy.async.shared::cta;";
  EXPECT_TRUE(RunOnce(OneWarp(write + fence + sync + send)).Clean());
  EXPECT_TRUE(RunOnce(OneWarp(write + sync + fence + send)).Clean());
  EXPECT_TRUE(
      RunOnce(OneWarp(write + sync + send)).Found("missing proxy fence"));
  // The fence of another lane alone, before the barrier, fences only what
  // that lane knows.
  EXPECT_TRUE(RunOnce(OneWarp(write + "setp.eq.u32 %p2, %t, 7; @%p2 " + fence +
                              sync + send))
                  .Found("missing proxy fence"));
}

// The lanes read words, an elected one tells the other warp, which overwrites.
Snippet ReleaseByOneLane(const std::string& between) {
  Snippet s = OneWarp(
      "setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared.b64 [bar], 1;"
      "@%p1 st.shared.u32 [word], 1; bar.sync 0;"
      "setp.ge.u32 %p2, %t, 32; @%p2 bra OTHER;"
      "ld.shared.u32 %r1, [word];" +
      between +
      "elect.sync %r9|%p3, 0xFFFFFFFF;"
      "@%p3 mbarrier.arrive.shared.b64 _, [bar]; bra END;"
      "OTHER: W: mbarrier.try_wait.parity.shared.b64 %p4, [bar], 0;"
      "@!%p4 bra W; setp.eq.u32 %p5, %t, 32; @%p5 st.shared.u32 [word], 2;"
      "END:");
  s.block = {64, 1, 1};
  return s;
}

TEST(LaneOrder, AnElectedLaneReleasesForOthersAfterABarrier) {
  EXPECT_TRUE(
      RunSeeds(ReleaseByOneLane("bar.warp.sync 0xFFFFFFFF;"), 4).Clean());
  EXPECT_TRUE(RunOnce(ReleaseByOneLane("")).Found("data race"));
}

TEST(LaneOrder, WhatOneLaneWaitedForOthersLearnAtABarrier) {
  auto waits = [](const std::string& guard, const std::string& between) {
    Snippet s = OneWarp(
        "setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared.b64 [bar], 1;"
        "bar.sync 0; setp.ge.u32 %p2, %t, 32; @%p2 bra OTHER;"
        "setp.ne.u32 %p6, %t, 0;" +
        guard +
        "W: mbarrier.try_wait.parity.shared.b64 %p4, [bar], 0; @!%p4 bra W;"
        "GO: " +
        between +
        "ld.shared.u32 %r1, [word]; bra END;"
        "OTHER: setp.eq.u32 %p5, %t, 32; @%p5 st.shared.u32 [word], 2;"
        "@%p5 mbarrier.arrive.shared.b64 _, [bar]; END:");
    s.block = {64, 1, 1};
    return s;
  };
  const std::string sync = "bar.warp.sync 0xFFFFFFFF;";
  EXPECT_TRUE(RunSeeds(waits("", ""), 4).Clean());
  EXPECT_TRUE(RunSeeds(waits("@%p6 bra GO;", sync), 4).Clean());
  EXPECT_TRUE(FindsWithSomeSeed(waits("@%p6 bra GO;", ""), "data race", 4));
}

TEST(LaneOrder, AFenceOrdersOneLane) {
  // Lane 0 of the first CTA writes a flag for all lanes' words.
  auto publish = [](const std::string& between) {
    Snippet s = OneWarp(
        "mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd1, %t, 4;"
        "add.u64 %rd2, %out, %rd1; setp.eq.u32 %p2, %t, 0;"
        "setp.eq.u32 %p1, %r1, 1; @%p1 bra READ;"
        "st.global.u32 [%rd2], %t;" +
        between +
        "@%p2 fence.acq_rel.gpu;"
        "@%p2 st.relaxed.gpu.global.u32 [%out+512], 1; bra END;"
        "READ: SPIN: ld.relaxed.gpu.global.u32 %r3, [%out+512];"
        "setp.eq.u32 %p3, %r3, 0; @%p3 bra SPIN; fence.acq_rel.gpu;"
        "ld.global.u32 %r4, [%rd2]; END:");
    s.grid = {2, 1, 1};
    return s;
  };
  EXPECT_TRUE(RunSeeds(publish("bar.warp.sync 0xFFFFFFFF;"), 4).Clean());
  EXPECT_TRUE(FindsWithSomeSeed(publish(""), "data race", 4));
}

TEST(LaneOrder, MatrixLoadsReadWhatAllLanesWroteAfterABarrier) {
  auto load = [](const std::string& between) {
    return OneWarp(
        "mov.u32 %r1, buf; shl.b32 %r2, %t, 4; add.u32 %r3, %r1, %r2;"
        "st.shared.v4.u32 [%r3], {%t, %t, %t, %t};" +
        between +
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, "
        "[%r3];");
  };
  EXPECT_TRUE(RunOnce(load("bar.warp.sync 0xFFFFFFFF;")).Clean());
  EXPECT_TRUE(RunOnce(load("")).Found("data race"));
}

// Thread t writes `value` to word `index` of buf, with one instruction.
Snippet WritesTo(const std::string& index, const std::string& value,
                 const std::string& space = "shared") {
  return OneWarp(
      (space == "shared" ? "mov.u64 %rd1, buf;" : "mov.u64 %rd1, %out;") +
      index + "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;" + "st." +
      space + ".u32 [%rd1], " + value + ";");
}

TEST(LaneOrder, LanesMayNotWriteDifferentValuesWithOneInstruction) {
  const std::string pairs = "shr.u32 %r1, %t, 1;";
  for (const char* space : {"shared", "global"}) {
    const Ran ran = RunOnce(WritesTo(pairs, "%t", space));
    ASSERT_TRUE(ran.Found("data race")) << ran.Text();
    EXPECT_EQ(ran.result.findings[0].thread, 1);
    EXPECT_NE(ran.result.findings[0].message.find("thread 0 "),
              std::string::npos);
    EXPECT_TRUE(RunOnce(WritesTo("mov.u32 %r1, %t;", "%t", space)).Clean());
    // The other way round, and with gaps.
    EXPECT_TRUE(RunOnce(WritesTo("sub.u32 %r1, 31, %t;", "%t", space)).Clean());
    EXPECT_TRUE(RunOnce(WritesTo("shl.b32 %r1, %t, 1;", "%t", space)).Clean());
    EXPECT_TRUE(
        RunOnce(WritesTo("mov.u32 %r1, 3;", "%t", space)).Found("data race"));
  }
  Snippet lenient = WritesTo(pairs, "%t");
  lenient.options.checks = Checks::kHardware;
  EXPECT_TRUE(RunOnce(lenient).Clean());
}

TEST(LaneOrder, LanesMayWriteOneValueWithOneInstruction) {
  const Ran ran = RunOnce(WritesTo("shr.u32 %r1, %t, 1;", "7"));
  EXPECT_TRUE(ran.Clean()) << ran.Text();
}

TEST(LaneOrder, ARaceNamesTheLanesAtFault) {
  // p[0] = p[0] / ...: lane 0 has read and written in order, lane 1 has not.
  const Ran ran =
      RunOnce(OneWarp("ld.global.u32 %r1, [%out]; st.global.u32 [%out], %r1;"));
  ASSERT_TRUE(ran.Found("data race")) << ran.Text();
  const Finding& race = ran.result.findings[0];
  EXPECT_NE(race.message.find("(thread " + std::to_string(race.thread) + ")"),
            race.message.find("(thread "))
      << ran.Text();
}

}  // namespace
}  // namespace tiletune::emulator
