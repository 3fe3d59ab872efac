#include <string>

#include "gtest/gtest.h"
#include "testing/emulator/snippet/snippet.h"

namespace tiletune::emulator {
namespace {

const char kInit[] = "mbarrier.init.shared.b64 [bar], 1;";
const char kLoad[] =
    "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
    "[buf], [%in], 64, [bar];";
const char kWait[] =
    "W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W;";
const char kRead[] = "ld.shared.u32 %r1, [buf+4]; st.global.u32 [%out], %r1;";

TEST(BulkCopy, LoadsWhatTheBarrierWaitsFor) {
  Snippet s(std::string(kInit) + kLoad + kWait + kRead);
  s.in = CountingBytes(64);
  Ran ran = RunSeeds(s, 6);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 0x07060504u);
}

TEST(BulkCopyCheck, SeesAReadBeforeTheWait) {
  Snippet s(std::string(kInit) + kLoad + kRead + kWait);
  s.in = CountingBytes(64);
  EXPECT_TRUE(FindsWithSomeSeed(s, "uninitialised memory", 8) ||
              FindsWithSomeSeed(s, "data race", 8));
}

TEST(BulkCopyCheck, SeesAnExitWithACopyInFlight) {
  Snippet s(std::string(kInit) + kLoad);
  s.in = CountingBytes(64);
  EXPECT_TRUE(FindsWithSomeSeed(s, "exit with work in flight", 8));
}

TEST(BulkCopyCheck, SeesMissingBytes) {
  // 80 bytes are expected, 64 arrive.
  std::string load = kLoad;
  load.replace(load.find("], 64") + 3, 2, "80");
  Snippet s(std::string(kInit) + load + kWait);
  s.in = CountingBytes(64);
  Ran ran = RunOnce(s);
  EXPECT_TRUE(ran.Found("deadlock"));
  EXPECT_NE(ran.Text().find("16 transaction bytes"), std::string::npos)
      << ran.Text();
}

TEST(BulkCopyCheck, SeesReuseOfASourceThatIsStillRead) {
  std::string body =
      "st.shared.v4.b32 [buf], {1, 2, 3, 4}; fence.proxy.async;"
      "cp.async.bulk.global.shared::cta.bulk_group [%out], [buf], 16;"
      "cp.async.bulk.commit_group; WAIT st.shared.u32 [buf], 9;"
      "cp.async.bulk.wait_group 0;";
  auto with = [&](const std::string& wait) {
    std::string text = body;
    text.replace(text.find("WAIT"), 4, wait);
    return Snippet(text);
  };
  Ran ran = RunSeeds(with("cp.async.bulk.wait_group.read 0;"), 6);
  EXPECT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_TRUE(FindsWithSomeSeed(with(""), "data race", 8));
}

TEST(BulkCopyCheck, SeesAReadOfADestinationThatIsStillWritten) {
  const auto with = [](const std::string& wait) {
    return Snippet(
        "st.shared.v4.b32 [buf], {1, 2, 3, 4}; fence.proxy.async;"
        "cp.async.bulk.global.shared::cta.bulk_group [%out], [buf], 16;"
        "cp.async.bulk.commit_group;" +
        wait +
        "ld.global.u32 %r1, [%out+4]; st.global.u32 [%out+64], %r1;"
        "cp.async.bulk.wait_group 0;");
  };
  const Ran ran = RunSeeds(with("cp.async.bulk.wait_group 0;"), 6);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[16], 2u);
  EXPECT_TRUE(FindsWithSomeSeed(with("cp.async.bulk.wait_group.read 0;"),
                                "data race", 8));
}

TEST(BulkCopyCheck, SeesMisalignmentAndBounds) {
  EXPECT_TRUE(
      RunOnce(Snippet("cp.async.bulk.global.shared::cta.bulk_group [%out+8], "
                      "[buf], 16;"))
          .Found("misaligned access"));
  EXPECT_TRUE(RunOnce(Snippet("cp.async.bulk.global.shared::cta.bulk_group "
                              "[%out+1024], [buf], 16;"))
                  .Found("out of bounds"));
}

TEST(BulkCopy, ReducesIntoGlobalMemory) {
  Snippet s(
      "st.shared.v4.b32 [buf], {1, 2, 3, 4}; fence.proxy.async;"
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%out], "
      "[buf], 16;"
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%out], "
      "[buf], 16; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;");
  Ran ran = RunSeeds(s, 4);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[2], 6u);
}

// Thread 0 initialises, arms and waits, thread 32 copies.
Snippet CopyByAnotherThread(const std::string& between) {
  Snippet s("setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared.b64 [bar], 1;" +
            between +
            "setp.eq.u32 %p2, %t, 32; @%p2 bra COPY; @!%p1 bra END;"
            "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;"
            "W: mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0; @!%p3 bra W;"
            "bra END; COPY:"
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
            "[buf], [%out], 16, [bar]; END:");
  s.block = {64, 1, 1};
  s.options.checks = Checks::kStrict;
  return s;
}

TEST(BulkCopyCheck, CompletesOnlyOnAnMbarrierThatIsVisible) {
  EXPECT_TRUE(RunSeeds(CopyByAnotherThread("bar.sync 0;"), 4).Clean());
  EXPECT_TRUE(
      FindsWithSomeSeed(CopyByAnotherThread(""), "mbarrier not visible", 20));
}

TEST(BulkCopyCheck, CompletionDoesNotSpeakForTheIssuingThread) {
  // Thread 0 writes a word and sends bytes; thread 32 arms the mbarrier,
  // waits for the bytes and reads the word.
  auto copy = [](const std::string& after) {
    Snippet s(
        "setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared.b64 [bar], 1;"
        "@%p1 mbarrier.init.shared.b64 [bar+8], 1;"
        "bar.sync 0; setp.eq.u32 %p2, %t, 32; @%p2 bra WAIT; @!%p1 bra END;"
        "st.shared.u32 [word], 3;"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[buf], [%out], 16, [bar];"
        "mbarrier.arrive.shared.b64 _, [bar+8]; bra END;"
        "WAIT: mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;"
        "W: mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0; @!%p3 bra W;" +
        after + "ld.shared.u32 %r1, [word]; END:");
    s.block = {64, 1, 1};
    s.options.checks = Checks::kStrict;
    return s;
  };
  EXPECT_TRUE(FindsWithSomeSeed(copy(""), "data race", 4));
  EXPECT_TRUE(RunSeeds(copy("V: mbarrier.try_wait.parity.shared.b64 %p3, "
                            "[bar+8], 0; @!%p3 bra V;"),
                       4)
                  .Clean());
}

}  // namespace
}  // namespace tiletune::emulator
