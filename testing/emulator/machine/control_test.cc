#include <string>

#include "gtest/gtest.h"
#include "testing/emulator/snippet/snippet.h"

namespace tiletune::emulator {
namespace {

TEST(Control, DivergentLanesMeetAgain) {
  // Even lanes add 1, odd lanes loop; all store.
  Snippet s(
      "and.b32 %r1, %t, 1; mov.u32 %r2, 0; setp.eq.u32 %p1, %r1, 0;"
      "@%p1 bra EVEN; LOOP: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, %t;"
      "@%p2 bra LOOP; bra JOIN; EVEN: mov.u32 %r2, 1000;"
      "JOIN: bar.warp.sync 0xFFFFFFFF; mul.wide.u32 %rd1, %t, 4;"
      "add.u64 %rd2, %out, %rd1; st.global.u32 [%rd2], %r2;");
  s.block = {32, 1, 1};
  Ran ran = RunOnce(s);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[4], 1000u);
  EXPECT_EQ(ran.out[31], 31u);
}

TEST(Control, ASpinningLaneDoesNotStarveTheOneItWaitsFor) {
  // Lane 1 spins on a flag that lane 0 sets at a higher address.
  Snippet s(
      "setp.eq.u32 %p1, %t, 0; @%p1 bra SET;"
      "SPIN: ld.volatile.global.u32 %r1, [%out]; setp.eq.u32 %p2, %r1, 0;"
      "@%p2 bra SPIN; bra END; SET: st.volatile.global.u32 [%out], 1; END:");
  s.block = {2, 1, 1};
  s.options.max_steps = 100000;
  EXPECT_TRUE(RunSeeds(s, 4).Clean()) << RunSeeds(s, 4).Text();
}

TEST(Control, CallsAFunctionAndTakesItsResult) {
  Snippet s(
      "{ .param .b32 a; .param .b32 b; .param .b32 r; st.param.b32 [a], %t;"
      "st.param.b32 [b], 10; call.uni (r), twice_sum, (a, b);"
      "ld.param.b32 %r1, [r]; }"
      "mul.wide.u32 %rd1, %t, 4; add.u64 %rd2, %out, %rd1;"
      "st.global.u32 [%rd2], %r1;");
  s.module_text =
      ".func (.param .b32 result) twice_sum(.param .b32 x, .param .b32 y)"
      "{ .reg .b32 %r<4>; .reg .pred %p; ld.param.b32 %r1, [x];"
      "ld.param.b32 %r2, [y]; add.u32 %r3, %r1, %r2; setp.gt.u32 %p, %r1, 1;"
      "@%p bra BIG; st.param.b32 [result], %r3; ret;"
      "BIG: shl.b32 %r3, %r3, 1; st.param.b32 [result], %r3; ret; }";
  s.block = {4, 1, 1};
  Ran ran = RunOnce(s);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[1], 11u);
  EXPECT_EQ(ran.out[3], 26u);
}

TEST(Control, RejectsRecursion) {
  Snippet s("call.uni again, ();");
  s.module_text = ".func again() { call.uni again, (); ret; }";
  EXPECT_NE(RunOnce(s).error.find("recursion"), std::string::npos);
}

TEST(Control, BranchesThroughATable) {
  Snippet s(
      "T: .branchtargets A, B; brx.idx %t, T; A: mov.u32 %r1, 5; bra END;"
      "B: mov.u32 %r1, 6; END: mul.wide.u32 %rd1, %t, 4;"
      "add.u64 %rd2, %out, %rd1; st.global.u32 [%rd2], %r1;");
  s.block = {2, 1, 1};
  Ran ran = RunOnce(s);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 5u);
  EXPECT_EQ(ran.out[1], 6u);
}

TEST(Control, TrapIsAFinding) {
  EXPECT_TRUE(RunOnce(Snippet("trap;")).Found("trap"));
}

TEST(Control, PrintsWithVprintf) {
  Snippet s(
      "{ .param .b64 f; .param .b64 a; .param .b32 r; .local .align 8 .b8 "
      "args[16]; st.local.u32 [args], 7; st.local.f64 [args+8], "
      "0d3FF8000000000000; mov.u64 %rd1, args; cvta.local.u64 %rd1, %rd1;"
      "mov.u64 %rd2, text; cvta.global.u64 %rd2, %rd2;"
      "st.param.b64 [f], %rd2; st.param.b64 [a], %rd1;"
      "call.uni (r), vprintf, (f, a); ld.param.b32 %r1, [r]; }");
  s.module_text =
      ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);"
      ".global .align 1 .b8 text[10] = {37, 100, 32, 37, 46, 50, 102, 10, 0};";
  Ran ran = RunOnce(s);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.result.printed, "7 1.50\n");
}

TEST(Control, AStarvedWarpComesLastWithTheLeastToDo) {
  for (int warp : {0, 2}) {
    // Whoever leaves the loop first takes ticket 0.
    Snippet s(
        "shr.u32 %r2, %t, 5; setp.eq.u32 %p1, %r2, " + std::to_string(warp) +
        "; selp.u32 %r5, 30, 3000, %p1; mov.u32 %r1, 0;"
        "LOOP: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r5; @%p1 bra LOOP;"
        "and.b32 %r3, %t, 31; setp.ne.u32 %p2, %r3, 0; @%p2 bra END;"
        "atom.global.add.u32 %r4, [%out+64], 1; mul.wide.u32 %rd1, %r2, 4;"
        "add.u64 %rd1, %rd1, %out; st.global.u32 [%rd1], %r4; END:");
    s.block = {128, 1, 1};
    s.options.starved_warp = warp;
    for (uint64_t seed = 1; seed <= 8; ++seed) {
      s.options.seed = seed;
      const Ran ran = RunOnce(s);
      ASSERT_TRUE(ran.Clean()) << ran.Text();
      EXPECT_EQ(ran.out[static_cast<size_t>(warp)], 3u);
    }
  }
}

TEST(Control, WhatIsInFlightCompletesBeforeAStarvedWarpGoesOn) {
  Snippet s(
      "setp.ne.u32 %p1, %t, 0; @%p1 bra END; mbarrier.init.shared.b64 [bar], 1;"
      "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;"
      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [buf], "
      "[%in], 64, [bar];"
      "mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;"
      "selp.u32 %r1, 1, 0, %p2; st.global.u32 [%out], %r1;"
      "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;"
      "@!%p2 bra WAIT; END:");
  s.in.assign(64, 1);
  for (int starved : {-1, 0}) {
    s.options.starved_warp = starved;
    uint32_t complete = 0;
    for (uint64_t seed = 1; seed <= 8; ++seed) {
      s.options.seed = seed;
      const Ran ran = RunOnce(s);
      ASSERT_TRUE(ran.Clean()) << ran.Text();
      complete += ran.out[0];
    }
    EXPECT_EQ(complete == 8, starved == 0);
  }
}

// A reference GEMM: thousands of warps compute before any of them writes.
TEST(Control, LongSumsInManyWarpsAreNotTakenForSpinning) {
  Snippet s(
      "mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 30000;"
      "@%p1 bra L; st.global.u32 [%out], %r1;");
  s.grid = {8, 1, 1};
  s.block = {1024, 1, 1};
  s.options.checks = Checks::kHardware;
  const Ran ran = RunOnce(s);
  EXPECT_FALSE(ran.Found("deadlock")) << ran.Text();
}

TEST(Control, GivesUpAtTheStepLimit) {
  Snippet s("L: bra L;");
  s.options.max_steps = 1000;
  const Ran ran = RunOnce(s);
  EXPECT_TRUE(ran.Found("step limit")) << ran.Text();
  EXPECT_FALSE(ran.Found("deadlock"));
}

}  // namespace
}  // namespace tiletune::emulator
