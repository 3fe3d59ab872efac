#include <cstring>

#include "gtest/gtest.h"
#include "testing/emulator/snippet/snippet.h"

namespace tiletune::emulator {
namespace {

// 16 rows of 16 words, word (r, c) = 100 r + c; boxes of 8 x 4, no swizzle.
Snippet Tensor(const std::string& body) {
  Snippet s(
      "mbarrier.init.shared.b64 [bar], 1; "
      "fence.mbarrier_init.release.cluster;" +
      body);
  s.in.resize(16 * 16 * 4);
  for (uint32_t r = 0; r < 16; ++r) {
    for (uint32_t c = 0; c < 16; ++c) {
      uint32_t value = 100 * r + c;
      std::memcpy(&s.in[(r * 16 + c) * 4], &value, 4);
    }
  }
  s.map.type = TensorMapType::kU32;
  s.map.rank = 2;
  s.map.dims = {16, 16};
  s.map.strides = {64};
  s.map.box = {8, 4};
  return s;
}

const char kLoad[] =
    "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;"
    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::"
    "bytes [buf], [%map, {COORDS}], [bar];";
const char kWait[] =
    "W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W;";

std::string LoadAt(const std::string& coordinates) {
  std::string text = kLoad;
  text.replace(text.find("COORDS"), 6, coordinates);
  return text;
}

TEST(TmaOps, LoadsABoxAndFillsOutsideWithZero) {
  Ran ran = RunSeeds(Tensor(LoadAt("12, 14") + kWait +
                            "ld.shared.u32 %r1, [buf+36];"  // row 1, column 1
                            "ld.shared.u32 %r2, [buf+52];"  // column 5: outside
                            "ld.shared.u32 %r3, [buf+64];"  // row 2: outside
                            "st.global.v2.u32 [%out], {%r1, %r2};"
                            "st.global.u32 [%out+8], %r3;"),
                     4);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 1513u);
  EXPECT_EQ(ran.out[1], 0u);
  EXPECT_EQ(ran.out[2], 0u);
}

const char kStore[] =
    "mul.wide.u32 %rd1, %t, 4; mov.u32 %r1, buf; shl.b32 %r2, %t, 2;"
    "add.u32 %r1, %r1, %r2; add.u32 %r3, %t, 7000;"
    "st.shared.u32 [%r1], %r3; FENCE bar.sync 0;"
    "setp.ne.u32 %p2, %t, 0; @%p2 bra END;"
    "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "
    "[%map, {8, 12}], [buf]; cp.async.bulk.commit_group;"
    "cp.async.bulk.wait_group.read 0; END:";

// A warp that stores a box of 7000 and up at (8, 12), with this in the place of
// the fence between its writes and the store.
Snippet Store(const std::string& fence) {
  Snippet s = Tensor("");
  s.body = kStore;
  s.body.replace(s.body.find("FENCE"), 5, fence);
  s.block = {32, 1, 1};
  return s;
}
const char kFence[] = "fence.proxy.async.shared::cta;";

// Removes from the body of `s`.
void Remove(const std::string& text, Snippet* s) {
  s->body.replace(s->body.find(text), text.size(), "");
}

// In global memory, of the box's word (1, 1).
uint32_t StoredWord(const Ran& ran) {
  uint32_t value = 0;
  std::memcpy(&value, &ran.in[(13 * 16 + 9) * 4], 4);
  return value;
}

void ExpectStored(const Ran& ran) {
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(StoredWord(ran), 7009u);
}

TEST(TmaOps, StoresABox) { ExpectStored(RunSeeds(Store(kFence), 6)); }

TEST(TmaOpsCheck, SeesAWarpThatRepeatsOneStoreIfStrict) {
  Snippet tensor = Store(kFence);
  Remove("setp.ne.u32 %p2, %t, 0; @%p2 bra END;", &tensor);
  for (tensor.options.seed = 1; tensor.options.seed < 7;
       ++tensor.options.seed) {
    ExpectStored(RunOnce(tensor));
  }
  tensor.options.checks = Checks::kStrict;
  EXPECT_TRUE(RunOnce(tensor).Found("data race"));
  // Boxes of their own that overlap race under any checks.
  tensor.body.replace(tensor.body.find("{8, 12}"), 7, "{%r2, 12}");
  tensor.options.checks = Checks::kHardware;
  EXPECT_TRUE(RunOnce(tensor).Found("data race"));
}

TEST(TmaOpsCheck, SeesAnExitBeforeAStoreIsDoneIfStrict) {
  Snippet tensor = Store(kFence);
  Remove("cp.async.bulk.wait_group.read 0;", &tensor);
  for (tensor.options.seed = 1; tensor.options.seed < 7;
       ++tensor.options.seed) {
    ExpectStored(RunOnce(tensor));
  }
  tensor.options.checks = Checks::kStrict;
  EXPECT_TRUE(FindsWithSomeSeed(tensor, "exit with work in flight", 8));
}

TEST(TmaOpsCheck, SeesAReadOfADestinationThatIsStillWritten) {
  const auto with = [](const std::string& wait) {
    Snippet tensor = Store(kFence);
    Remove("cp.async.bulk.wait_group.read 0; END:", &tensor);
    tensor.body += wait +
                   "ld.global.u32 %r1, [%in+868];"  // word (1, 1) of the box
                   "st.global.u32 [%out], %r1;"
                   "cp.async.bulk.wait_group 0; END:";
    // Others do not keep reads of what nobody has written yet.
    tensor.options.checks = Checks::kStrict;
    return tensor;
  };
  const Ran ran = RunSeeds(with("cp.async.bulk.wait_group 0;"), 6);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 7009u);
  EXPECT_TRUE(FindsWithSomeSeed(with("cp.async.bulk.wait_group.read 0;"),
                                "data race", 8));
}

TEST(TmaOps, ReductionsOfTwoCtasAddUp) {
  Snippet tensor = Store(kFence);
  tensor.grid.x = 2;
  EXPECT_TRUE(FindsWithSomeSeed(tensor, "data race", 8)) << "as stores";
  const std::string store = "cp.async.bulk.tensor.2d.global.shared::cta.tile";
  tensor.body.replace(
      tensor.body.find(store), store.size(),
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile");
  const Ran ran = RunSeeds(tensor, 6);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(StoredWord(ran), 1309u + 2 * 7009u);
}

TEST(TmaOpsCheck, AnUncommittedStoreIsSaidToBeSo) {
  Snippet tensor = Store(kFence);
  Remove("cp.async.bulk.commit_group;", &tensor);
  const Ran ran = RunSeeds(tensor, 8);
  ASSERT_TRUE(ran.Found("exit with work in flight")) << ran.Text();
  EXPECT_NE(ran.Text().find("never committed"), std::string::npos);
  EXPECT_GT(ran.result.findings[0].line, 0);
  EXPECT_NE(ran.result.findings[0].instruction.find("cp.async.bulk.tensor"),
            std::string::npos);
}

TEST(TmaOpsCheck, SeesAMissingProxyFenceBeforeALoadIfStrict) {
  Snippet tensor = Tensor("st.shared.u32 [buf], 5;" + LoadAt("0, 0") + kWait +
                          "ld.shared.u32 %r1, [buf+4];"
                          "st.global.u32 [%out], %r1;");
  Ran ran = RunOnce(tensor);
  EXPECT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 1u);
  tensor.options.checks = Checks::kStrict;
  EXPECT_TRUE(RunOnce(tensor).Found("missing proxy fence"));
}

TEST(TmaOpsCheck, SeesAMissingProxyFenceBeforeAStore) {
  EXPECT_TRUE(RunOnce(Store("")).Found("missing proxy fence"));
}

TEST(TmaOpsCheck, SeesTooManyBytes) {
  std::string load = LoadAt("0, 0");
  load.replace(load.find("128"), 3, "064");
  Ran ran = RunOnce(Tensor(load + kWait));
  EXPECT_TRUE(ran.Found("deadlock")) << ran.Text();
}

TEST(TmaOpsCheck, SeesADestinationThatIsNotAligned) {
  std::string load = LoadAt("0, 0");
  load.replace(load.find("[buf]"), 5, "[buf+16]");
  EXPECT_TRUE(RunOnce(Tensor(load + kWait)).Found("bad tensor copy"));
}

// An H200 stops with "illegal instruction", whatever the direction.
TEST(TmaOpsCheck, SeesABoxThatStartsWithinSixteenBytes) {
  const std::string store =
      "[%map, {COLUMN, 0}], [buf]; cp.async.bulk.commit_group;"
      "cp.async.bulk.wait_group 0;";
  const std::string fill =
      "mov.u32 %r1, buf; mov.u32 %r2, 0; F: st.shared.u32 [%r1], 1;"
      "add.u32 %r1, %r1, 4; add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 32;"
      "@%p2 bra F; fence.proxy.async.shared::cta;";
  const auto run = [](std::string text, const std::string& column,
                      Checks checks) {
    text.replace(text.find("COLUMN"), 6, column);
    Snippet tensor = Tensor(text);
    tensor.options.checks = checks;
    return RunOnce(tensor);
  };
  for (const std::string& text :
       {LoadAt("COLUMN, 0") + kWait,
        fill + "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group " +
            store,
        fill +
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile."
            "bulk_group " +
            store,
        std::string("cp.async.bulk.prefetch.tensor.2d.L2.global.tile "
                    "[%map, {COLUMN, 0}];")}) {
    for (const Checks checks : {Checks::kStrict, Checks::kHardware}) {
      const Ran ran = run(text, "2", checks);  // 8 bytes
      EXPECT_TRUE(ran.Found("bad tensor copy")) << text << ran.Text();
      EXPECT_NE(ran.Text().find("illegal instruction"), std::string::npos);
      EXPECT_FALSE(run(text, "4", checks).Found("bad tensor copy")) << text;
    }
  }
  const std::string load = LoadAt("COLUMN, 0") + kWait;
  EXPECT_TRUE(run(load, "-4", Checks::kHardware).Clean());
  EXPECT_TRUE(run(load, "-2", Checks::kHardware).Found("bad tensor copy"));
}

TEST(TmaOpsCheck, SeesAMapThatIsNone) {
  Snippet s = Tensor("prefetch.tensormap [%in];");
  EXPECT_TRUE(RunOnce(s).Found("bad tensor map"));
}

TEST(TmaOpsCheck, SeesADimensionMismatch) {
  std::string load = LoadAt("0, 0, 0");
  load.replace(load.find("2d"), 2, "3d");
  EXPECT_TRUE(RunOnce(Tensor(load + kWait)).Found("bad tensor copy"));
}

TEST(TmaOps, MulticastReachesEveryCtaOfTheMask) {
  std::string body =
      "mov.u32 %r10, %cluster_ctarank; fence.mbarrier_init.release.cluster;"
      "barrier.cluster.arrive; barrier.cluster.wait;"
      "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;"
      "setp.ne.u32 %p2, %r10, 0; mov.u16 %h1, 3; @%p2 bra W;"
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::"
      "bytes.multicast::cluster [buf], [%map, {0, 4}], [bar], %h1;";
  std::string tail =
      "ld.shared.u32 %r1, [buf+8]; mul.wide.u32 %rd1, %r10, 4;"
      "add.u64 %rd2, %out, %rd1; st.global.u32 [%rd2], %r1;"
      "barrier.cluster.arrive; barrier.cluster.wait;";
  Snippet s = Tensor(body + kWait + tail);
  s.grid = {2, 1, 1};
  s.cluster = {2, 1, 1};
  Ran ran = RunSeeds(s, 6);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 402u);
  EXPECT_EQ(ran.out[1], 402u);
}

}  // namespace
}  // namespace tiletune::emulator
