#include "testing/emulator/mutation/source_map.h"

#include <string>

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

// A kernel at k.cu:9 that calls Run (run.h:5), which calls Wait (wait.h:3).
const char kPtx[] =
    ".entry k() {\n"
    "\t.loc\t1 9 3\n"
    "\tmov.u32 %r1, 0;\n"
    "\t.loc\t2 5 7, function_name $L__info_string0, inlined_at 1 9 3\n"
    "\t.loc\t3 3 1, function_name $L__info_string1, inlined_at 2 5 7\n"
    "\tbar.sync 0;\n"
    "\t.loc\t1 11 3\n"
    "\tret;\n}\n"
    "\t.file\t1 \"/src/k.cu\"\n"
    "\t.file\t2 \"/src/./kernels/run.h\"\n"
    "\t.file\t3 \"/src/./kernels/wait.h\"\n"
    "$L__info_string0:\n.b8 82\n.b8 117\n.b8 110\n.b8 0\n"
    "$L__info_string1:\n.b8 87\n.b8 0\n";

TEST(SourceMap, FollowsInlinedCallsOutwards) {
  const std::vector<SourceFrame> frames = SourceMap(kPtx).At(6);
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].file, "k.cu");
  EXPECT_EQ(frames[0].line, 9);
  EXPECT_EQ(frames[1].function, "Run");
  EXPECT_EQ(frames[1].file, "kernels/run.h");
  EXPECT_EQ(frames[2].function, "W");
  EXPECT_EQ(frames[2].line, 3);
}

TEST(SourceMap, JoinsTheFunctions) {
  EXPECT_EQ(SourceMap(kPtx).Path(6), "Run > W");
}

TEST(SourceMap, LeavesAFunctionAgain) {
  EXPECT_EQ(SourceMap(kPtx).Path(8), "");
  EXPECT_EQ(SourceMap(kPtx).At(8).size(), 1u);
}

TEST(SourceMap, SaysNothingAboutPtxWithoutLines) {
  const SourceMap map(".entry k() {\nret;\n}\n");
  EXPECT_TRUE(map.At(2).empty());
  EXPECT_TRUE(map.At(0).empty());
  EXPECT_TRUE(map.At(99).empty());
}

TEST(SourceMap, ShortensNames) {
  EXPECT_EQ(ShortFunctionName("_ZN8tiletune9blackwell18SynchronizeCluster"
                              "INS0_11KernelShapeILi128ELb0EEEEEvv"),
            "SynchronizeCluster");
  EXPECT_EQ(ShortFunctionName("_ZN8tiletune9ClcSupplyILi2ELi1EE6Reader4NextEv"),
            "ClcSupply::Reader::Next");
  EXPECT_EQ(
      ShortFunctionName("_ZN8tiletune3ptx31tcgen05_fence_after_thread_syncEv"),
      "tcgen05_fence_after_thread_sync");
  EXPECT_EQ(ShortFunctionName("plain_c"), "plain_c");
}

}  // namespace
}  // namespace tiletune::emulator
