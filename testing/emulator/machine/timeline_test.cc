#include "testing/emulator/machine/timeline.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "testing/emulator/snippet/read_trace.h"
#include "testing/emulator/snippet/snippet.h"

namespace tiletune::emulator {
namespace {

using Slice = ReadTrace::Slice;

// Runs it with a trace, which must be well formed.
ReadTrace Traced(Snippet snippet, bool clean = true) {
  snippet.options.trace_path = TracePath("timeline");
  const Ran ran = RunOnce(snippet);
  EXPECT_EQ(ran.Clean(), clean) << ran.Text();
  ReadTrace trace(snippet.options.trace_path);
  EXPECT_TRUE(trace.IsWellFormed());
  return trace;
}

uint64_t Length(const Slice& slice) { return slice.end - slice.begin; }

// Warp 0 waits for the mbarrier's phase 0, to which warp 1 arrives after a loop
// of 3 x 500 instructions.
Snippet Handover(const std::string& wait) {
  Snippet s(
      "setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared.b64 [bar + 8], 32;"
      "bar.sync 2; setp.lt.u32 %p2, %t, 32; @%p2 bra WAIT;"
      "mov.u32 %r1, 0; LOOP: add.u32 %r1, %r1, 1; setp.lt.u32 %p4, %r1, 500;"
      "@%p4 bra LOOP; mbarrier.arrive.shared::cta.b64 _, [bar + 8]; bra END;"
      "WAIT: " +
      wait + "END:");
  s.block = {64, 1, 1};
  return s;
}

TEST(Timeline, ShowsEachWaitOfAProgramOnceWithItsLength) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    Snippet s = Handover(
        "mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar + 8], 0;"
        "@!%p3 bra WAIT;");
    s.options.seed = seed;
    const std::vector<Slice> waits = Traced(s).slices("wait");
    ASSERT_EQ(waits.size(), 3u);
    const auto is_mbarrier = [](const Slice& w) { return w.name[0] == 'm'; };
    const auto at = std::find_if(waits.begin(), waits.end(), is_mbarrier);
    ASSERT_NE(at, waits.end());
    EXPECT_NE(at->name.find("(threads)"), std::string::npos) << at->name;
    EXPECT_EQ(at->arguments.at("phase"), "0");
    EXPECT_EQ(at->arguments.count("result"), 0u);
    EXPECT_EQ(at->row, "slot 0 warp 0");
    // The other warp's instructions pass meanwhile, and this one's polls.
    EXPECT_GE(Length(*at), 1000u);
    EXPECT_LE(Length(*at), 6000u);
    EXPECT_EQ(
        std::count_if(waits.begin(), waits.end(),
                      [](const Slice& w) { return w.name == "CTA barrier 2"; }),
        2);
  }
}

TEST(Timeline, ShowsALoopOfPollsAsOneWait) {
  const std::vector<Slice> waits =
      Traced(Handover("mbarrier.test_wait.parity.shared::cta.b64 %p3, "
                      "[bar + 8], 0; @!%p3 bra WAIT;"))
          .slices("wait", "warp 0");
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_GE(Length(waits[1]), 1000u);
}

TEST(Timeline, AWaitForWhatIsThereTakesOneInstruction) {
  const std::vector<Slice> waits =
      Traced(Snippet("mbarrier.init.shared.b64 [bar], 1;"
                     "mbarrier.try_wait.parity.shared.b64 %p1, [bar], 1;"))
          .slices("wait");
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(Length(waits[0]), 1u);
}

TEST(Timeline, ShowsAWaitThatNeverEnds) {
  const std::vector<Slice> waits =
      Traced(Snippet("mbarrier.init.shared.b64 [bar], 1; L:"
                     "mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;"
                     "@!%p1 bra L;"),
             /*clean=*/false)
          .slices("wait");
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].arguments.at("result"), "none: the run ended");
}

TEST(Timeline, ShowsClusterBarriersOfEveryWarp) {
  Snippet s("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;");
  s.grid = {4, 1, 1};
  s.cluster = {2, 1, 1};
  s.block = {64, 1, 1};
  const std::vector<Slice> waits = Traced(s).slices("wait");
  ASSERT_EQ(waits.size(), 8u);
  for (const Slice& wait : waits) EXPECT_EQ(wait.name, "cluster barrier");
}

TEST(Timeline, ShowsEveryWarpOfEveryCta) {
  Snippet s("");
  s.grid = {10, 1, 1};
  s.block = {96, 1, 1};
  s.options.sms = 2;
  s.options.max_ctas_per_sm = 2;
  const ReadTrace trace = Traced(s);
  EXPECT_EQ(trace.slices("cta").size(), 30u);
  for (const Slice& cta : trace.slices("cta")) {
    EXPECT_EQ(cta.arguments.at("kernel"), "k");
    EXPECT_LT(cta.sm, 2);
    EXPECT_LE(cta.row_id, 12);  // four CTAs at a time, three warps each
  }
}

TEST(Timeline, ShowsABulkCopyFromItsIssueToItsCompletion) {
  Snippet s(
      "setp.ne.u32 %p1, %t, 0; @%p1 bra END;"
      "mbarrier.init.shared.b64 [bar], 1;"
      "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;"
      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [buf], "
      "[%in], 64, [bar]; L:"
      "mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra L; END:");
  s.in.assign(64, 1);
  s.block = {32, 1, 1};
  const ReadTrace trace = Traced(s);
  const std::vector<Slice> copies = trace.slices("async");
  const std::vector<Slice> waits = trace.slices("wait");
  ASSERT_EQ(copies.size(), 1u);
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_NE(waits[0].name.find("(TMA)"), std::string::npos) << waits[0].name;
  EXPECT_LE(copies[0].begin, waits[0].begin);
  EXPECT_LE(copies[0].end, waits[0].end);
  EXPECT_EQ(waits[0].row, "slot 0 warp 0: TMA");
}

TEST(Timeline, TracingChangesNothing) {
  Snippet s = Handover(
      "mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar + 8], 0;"
      "@!%p3 bra WAIT;");
  const uint64_t without = RunOnce(s).result.warp_instructions;
  s.options.trace_path = TracePath("same");
  EXPECT_EQ(RunOnce(s).result.warp_instructions, without);
}

}  // namespace
}  // namespace tiletune::emulator
