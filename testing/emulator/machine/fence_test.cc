#include "gtest/gtest.h"
#include "testing/emulator/snippet/snippet.h"

namespace tiletune::emulator {
namespace {

// Writes 16 bytes of buf and sends them to global memory with a bulk copy.
Snippet StoreThroughTheAsyncProxy(const std::string& fence) {
  return Snippet(
      "st.shared.v4.b32 [buf], {1, 2, 3, 4};" + fence +
      "cp.async.bulk.global.shared::cta.bulk_group [%out], [buf], 16;"
      "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;");
}

TEST(Fence, GenericWritesReachTheAsyncProxyAfterAFence) {
  Snippet fixed = StoreThroughTheAsyncProxy("fence.proxy.async.shared::cta;");
  Ran ran = RunSeeds(fixed, 4);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[3], 4u);
  EXPECT_TRUE(
      RunOnce(StoreThroughTheAsyncProxy("")).Found("missing proxy fence"));
}

TEST(Fence, AnAsyncWriteOverAGenericReadNeedsAFenceInStrictChecks) {
  auto with = [](const std::string& fence) {
    Snippet s(
        "mbarrier.init.shared.b64 [bar], 1; st.shared.v4.b32 [buf], "
        "{1, 2, 3, 4}; fence.proxy.async; ld.shared.u32 %r1, [buf];" +
        fence +
        "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[buf], [%out], 16, [bar];"
        "W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W;");
    s.options.checks = Checks::kStrict;
    return s;
  };
  EXPECT_TRUE(RunOnce(with("fence.proxy.async;")).Clean());
  EXPECT_TRUE(RunOnce(with("")).Found("missing proxy fence"));
  Snippet tolerant = with("");
  tolerant.options.checks = Checks::kHardware;
  EXPECT_TRUE(RunOnce(tolerant).Clean());
}

TEST(Fence, OverwritingWhatWasReadFromGlobalMemoryNeedsOneToo) {
  auto with = [](const std::string& fence) {
    Snippet s(
        "ld.global.u32 %r1, [%out]; st.shared.v4.b32 [buf], {1, 2, 3, 4};"
        "fence.proxy.async.shared::cta;" +
        fence +
        "cp.async.bulk.global.shared::cta.bulk_group [%out], [buf], 16;"
        "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;");
    s.options.checks = Checks::kStrict;
    return s;
  };
  EXPECT_TRUE(RunOnce(with("fence.proxy.async.global;")).Clean());
  EXPECT_TRUE(RunOnce(with("fence.proxy.async;")).Clean());
  EXPECT_TRUE(RunOnce(with("")).Found("missing proxy fence"));
}

}  // namespace
}  // namespace tiletune::emulator
