#include <string>

#include "gtest/gtest.h"
#include "testing/emulator/snippet/snippet.h"

namespace tiletune::emulator {
namespace {

// One thread a CTA; every tile adds 1 to its word of out.
struct Worker {
  std::string fence = "fence.proxy.async.shared::cta;";
  std::string on_refusal = "bra DONE;";
  std::string before_query = "";

  Snippet Make(uint32_t tiles, int sms) const {
    Snippet s(
        "mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release."
        "cluster; mov.u32 %r1, %ctaid.x; mov.u32 %r2, 0;"
        "LOOP: mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;"
        "clusterlaunchcontrol.try_cancel.async.shared::cta."
        "mbarrier::complete_tx::bytes.b128 [word], [bar];"
        "mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %out, %rd1;"
        "ld.global.u32 %r3, [%rd1]; add.u32 %r3, %r3, 1;"
        "st.global.u32 [%rd1], %r3;"
        "W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], %r2; @!%p1 bra W;"
        "xor.b32 %r2, %r2, 1; ld.shared.b128 %q1, [word];" +
        before_query +
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q1;" +
        fence + "@!%p2 " + on_refusal +
        "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 "
        "{%r1, _, _, _}, %q1; bra LOOP; DONE:");
    s.grid = {tiles, 1, 1};
    s.options.sms = sms;
    s.options.max_ctas_per_sm = 1;
    s.options.checks = Checks::kStrict;
    s.options.max_steps = 100000;
    return s;
  }
};

void ExpectEachTileOnce(const Ran& ran, uint32_t tiles) {
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  for (uint32_t i = 0; i < tiles; ++i) EXPECT_EQ(ran.out[i], 1u) << i;
}

TEST(LaunchControl, EveryTileRunsExactlyOnce) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    Snippet s = Worker().Make(40, 3);
    s.options.seed = seed;
    Ran ran = RunOnce(s);
    ExpectEachTileOnce(ran, 40);
    EXPECT_EQ(ran.result.ctas_run + ran.result.ctas_cancelled, 40u);
    EXPECT_GT(ran.result.ctas_cancelled, 0u);
  }
}

TEST(LaunchControl, RefusalsOnlyMeanThatMoreCtasStart) {
  Snippet s = Worker().Make(40, 3);
  s.options.clc_refusal_rate = 0.5;
  Ran ran = RunOnce(s);
  ExpectEachTileOnce(ran, 40);
  EXPECT_GT(ran.result.ctas_run, 3u);
}

TEST(LaunchControlCheck, SeesARequestAfterARefusal) {
  Worker worker;
  worker.on_refusal = "bra LOOP;";
  EXPECT_TRUE(RunOnce(worker.Make(4, 2)).Found("try_cancel after a refusal"));
}

TEST(LaunchControlCheck, SeesTheCtaidOfARefusedResponse) {
  Worker worker;
  worker.before_query =
      "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r5, "
      "%q1;";
  EXPECT_TRUE(RunOnce(worker.Make(4, 2)).Found("ctaid of a refused response"));
}

TEST(LaunchControlCheck, SeesAMissingFenceBeforeTheResponseIsOverwritten) {
  Worker worker;
  worker.fence = "";
  EXPECT_TRUE(RunOnce(worker.Make(12, 2)).Found("missing proxy fence"));
}

TEST(LaunchControlCheck, SeesAnExitWithARequestInFlight) {
  Snippet s(
      "mbarrier.init.shared.b64 [bar], 1;"
      "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;"
      "clusterlaunchcontrol.try_cancel.async.shared::cta."
      "mbarrier::complete_tx::bytes.b128 [word], [bar];");
  EXPECT_TRUE(FindsWithSomeSeed(s, "exit with work in flight", 8));
}

}  // namespace
}  // namespace tiletune::emulator
