// tcgen05.mma over a pair of CTAs, and block-scaled with scales by tcgen05.cp.
#include <string>

#include "gtest/gtest.h"
#include "testing/emulator/engines/instruction_descriptor.h"
#include "testing/emulator/snippet/snippet.h"

namespace tiletune::emulator {
namespace {

// Writes `value` to 32-bit words [from, to) of buf, 128 threads together.
std::string Fill(const std::string& label, int from, int to,
                 const std::string& value) {
  return "mov.u32 %r0, buf; add.u32 %r1, %t, " + std::to_string(from) +
         "; setp.ge.u32 %p1, %r1, " + std::to_string(to) + "; @%p1 bra " +
         label + "_END; " + label +
         ": shl.b32 %r2, %r1, 2; add.u32 %r2, %r0, %r2; st.shared.u32 [%r2], " +
         value + "; add.u32 %r1, %r1, 128; setp.lt.u32 %p1, %r1, " +
         std::to_string(to) + "; @%p1 bra " + label + "; " + label + "_END: ";
}

const char kClusterBarrier[] =
    "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";

// Parts that both programs have. %r10: warp; %p2: not thread 0; %p3: not warp
// 0; [bar]: for the commit; %r0: buf, where A begins, B 4096 bytes on.
std::string Number() {
  return "shr.u32 %r10, %t, 5; setp.ne.u32 %p2, %t, 0; setp.ge.u32 %p3, %t, 32;"
         "@!%p2 mbarrier.init.shared.b64 [bar], 1;";
}

// Warp 0, `columns` for CTAs of a group of `group`; their address to [word].
std::string Allocate(int group, int columns) {
  const std::string of = ".cta_group::" + std::to_string(group);
  return "@%p3 bra ALLOCATED; tcgen05.alloc" + of +
         ".sync.aligned.shared::cta.b32 [word], " + std::to_string(columns) +
         "; tcgen05.relinquish_alloc_permit" + of + ".sync.aligned; ALLOCATED:";
}

// All threads: what was written is handed over to the tensor cores at
// `barrier`; %r30 is the address in Tensor Memory.
std::string HandOver(const std::string& proxy_fence,
                     const std::string& barrier) {
  return proxy_fence + "tcgen05.fence::before_thread_sync;" + barrier +
         "tcgen05.fence::after_thread_sync; ld.shared.u32 %r30, [word];";
}

// %rd7: address of A for descriptors; %rd1, %rd2: those of A and B; %rd3: the
// mbarrier; %p6: false, so that the MMA overwrites.
const char kDescriptors[] =
    "mov.u64 %rd3, bar; and.b32 %r3, %r0, 0x3FFFF; shr.u32 %r3, %r3, 4;"
    "cvt.u64.u32 %rd7, %r3; or.b64 %rd1, %rd7, 0x0000401000080000;"
    "add.u64 %rd2, %rd1, 256; setp.ne.u32 %p6, %r0, %r0;";

// All threads, once the phase is complete; %r4: the warp's lanes of D.
std::string WaitForCommit(const std::string& semantics) {
  return "W: mbarrier.try_wait.parity" + semantics +
         ".shared.b64 %p7, [bar], 0; @!%p7 bra W;"
         "tcgen05.fence::after_thread_sync; shl.b32 %r4, %r10, 21;"
         "add.u32 %r4, %r4, %r30;";
}

std::string Deallocate(int group, int columns, const std::string& barrier) {
  return "tcgen05.fence::before_thread_sync;" + barrier +
         "@%p3 bra END; tcgen05.dealloc.cta_group::" + std::to_string(group) +
         ".sync.aligned.b32 %r30, " + std::to_string(columns) + "; END:";
}

// M 256, N 16, K 16 over two CTAs: rows of A are 1 in the first, 2 in the
// second; columns of B are 1 in the first CTA's half, 3 in the other's.
struct Pair {
  std::string proxy_fence = "fence.proxy.async.shared::cta;";
  std::string mask = "3";  // of the CTAs that the commit reaches
  std::string done = kClusterBarrier;
  std::string issuer = "@%p2 bra ISSUED; setp.ne.u32 %p4, %r11, 0;";

  Snippet Make() const {
    Snippet s(
        Number() + kClusterBarrier + Allocate(2, 32) +
        "mov.u32 %r11, %cluster_ctarank; setp.eq.u32 %p5, %r11, 0;"
        "selp.b32 %r12, 0x3F803F80, 0x40004000, %p5;"
        "selp.b32 %r13, 0x3F803F80, 0x40404040, %p5;" +
        Fill("A", 0, 1024, "%r12") + Fill("B", 1024, 1088, "%r13") +
        HandOver(proxy_fence, kClusterBarrier) + issuer + "@%p4 bra ISSUED;" +
        kDescriptors +
        "tcgen05.mma.cta_group::2.kind::f16 [%r30], %rd1, %rd2, 0x10040490, "
        "%p6; mov.u16 %h1, " +
        mask +
        "; tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster."
        "multicast::cluster.b64 [%rd3], %h1; ISSUED:" +
        WaitForCommit(".acquire.cluster") +
        "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r20}, [%r4];"
        "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r21}, [%r4+8];"
        "tcgen05.wait::ld.sync.aligned; mad.lo.u32 %r5, %r11, 128, %t;"
        "mul.wide.u32 %rd4, %r5, 8; add.u64 %rd4, %out, %rd4;"
        "st.global.v2.u32 [%rd4], {%r20, %r21};" +
        Deallocate(2, 32, done));
    s.block = {128, 1, 1};
    s.grid = {2, 1, 1};
    s.cluster = {2, 1, 1};
    s.out_words = 512;
    return s;
  }
};

TEST(TensorMma, APairMultipliesWithBothHalvesOfB) {
  const Ran ran = RunSeeds(Pair().Make(), 6);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 0x41800000u);    // 16
  EXPECT_EQ(ran.out[1], 0x42400000u);    // 48
  EXPECT_EQ(ran.out[510], 0x42000000u);  // 32
  EXPECT_EQ(ran.out[511], 0x42C00000u);  // 96
}

TEST(TensorMmaCheck, SeesOperandsOfThePeerThatAreNotFenced) {
  Pair pair;
  // Only the first CTA fences.
  pair.proxy_fence = "@%p5 fence.proxy.async.shared::cta;";
  EXPECT_TRUE(RunOnce(pair.Make()).Found("missing proxy fence"));
}

// The tcgen05 fence composes with barriers of any order (PTX ISA 9.7.16.6.3).
TEST(TensorMma, APairIsFreedBehindARelaxedBarrierAndAFence) {
  Pair pair;
  pair.done = "barrier.cluster.arrive.relaxed; barrier.cluster.wait;";
  const Ran ran = RunSeeds(pair.Make(), 4);
  EXPECT_TRUE(ran.Clean()) << ran.Text();
}

TEST(TensorMma, APairIsFreedBehindARelaxedBarrierAloneInHardware) {
  Pair pair;
  pair.done = "barrier.cluster.arrive.relaxed; barrier.cluster.wait;";
  Snippet s = pair.Make();
  const std::string fence = "tcgen05.fence::before_thread_sync;";
  s.body.erase(s.body.rfind(fence), fence.size());
  EXPECT_TRUE(RunSeeds(s, 1).Found("tensor memory freed while in use"));
  s.options.checks = Checks::kHardware;
  for (s.options.seed = 0; s.options.seed < 4; ++s.options.seed) {
    const Ran ran = RunOnce(s);
    ASSERT_TRUE(ran.Clean()) << ran.Text();
  }
}

TEST(TensorMmaCheck, ACommitToOneCtaLeavesThePeerWaiting) {
  Pair pair;
  pair.mask = "1";
  EXPECT_TRUE(RunOnce(pair.Make()).Found("deadlock"));
}

// M 128, N 8, K 32, e4m3 ones. Row r of A has the scale 2^(r / 32), columns of
// B have 2. Scales of A go to columns 32 to 35, of B to column 36 on.
struct Scaled {
  std::string copy_a = "tcgen05.cp.cta_group::1.32x128b.warpx4 [%r31], %rd5;";
  std::string address_a = "mov.u32 %r33, %r31;";
  std::string copy_b = "tcgen05.cp.cta_group::1.32x128b.warpx4 [%r31+4], %rd6;";

  Snippet Make() const {
    InstructionDescriptor d;
    d.a_format = d.b_format = Format::kE4m3;
    d.m = 128;
    d.n = 8;
    d.k = 32;
    const uint32_t bits = EncodeInstructionDescriptor(MmaKind::kMxf8f6f4, d);
    Snippet s(
        Number() + Allocate(1, 64) + Fill("A", 0, 1088, "0x38383838") +
        // One word a thread: lane t / 4, column t % 4.
        "and.b32 %r3, %t, 3; add.u32 %r3, %r3, 127; shl.b32 %r2, %t, 2;"
        "add.u32 %r2, %r0, %r2; st.shared.u32 [%r2+4352], %r3;"
        "st.shared.u32 [%r2+4864], 128;" +
        HandOver("fence.proxy.async.shared::cta;", "bar.sync 0;") +
        "@%p2 bra ISSUED;" + kDescriptors +
        "add.u64 %rd5, %rd7, 272; or.b64 %rd5, %rd5, 0x0000400800000000;"
        "add.u64 %rd6, %rd5, 32; add.u32 %r31, %r30, 32;"
        "add.u32 %r32, %r30, 36;" +
        copy_a + copy_b + address_a +
        "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X "
        "[%r30], %rd1, %rd2, " +
        std::to_string(bits) +
        ", [%r33], [%r32], %p6;"
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
        "[%rd3]; ISSUED:" +
        WaitForCommit("") +
        "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r20}, [%r4+7];"
        "tcgen05.wait::ld.sync.aligned;"
        "mul.wide.u32 %rd4, %t, 4; add.u64 %rd4, %out, %rd4;"
        "st.global.u32 [%rd4], %r20;" +
        Deallocate(1, 64, "bar.sync 0;"));
    s.block = {128, 1, 1};
    return s;
  }
};

TEST(TensorMma, ScalesBlocksWithWhatCpBrought) {
  const Ran ran = RunSeeds(Scaled().Make(), 6);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 0x42800000u);    // 64
  EXPECT_EQ(ran.out[32], 0x43000000u);   // 128
  EXPECT_EQ(ran.out[127], 0x44000000u);  // 512
}

TEST(TensorMma, SeesTheByteOfAColumnInAScaleAddressIfStrict) {
  Scaled scaled;
  scaled.address_a = "or.b32 %r33, %r31, 0x40000000;";
  Snippet s = scaled.Make();
  EXPECT_TRUE(RunSeeds(s, 1).Found("out of bounds"));
  s.options.checks = Checks::kHardware;
  const Ran ran = RunOnce(s);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[127], 0x44000000u);  // 512
}

TEST(TensorMmaCheck, SeesScalesThatNothingBrought) {
  Scaled scaled;
  scaled.copy_b = "";
  EXPECT_TRUE(RunOnce(scaled.Make()).Found("uninitialised memory"));
}

TEST(TensorMmaCheck, SeesScalesOfOnePartitionOnly) {
  // Without .warpx4 the copies for the other three warps are missing.
  Scaled scaled;
  scaled.copy_a = "tcgen05.cp.cta_group::1.128x128b [%r31], %rd5;";
  const Ran ran = RunOnce(scaled.Make());
  EXPECT_TRUE(ran.Found("bad scale factors") ||
              ran.Found("uninitialised memory"))
      << ran.Text();
}

}  // namespace
}  // namespace tiletune::emulator
