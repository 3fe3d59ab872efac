// tcgen05 instructions and their checks, on a 128x8x16 bf16 MMA of ones.
#include <string>

#include "gtest/gtest.h"
#include "testing/emulator/snippet/snippet.h"

namespace tiletune::emulator {
namespace {

// A is 128 rows of 32 bytes without swizzle (LBO 128, SBO 256), B 8 rows; both
// are all ones. Thread 0 of warp 0 issues; %r30 is the Tensor Memory address.
struct Parts {
  std::string alloc =
      "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [word], 32;"
      "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;";
  std::string fill =
      "mov.u32 %r0, buf; mov.u32 %r1, %t; FILL: shl.b32 %r2, %r1, 2;"
      "add.u32 %r2, %r0, %r2; st.shared.u32 [%r2], 0x3F803F80;"
      "add.u32 %r1, %r1, 128; setp.lt.u32 %p1, %r1, 1088; @%p1 bra FILL;";
  std::string proxy_fence = "fence.proxy.async.shared::cta;";
  std::string sync =
      "tcgen05.fence::before_thread_sync; bar.sync 0;"
      "tcgen05.fence::after_thread_sync; ld.shared.u32 %r30, [word];";
  std::string descriptors =
      "and.b32 %r3, %r0, 0x3FFFF; shr.u32 %r3, %r3, 4; cvt.u64.u32 %rd1, %r3;"
      "or.b64 %rd1, %rd1, 0x0000401000080000; add.u64 %rd2, %rd1, 256;";
  std::string idesc = "0x08020490";  // bf16, f32 accumulators, M 128, N 8
  std::string commit =
      "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
      "[%rd3];";
  std::string wait =
      "W: mbarrier.try_wait.parity.shared.b64 %p5, [bar], 0; @!%p5 bra W;";
  std::string after = "tcgen05.fence::after_thread_sync;";
  std::string load =
      "shl.b32 %r4, %r10, 21; add.u32 %r4, %r4, %r30;"
      "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r20, %r21}, [%r4];";
  std::string wait_load = "tcgen05.wait::ld.sync.aligned;";
  std::string use =
      "mul.wide.u32 %rd4, %t, 4; add.u64 %rd4, %out, %rd4;"
      "st.global.u32 [%rd4], %r20;";
  std::string done = "tcgen05.fence::before_thread_sync; bar.sync 0;";
  std::string dealloc =
      "setp.ge.u32 %p6, %t, 32; @%p6 bra END;"
      "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r30, 32; END:";

  Snippet Make() const {
    Snippet s(
        "shr.u32 %r10, %t, 5; setp.ne.u32 %p2, %t, 0;"
        "@!%p2 mbarrier.init.shared.b64 [bar], 1; setp.ge.u32 %p3, %t, 32;"
        "@%p3 bra ALLOCATED;" +
        alloc + "ALLOCATED:" + fill + proxy_fence + sync +
        "@%p2 bra ISSUED; mov.u64 %rd3, bar; setp.ne.u32 %p4, %r0, %r0;" +
        descriptors +
        "tcgen05.mma.cta_group::1.kind::f16 [%r30], %rd1, %rd2, " + idesc +
        ", %p4;" + commit + "ISSUED:" + wait + after + load + wait_load + use +
        done + dealloc);
    s.block = {128, 1, 1};
    return s;
  }
};

TEST(TensorCore, MultipliesOnes) {
  Ran ran = RunSeeds(Parts().Make(), 6);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 0x41800000u);  // 16
  EXPECT_EQ(ran.out[127], 0x41800000u);
}

TEST(TensorCoreCheck, SeesAMissingProxyFence) {
  Parts parts;
  parts.proxy_fence = "";
  EXPECT_TRUE(RunOnce(parts.Make()).Found("missing proxy fence"));
}

TEST(TensorCoreCheck, SeesALoadBeforeTheCommitArrives) {
  Parts parts;
  parts.wait = "";
  EXPECT_TRUE(FindsWithSomeSeed(parts.Make(), "tensor memory race", 8) ||
              FindsWithSomeSeed(parts.Make(), "uninitialised memory", 8));
}

TEST(TensorCoreCheck, SeesAMissingFenceAfterSynchronisationIfStrict) {
  Parts parts;
  parts.after = "";
  Snippet s = parts.Make();
  EXPECT_FALSE(FindsWithSomeSeed(s, "tensor memory race", 4));
  s.options.checks = Checks::kStrict;
  EXPECT_TRUE(FindsWithSomeSeed(s, "tensor memory race", 4));
}

TEST(TensorCoreCheck, SeesAnMmaNotFencedFromTheBarrierIfStrict) {
  // Other warps have written the operands.
  Parts parts;
  parts.sync =
      "tcgen05.fence::before_thread_sync; bar.sync 0;"
      "ld.shared.u32 %r30, [word];";
  Snippet s = parts.Make();
  EXPECT_TRUE(RunOnce(s).Clean());
  s.options.checks = Checks::kStrict;
  EXPECT_TRUE(RunOnce(s).Found("missing tcgen05 fence"));
}

TEST(TensorCoreCheck, ADeallocationNeedsTheLoadsFencedBeforeTheBarrier) {
  // It is a synchronous instruction: no fence after the barrier is asked for.
  Parts parts;
  EXPECT_TRUE(RunSeeds(parts.Make(), 4).Clean());
  parts.done = "bar.sync 0;";
  Snippet s = parts.Make();
  EXPECT_TRUE(RunOnce(s).Clean());
  s.options.checks = Checks::kStrict;
  EXPECT_TRUE(RunOnce(s).Found("tensor memory freed while in use"));
}

TEST(TensorCoreCheck, SeesRegistersReadBeforeWaitLdIfStrict) {
  Parts parts;
  parts.wait_load = "";
  parts.use += "tcgen05.wait::ld.sync.aligned;";
  Snippet s = parts.Make();
  Ran ran = RunOnce(s);
  EXPECT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 0x41800000u);
  s.options.checks = Checks::kStrict;
  EXPECT_TRUE(RunOnce(s).Found("register read too early"));
  // A value that was read has arrived, so the memory may be freed.
  parts.use = parts.use.substr(0, parts.use.find("tcgen05.wait"));
  ran = RunOnce(parts.Make());
  EXPECT_TRUE(ran.Clean()) << ran.Text();
}

TEST(TensorCoreCheck, SeesLanesBeyondTheDatapathIfStrict) {
  Parts parts;
  parts.load.insert(0, "add.u32 %r30, %r30, 0x800000;");
  parts.dealloc.insert(0, "sub.u32 %r30, %r30, 0x800000;");
  Snippet s = parts.Make();
  Ran ran = RunOnce(s);
  EXPECT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 0x41800000u);
  s.options.checks = Checks::kStrict;
  EXPECT_TRUE(RunOnce(s).Found("bad tensor memory access"));
}

TEST(TensorCoreCheck, SeesALeak) {
  Parts parts;
  parts.dealloc = "";
  EXPECT_TRUE(RunOnce(parts.Make()).Found("tensor memory leak"));
}

TEST(TensorCoreCheck, SeesAFreeWhileInUse) {
  // Warp 0 frees without waiting for the loads of the others.
  Parts parts;
  parts.done = "";
  EXPECT_TRUE(
      FindsWithSomeSeed(parts.Make(), "tensor memory freed while in use", 8));
}

TEST(TensorCoreCheck, SeesALaneOfAnotherWarpIfStrict) {
  // Each warp stores its own number, at the address of lane 0, and loads it.
  Parts parts;
  parts.load =
      "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r30], {%r10};"
      "tcgen05.wait::st.sync.aligned;"
      "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r20, %r21}, [%r30];";
  Snippet s = parts.Make();
  Ran ran = RunOnce(s);
  EXPECT_TRUE(ran.Clean()) << ran.Text();
  for (uint32_t t = 0; t < 128; ++t) EXPECT_EQ(ran.out[t], t / 32) << t;
  s.options.checks = Checks::kStrict;
  EXPECT_TRUE(RunOnce(s).Found("bad tensor memory access"));
}

TEST(TensorCoreCheck, SeesColumnsThatAreNotAllocated) {
  Parts parts;
  parts.load =
      "shl.b32 %r4, %r10, 21; add.u32 %r4, %r4, %r30; add.u32 %r4, %r4, 32;"
      "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r20, %r21}, [%r4];";
  EXPECT_TRUE(RunOnce(parts.Make()).Found("out of bounds"));
}

TEST(TensorCoreCheck, SeesUnwrittenColumns) {
  Parts parts;
  parts.load =
      "shl.b32 %r4, %r10, 21; add.u32 %r4, %r4, %r30; add.u32 %r4, %r4, 8;"
      "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r20, %r21}, [%r4];";
  EXPECT_TRUE(RunOnce(parts.Make()).Found("uninitialised memory"));
}

TEST(TensorCoreCheck, SeesIllegalShapesAndDescriptors) {
  Parts parts;
  parts.idesc = "0x06020490";  // M 96
  EXPECT_TRUE(RunOnce(parts.Make()).Found("bad instruction descriptor"));
  Parts swizzle;
  swizzle.descriptors += "or.b64 %rd1, %rd1, 0x6000000000000000;";  // code 3
  EXPECT_TRUE(RunOnce(swizzle.Make()).Found("bad matrix descriptor"));
  Parts outside;
  outside.descriptors += "add.u64 %rd1, %rd1, 0x2000;";
  EXPECT_TRUE(RunOnce(outside.Make()).Found("out of bounds"));
}

TEST(TensorCoreCheck, SeesBadAllocations) {
  Parts parts;
  parts.alloc =
      "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [word], 48;";
  EXPECT_TRUE(RunOnce(parts.Make()).Found("bad tensor memory allocation"));
  Parts order;
  order.alloc =
      "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;"
      "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [word], 32;";
  EXPECT_TRUE(RunOnce(order.Make()).Found("bad tensor memory allocation"));
}

TEST(TensorCoreCheck, SeesMixedCtaGroups) {
  Parts parts;
  parts.alloc += "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;";
  EXPECT_TRUE(RunOnce(parts.Make()).Found("mixed cta_group"));
}

TEST(TensorCoreCheck, SeesOperandsOverwrittenWhileTheyAreRead) {
  Parts parts;
  parts.commit += "st.shared.u32 [buf], 0;";
  EXPECT_TRUE(FindsWithSomeSeed(parts.Make(), "data race", 4));
}

// Nothing orders the signals of two commits, though both track the same MMAs
// (PTX ISA 9.7.16.6.2, 9.7.16.12.1). So many MMAs that the last is done late:
// what comes behind it is the signals' own time.
TEST(TensorCoreCommit, TheSecondOfTwoSignalsComesFirstAboutAsOften) {
  Parts parts;
  parts.alloc += "@!%p2 mbarrier.init.shared.b64 [bar+8], 1;";
  std::string mmas;
  for (int i = 0; i < 16; ++i) {
    mmas += "tcgen05.mma.cta_group::1.kind::f16 [%r30], %rd1, %rd2, " +
            parts.idesc + ", %p4;";
  }
  parts.commit =
      mmas + parts.commit + "add.u64 %rd3, %rd3, 8;" + parts.commit +
      "W1: mbarrier.test_wait.parity.shared.b64 %p7, [bar+8], 0;"
      "@!%p7 bra W1; mbarrier.test_wait.parity.shared.b64 %p8, [bar], 0;"
      "selp.u32 %r40, 0, 1, %p8; st.global.u32 [%out+512], %r40;";
  Snippet s = parts.Make();
  s.options.checks = Checks::kStrict;
  int second_first = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    s.options.seed = seed;
    const Ran ran = RunOnce(s);
    ASSERT_TRUE(ran.Clean()) << ran.Text();
    EXPECT_EQ(ran.out[0], 0x41800000u);
    second_first += static_cast<int>(ran.out[128]);
  }
  EXPECT_GT(second_first, 15);
  EXPECT_LT(second_first, 45);
}

TEST(TensorLoadStore, StoresWhatIsLoadedAgain) {
  Snippet s(
      "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [word], 32;"
      "ld.shared.u32 %r30, [word]; add.u32 %r1, %t, 5; mov.u32 %r2, %t;"
      "tcgen05.st.sync.aligned.16x128b.x1.b32 [%r30], {%r1, %r2};"
      "tcgen05.wait::st.sync.aligned;"
      "tcgen05.ld.sync.aligned.16x128b.x1.b32 {%r3, %r4}, [%r30];"
      "tcgen05.wait::ld.sync.aligned; mul.wide.u32 %rd1, %t, 4;"
      "add.u64 %rd1, %out, %rd1; st.global.u32 [%rd1], %r3;"
      "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r30, 32;");
  s.block = {32, 1, 1};
  Ran ran = RunSeeds(s, 2);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[31], 36u);
}

// The patterns of PTX ISA 9.7.16.6.4 wait with .relaxed: execution is ordered,
// and the tcgen05 fences carry that to Tensor Memory.
constexpr char kRelaxedWait[] =
    "mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 %p5, ";
constexpr char kRelaxedArrive[] =
    "mbarrier.arrive.relaxed.cluster.shared::cta.b64 _, ";

Parts WaitingRelaxed() {
  Parts parts;
  parts.wait = std::string("W: ") + kRelaxedWait + "[bar], 0; @!%p5 bra W;";
  return parts;
}

TEST(TensorCore, ARelaxedWaitAndAFenceOrderALoadAfterACommit) {
  Snippet s = WaitingRelaxed().Make();
  const Ran ran = RunSeeds(s, 6);
  EXPECT_TRUE(ran.Clean()) << ran.Text();
  s.options.checks = Checks::kHardware;
  EXPECT_TRUE(RunOnce(s).Clean()) << RunOnce(s).Text();
}

TEST(TensorCoreCheck, ARelaxedWaitWithoutAFenceOrdersNothing) {
  Parts parts = WaitingRelaxed();
  parts.after = "";
  Snippet s = parts.Make();
  EXPECT_TRUE(FindsWithSomeSeed(s, "tensor memory race", 4));
  s.options.checks = Checks::kStrict;
  EXPECT_TRUE(FindsWithSomeSeed(s, "tensor memory race", 4));
}

TEST(TensorCoreCheck, ARelaxedWaitMakesNoOtherMemoryVisible) {
  Parts parts = WaitingRelaxed();
  // Thread 0 writes after the barrier, and commits; the others wait for that.
  parts.commit = "st.shared.u32 [buf+8192], 1;" + parts.commit;
  parts.use += "ld.shared.u32 %r40, [buf+8192];";
  Snippet s = parts.Make();
  s.options.checks = Checks::kStrict;
  EXPECT_TRUE(FindsWithSomeSeed(s, "data race", 4));
}

// Thread 0 waits for the commit and passes it on to all by a second mbarrier.
Parts Relayed(const std::string& fences) {
  Parts parts = WaitingRelaxed();
  parts.alloc = "@!%p2 mbarrier.init.shared.b64 [bar+8], 1;" + parts.alloc;
  parts.wait = "@%p2 bra V;" + parts.wait + fences + kRelaxedArrive +
               "[bar+8]; V: " + kRelaxedWait + "[bar+8], 0; @!%p5 bra V;";
  return parts;
}

TEST(TensorCore, RelaxedSynchronisationsCompose) {
  const Parts parts = Relayed(
      "tcgen05.fence::after_thread_sync; tcgen05.fence::before_thread_sync;");
  const Ran ran = RunSeeds(parts.Make(), 6);
  EXPECT_TRUE(ran.Clean()) << ran.Text();
}

TEST(TensorCore, AWaitThatAcquiresComposesWithARelaxedArrival) {
  Parts parts = Relayed(
      "tcgen05.fence::after_thread_sync; tcgen05.fence::before_thread_sync;");
  const std::string relaxed = ".relaxed.cluster.shared::cta.b64 %p5, [bar],";
  parts.wait.replace(parts.wait.find(relaxed), relaxed.size(),
                     ".shared.b64 %p5, [bar],");
  const Ran ran = RunSeeds(parts.Make(), 6);
  EXPECT_TRUE(ran.Clean()) << ran.Text();
}

TEST(TensorCoreCheck, RelaxedSynchronisationsComposeByFencesAlone) {
  Snippet s = Relayed("").Make();
  s.options.checks = Checks::kStrict;
  EXPECT_TRUE(FindsWithSomeSeed(s, "tensor memory race", 4));
}

// All threads arrive when their loads are done, and warp 0 frees the memory.
Snippet FreedBehindRelaxedArrivals(const std::string& before) {
  Parts parts;
  parts.alloc = "@!%p2 mbarrier.init.shared.b64 [bar+8], 128;" + parts.alloc;
  parts.done = before + kRelaxedArrive + "[bar+8]; V: " + kRelaxedWait +
               "[bar+8], 0; @!%p5 bra V; tcgen05.fence::after_thread_sync;";
  return parts.Make();
}

TEST(TensorCore, RelaxedArrivalsOrderLoadsThatAreFencedBefore) {
  const Ran ran = RunSeeds(
      FreedBehindRelaxedArrivals("tcgen05.fence::before_thread_sync;"), 6);
  EXPECT_TRUE(ran.Clean()) << ran.Text();
  Snippet s = FreedBehindRelaxedArrivals("");
  s.options.checks = Checks::kStrict;
  EXPECT_TRUE(FindsWithSomeSeed(s, "tensor memory freed while in use", 4));
}

}  // namespace
}  // namespace tiletune::emulator
