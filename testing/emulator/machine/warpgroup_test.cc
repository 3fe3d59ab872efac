// wgmma's checks; device_test runs a whole GEMM with it.
#include <string>

#include "gtest/gtest.h"
#include "testing/emulator/snippet/snippet.h"

namespace tiletune::emulator {
namespace {

// m64n8k16 on operands of ones without swizzle: A 64 rows, B 8 rows behind it.
Snippet Wgmma(const std::string& fence, const std::string& wait,
              const std::string& after = "") {
  Snippet s(
      "mov.u32 %r0, buf; mov.u32 %r1, %t; FILL: shl.b32 %r2, %r1, 2;"
      "add.u32 %r2, %r0, %r2; st.shared.u32 [%r2], 0x3F803F80;"
      "add.u32 %r1, %r1, 128; setp.lt.u32 %p1, %r1, 576; @%p1 bra FILL;" +
      fence +
      "bar.sync 0; and.b32 %r3, %r0, 0x3FFFF; shr.u32 %r3, %r3, 4;"
      "cvt.u64.u32 %rd1, %r3; or.b64 %rd1, %rd1, 0x0000001000080000;"
      "add.u64 %rd2, %rd1, 128; mov.f32 %f0, 0f3F800000; mov.f32 %f1, %f0;"
      "mov.f32 %f2, %f0; mov.f32 %f3, %f0; wgmma.fence.sync.aligned;"
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
      "{%f0, %f1, %f2, %f3}, %rd1, %rd2, 1, 1, 1, 0, 0;"
      "wgmma.commit_group.sync.aligned;" +
      wait +
      "mul.wide.u32 %rd3, %t, 4; add.u64 %rd3, %out, %rd3;"
      "mov.b32 %r5, %f3; st.global.u32 [%rd3], %r5;" +
      after);
  s.target = "sm_90a";
  s.block = {128, 1, 1};
  return s;
}

const char kFence[] = "fence.proxy.async;";
const char kWait[] = "wgmma.wait_group.sync.aligned 0;";

TEST(Warpgroup, AccumulatesOnTopOfItsRegisters) {
  Ran ran = RunSeeds(Wgmma(kFence, kWait), 6);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 0x41880000u);  // 17
  EXPECT_EQ(ran.out[127], 0x41880000u);
}

TEST(WarpgroupCheck, SeesAccumulatorsReadBeforeTheWait) {
  EXPECT_TRUE(
      RunOnce(Wgmma(kFence, "", kWait)).Found("register read too early"));
}

TEST(WarpgroupCheck, SeesAMissingProxyFence) {
  EXPECT_TRUE(RunOnce(Wgmma("", kWait)).Found("missing proxy fence"));
}

TEST(WarpgroupCheck, SeesOperandsOverwrittenBeforeTheWait) {
  std::string overwrite = "st.shared.u32 [buf], 0;";
  EXPECT_TRUE(
      FindsWithSomeSeed(Wgmma(kFence, overwrite + kWait), "data race", 4));
}

}  // namespace
}  // namespace tiletune::emulator
