// Tensor maps that a kernel builds: cleared, filled in field by field in shared
// memory, copied to global memory, and used by a TMA load.
#include <cstring>
#include <string>

#include "gtest/gtest.h"
#include "testing/emulator/snippet/snippet.h"

namespace tiletune::emulator {
namespace {

// Of 16 rows of 16 words at %in, word (r, c) = 100 r + c; boxes of 8 x 4. Loads
// the box at (8, 4) and stores its word (1, 2).
struct Parts {
  std::string clear =
      "shl.b32 %r0, %t, 2; mov.u32 %r1, buf; add.u32 %r1, %r1, %r0;"
      "mov.u32 %r2, 0; st.shared.u32 [%r1+8192], %r2; bar.sync 0;";
  std::string rank =
      "@%p1 tensormap.replace.tile.rank.shared::cta.b1024.b32 [buf+8192], 1;";
  std::string stride =
      "@%p1 tensormap.replace.tile.global_stride.shared::cta.b1024.b64 "
      "[buf+8192], 0, 64;";
  std::string size = "128";

  Snippet Make() const {
    auto replace = [](const std::string& field, const std::string& operands) {
      return "@%p1 tensormap.replace.tile." + field +
             ".shared::cta.b1024.b32 [buf+8192], " + operands + ";";
    };
    Snippet s(
        "setp.eq.u32 %p1, %t, 0; add.u64 %rd2, %in, 1024;"
        "@%p1 mbarrier.init.shared.b64 [bar], 1;" +
        clear +
        "@%p1 tensormap.replace.tile.global_address.shared::cta.b1024.b64 "
        "[buf+8192], %in;" +
        rank + replace("box_dim", "0, 8") + replace("box_dim", "1, 4") +
        replace("global_dim", "0, 16") + replace("global_dim", "1, 16") +
        stride + replace("element_stride", "0, 1") +
        replace("element_stride", "1, 1") + replace("elemtype", "2") +
        replace("interleave_layout", "0") + replace("swizzle_mode", "0") +
        replace("fill_mode", "0") +
        "bar.warp.sync 0xffffffff;"
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release."
        "gpu.sync.aligned [%rd2], [buf+8192], " +
        size +
        "; fence.proxy.tensormap::generic.acquire.gpu [%rd2], 128;"
        "@!%p1 bra END;"
        "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;"
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::"
        "bytes [buf], [%rd2, {8, 4}], [bar];"
        "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W;"
        "ld.shared.u32 %r3, [buf+40]; st.global.u32 [%out], %r3; END:");
    s.block = {32, 1, 1};
    s.in.resize(16 * 16 * 4 + 128);
    for (uint32_t r = 0; r < 16; ++r) {
      for (uint32_t c = 0; c < 16; ++c) {
        uint32_t value = 100 * r + c;
        std::memcpy(&s.in[(r * 16 + c) * 4], &value, 4);
      }
    }
    return s;
  }
};

TEST(TensorMapOps, AMapBuiltByTheKernelLoadsItsBox) {
  Ran ran = RunSeeds(Parts().Make(), 4);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 510u);
}

TEST(TensorMapOpsCheck, SeesAMapThatWasNeverCleared) {
  Parts parts;
  parts.clear = "";
  EXPECT_TRUE(RunOnce(parts.Make()).Found("uninitialised memory"));
}

TEST(TensorMapOpsCheck, SeesARankThatIsNone) {
  Parts parts;
  parts.rank.replace(parts.rank.rfind("1;"), 2, "5;");
  EXPECT_TRUE(RunOnce(parts.Make()).Found("bad tensor map"));
}

TEST(TensorMapOpsCheck, SeesAnIllegalStrideWhenTheMapIsUsed) {
  Parts parts;
  parts.stride.replace(parts.stride.rfind("64;"), 3, "60;");
  EXPECT_TRUE(RunOnce(parts.Make()).Found("bad tensor map"));
}

TEST(TensorMapOpsCheck, RefusesACopyOfAnotherSize) {
  Parts parts;
  parts.size = "64";
  Ran ran = RunOnce(parts.Make());
  EXPECT_NE(ran.error.find("128 bytes"), std::string::npos) << ran.Text();
}

}  // namespace
}  // namespace tiletune::emulator
