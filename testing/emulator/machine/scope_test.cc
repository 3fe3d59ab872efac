// A release and an acquire make data visible only to threads that the scopes
// of both include.
#include "testing/emulator/machine/scope.h"

#include <string>

#include "gtest/gtest.h"
#include "testing/emulator/snippet/snippet.h"

namespace tiletune::emulator {
namespace {

constexpr char kNarrow[] = "scope too narrow";

// CTA 0 writes out[1] and sets the flag out[0]; CTA 1 waits for it and reads.
Snippet Message(const std::string& set, const std::string& get) {
  Snippet s(
      "mov.u32 %r1, %ctaid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra READ;"
      "st.global.u32 [%out+4], 6;" +
      set + "bra END; READ:" + get +
      "setp.eq.u32 %p2, %r2, 0; @%p2 bra READ;"
      "ld.global.u32 %r3, [%out+4]; st.global.u32 [%out+8], %r3; END:");
  s.grid = {2, 1, 1};
  s.options.checks = Checks::kStrict;
  return s;
}

bool IsClean(const Snippet& snippet) {
  const Ran ran = RunSeeds(snippet, 6);
  EXPECT_TRUE(ran.Clean()) << ran.Text();
  return ran.Clean() && ran.out[2] == 6;
}

const std::string kSet = "st.release.gpu.global.u32 [%out], 1;";
const std::string kGet = "ld.acquire.gpu.global.u32 %r2, [%out];";

TEST(Scope, OfTheGpuReachesEveryCta) {
  EXPECT_TRUE(IsClean(Message(kSet, kGet)));
  EXPECT_TRUE(IsClean(Message("st.release.sys.global.u32 [%out], 1;",
                              "ld.acquire.sys.global.u32 %r2, [%out];")));
}

TEST(Scope, OfOneCtaReachesNoOther) {
  const std::string set = "st.release.cta.global.u32 [%out], 1;";
  const std::string get = "ld.acquire.cta.global.u32 %r2, [%out];";
  EXPECT_TRUE(FindsWithSomeSeed(Message(set, kGet), kNarrow, 4));
  EXPECT_TRUE(FindsWithSomeSeed(Message(kSet, get), kNarrow, 4));
}

TEST(Scope, OfAClusterEndsWithIt) {
  Snippet s = Message("st.release.cluster.global.u32 [%out], 1;",
                      "ld.acquire.cluster.global.u32 %r2, [%out];");
  EXPECT_TRUE(FindsWithSomeSeed(s, kNarrow, 4));
  s.cluster = {2, 1, 1};
  EXPECT_TRUE(IsClean(s));
}

TEST(Scope, OfOneCtaReachesItsThreads) {
  Snippet s(
      "setp.ne.u32 %p1, %t, 0; @%p1 bra READ; st.global.u32 [%out+4], 6;"
      "st.release.cta.global.u32 [%out], 1; bra END;"
      "READ: setp.ne.u32 %p2, %t, 32; @%p2 bra END;"
      "W: ld.acquire.cta.global.u32 %r2, [%out];"
      "setp.eq.u32 %p3, %r2, 0; @%p3 bra W;"
      "ld.global.u32 %r3, [%out+4]; st.global.u32 [%out+8], %r3; END:");
  s.block = {64, 1, 1};
  EXPECT_TRUE(IsClean(s));
}

TEST(Scope, OfAtomicsIsTheGpuUnlessGiven) {
  const auto message = [](const std::string& scope) {
    return Message("atom.release" + scope + ".global.exch.b32 %r4, [%out], 1;",
                   "atom.acquire" + scope + ".global.add.u32 %r2, [%out], 0;");
  };
  EXPECT_TRUE(IsClean(message("")));
  EXPECT_TRUE(FindsWithSomeSeed(message(".cta"), kNarrow, 4));
}

// The fence's scope and that of the access behind or before it both count.
TEST(Scope, OfAFenceReachesAsFarAsItsAccess) {
  const auto message = [](const std::string& set_fence, const std::string& set,
                          const std::string& get,
                          const std::string& get_fence) {
    return Message("fence.acq_rel." + set_fence + "; st.relaxed." + set +
                       ".global.u32 [%out], 1;",
                   "ld.relaxed." + get +
                       ".global.u32 %r2, [%out]; fence.acq_rel." + get_fence +
                       ";");
  };
  EXPECT_TRUE(IsClean(message("gpu", "gpu", "gpu", "gpu")));
  const auto is_found = [&](const char* a, const char* b, const char* c,
                            const char* d) {
    return FindsWithSomeSeed(message(a, b, c, d), kNarrow, 4);
  };
  EXPECT_TRUE(is_found("cta", "gpu", "gpu", "gpu"));
  EXPECT_TRUE(is_found("gpu", "cta", "gpu", "gpu"));
  EXPECT_TRUE(is_found("gpu", "gpu", "cta", "gpu"));
  EXPECT_TRUE(is_found("gpu", "gpu", "gpu", "cta"));
}

TEST(Scope, OfTheWidestFenceCountsThoughANarrowOneFollows) {
  EXPECT_TRUE(IsClean(Message(
      "fence.acq_rel.gpu; fence.acq_rel.cta; st.relaxed.gpu.global.u32 [%out], "
      "1;",
      "ld.relaxed.gpu.global.u32 %r2, [%out]; fence.acq_rel.cta;"
      "fence.acq_rel.gpu;")));
}

TEST(Scope, OfMembarIsItsLevel) {
  const auto message = [](const std::string& level) {
    return Message("membar." + level + "; st.volatile.global.u32 [%out], 1;",
                   "ld.volatile.global.u32 %r2, [%out]; membar." + level + ";");
  };
  EXPECT_TRUE(IsClean(message("gl")));
  EXPECT_TRUE(IsClean(message("sys")));
  EXPECT_TRUE(FindsWithSomeSeed(message("cta"), kNarrow, 4));
}

// A later synchronisation of enough scope makes it visible after all.
TEST(Scope, OfALaterSynchronisationMakesUpForIt) {
  Snippet s = Message(
      "st.release.cta.global.u32 [%out], 1;"
      "st.release.gpu.global.u32 [%out+12], 1;",
      kGet);
  const std::string wait =
      "W: ld.acquire.gpu.global.u32 %r5, [%out+12];"
      "setp.eq.u32 %p4, %r5, 0; @%p4 bra W;";
  s.body.insert(s.body.find("ld.global.u32 %r3"), wait);
  EXPECT_TRUE(IsClean(s));
}

// CTA 1 writes a word of CTA 0 and arrives on its mbarrier; CTA 0 waits.
Snippet Handover(const std::string& arrive, const std::string& wait) {
  Snippet s(
      "mov.u32 %r1, %cluster_ctarank; setp.ne.u32 %p1, %r1, 0;"
      "@!%p1 mbarrier.init.shared.b64 [bar], 1;"
      "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
      "@%p1 bra WRITE; W: mbarrier.try_wait.parity" +
      wait +
      ".shared::cta.b64 %p3, [bar], 0; @!%p3 bra W;"
      "ld.shared.u32 %r2, [word]; st.global.u32 [%out+8], %r2; bra END;"
      "WRITE: mov.u32 %r3, word; mapa.shared::cluster.u32 %r4, %r3, 0;"
      "st.shared::cluster.u32 [%r4], 6;"
      "mov.u32 %r5, bar; mapa.shared::cluster.u32 %r6, %r5, 0;"
      "mbarrier.arrive" +
      arrive +
      ".shared::cluster.b64 _, [%r6]; END:"
      "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;");
  s.grid = s.cluster = {2, 1, 1};
  s.options.checks = Checks::kStrict;
  return s;
}

TEST(Scope, OfAnMbarrierIsTheCtaUnlessGiven) {
  EXPECT_TRUE(IsClean(Handover(".release.cluster", ".acquire.cluster")));
  EXPECT_TRUE(FindsWithSomeSeed(Handover("", ".acquire.cluster"), kNarrow, 4));
  EXPECT_TRUE(FindsWithSomeSeed(Handover(".release.cluster", ""), kNarrow, 4));
}

TEST(Scope, OfAFenceBeforeARelaxedArrivalCounts) {
  const auto handover = [](const std::string& scope) {
    Snippet s = Handover(".relaxed.cluster", ".relaxed.cluster");
    const std::string fence = "fence.acq_rel." + scope + "; ";
    s.body.insert(s.body.find("mov.u32 %r5"), fence);
    s.body.insert(s.body.find("ld.shared.u32"), fence);
    return s;
  };
  EXPECT_TRUE(IsClean(handover("cluster")));
  EXPECT_TRUE(FindsWithSomeSeed(handover("cta"), kNarrow, 4));
}

TEST(Scope, IsTakenAsWideEnoughInHardwareChecks) {
  Snippet s = Handover("", "");
  s.options.checks = Checks::kHardware;
  const Ran ran = RunOnce(s);
  EXPECT_TRUE(ran.Clean()) << ran.Text();
}

}  // namespace
}  // namespace tiletune::emulator
