#include "gtest/gtest.h"
#include "testing/emulator/snippet/snippet.h"

namespace tiletune::emulator {
namespace {

Ran PerLane(const std::string& body) {
  Snippet s(body +
            "mul.wide.u32 %rd1, %t, 4; add.u64 %rd2, %out, %rd1;"
            "st.global.u32 [%rd2], %r1;");
  s.block = {32, 1, 1};
  Ran ran = RunOnce(s);
  EXPECT_TRUE(ran.Clean()) << ran.Text();
  ran.out.resize(256);
  return ran;
}

TEST(WarpOps, ShufflesInAllModes) {
  EXPECT_EQ(PerLane("shfl.sync.idx.b32 %r1, %t, 7, 31, 0xFFFFFFFF;").out[3],
            7u);
  EXPECT_EQ(PerLane("shfl.sync.bfly.b32 %r1, %t, 5, 31, 0xFFFFFFFF;").out[8],
            13u);
  EXPECT_EQ(PerLane("shfl.sync.up.b32 %r1, %t, 2, 0, 0xFFFFFFFF;").out[1], 1u);
  EXPECT_EQ(PerLane("shfl.sync.up.b32 %r1, %t, 2, 0, 0xFFFFFFFF;").out[9], 7u);
  EXPECT_EQ(PerLane("shfl.sync.down.b32 %r1, %t, 4, 31, 0xFFFFFFFF;").out[30],
            30u);
  // Segments of 8 lanes: idx 1 within each.
  EXPECT_EQ(
      PerLane("shfl.sync.idx.b32 %r1, %t, 1, 0x181F, 0xFFFFFFFF;").out[20],
      17u);
}

TEST(WarpOps, VotesElectsAndReduces) {
  Ran ballot = PerLane(
      "setp.lt.u32 %p1, %t, 5; vote.sync.ballot.b32 %r1, %p1, 0xFFFFFFFF;");
  EXPECT_EQ(ballot.out[20], 0x1Fu);
  Ran elect =
      PerLane("elect.sync %r2|%p1, 0xFFFFFFFF; selp.u32 %r1, 1, 0, %p1;");
  uint32_t elected = 0;
  for (int i = 0; i < 32; ++i) elected += elect.out[i];
  EXPECT_EQ(elected, 1u);
  EXPECT_EQ(PerLane("redux.sync.add.s32 %r1, %t, 0xFFFFFFFF;").out[0], 496u);
  EXPECT_EQ(PerLane("shr.u32 %r2, %t, 4;"
                    "match.any.sync.b32 %r1, %r2, 0xFFFFFFFF;")
                .out[20],
            0xFFFF0000u);
}

TEST(WarpOps, WaitForAllLanesOfTheMask) {
  // Lanes come to the vote at different times.
  Ran ran = PerLane(
      "setp.lt.u32 %p1, %t, 9; @%p1 bra FEW; mov.u32 %r2, 0;"
      "L: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 20; @%p2 bra L;"
      "FEW: vote.sync.ballot.b32 %r1, %p1, 0xFFFFFFFF;");
  EXPECT_EQ(ran.out[0], 0x1FFu);
  EXPECT_EQ(ran.out[31], 0x1FFu);
}

TEST(WarpOpsCheck, SeesLanesThatSkipTheInstruction) {
  Snippet s(
      "setp.lt.u32 %p1, %t, 9;"
      "@%p1 vote.sync.ballot.b32 %r1, %p1, 0xFFFFFFFF;");
  s.block = {32, 1, 1};
  EXPECT_TRUE(RunOnce(s).Found("bad membermask"));
}

TEST(WarpOpsCheck, SeesAShuffleFromALaneOutside) {
  Snippet s(
      "setp.lt.u32 %p1, %t, 16; @!%p1 bra END;"
      "shfl.sync.idx.b32 %r1, %t, 20, 31, 0xFFFF; END:");
  s.block = {32, 1, 1};
  EXPECT_TRUE(RunOnce(s).Found("undefined value"));
}

TEST(WarpOpsCheck, SeesEveryLaneThatIsNotInItsMembermask) {
  for (const char* instruction :
       {"shfl.sync.idx.b32 %r1, %t, 0, 31, 0xFFFF;",
        "vote.sync.ballot.b32 %r1, %p1, 0xFFFF;",
        "redux.sync.add.s32 %r1, %t, 0xFFFF;",
        "match.any.sync.b32 %r1, %t, 0xFFFF;", "elect.sync %r1|%p2, 0xFFFF;",
        "bar.warp.sync 0xFFFF;"}) {
    Snippet s(std::string("setp.lt.u32 %p1, %t, 5;") + instruction);
    s.block = {32, 1, 1};
    const Ran all = RunOnce(s);
    EXPECT_TRUE(all.Found("bad membermask")) << instruction << all.Text();
    ASSERT_FALSE(all.result.findings.empty());
    EXPECT_EQ(all.result.findings[0].thread, 16) << instruction;
    s.block = {16, 1, 1};
    EXPECT_TRUE(RunOnce(s).Clean()) << instruction << RunOnce(s).Text();
  }
}

TEST(WarpOps, LanesWithDifferentMembermasksDoNotMix) {
  // Each quarter of the warp has a mask of its own, all in one instruction.
  const std::string mask =
      "and.b32 %r2, %t, 0x18; mov.b32 %r3, 0xFF; shl.b32 %r3, %r3, %r2;";
  const Ran ballot = PerLane(mask +
                             "and.b32 %r4, %t, 1; setp.eq.u32 %p1, %r4, 1;"
                             "vote.sync.ballot.b32 %r1, %p1, %r3;");
  EXPECT_EQ(ballot.out[0], 0xAAu);
  EXPECT_EQ(ballot.out[31], 0xAA000000u);
  const Ran sum = PerLane(mask + "redux.sync.add.u32 %r1, %t, %r3;");
  EXPECT_EQ(sum.out[7], 28u);
  EXPECT_EQ(sum.out[8], 92u);
  const Ran elected =
      PerLane(mask + "elect.sync %r1|%p1, %r3; bar.warp.sync %r3;");
  EXPECT_EQ(elected.out[9], 8u);
  EXPECT_EQ(elected.out[31], 24u);
}

TEST(WarpOpsCheck, SeesMembersThatNameAnotherMask) {
  Snippet s(
      "setp.lt.u32 %p1, %t, 16; selp.b32 %r2, 0xFFFFFFFF, 0xFFFF0000, %p1;"
      "redux.sync.add.u32 %r1, %t, %r2;");
  s.block = {32, 1, 1};
  const Ran ran = RunOnce(s);
  ASSERT_TRUE(ran.Found("bad membermask"));
  EXPECT_NE(ran.Text().find("lanes of one membermask name another one"),
            std::string::npos)
      << ran.Text();
}

}  // namespace
}  // namespace tiletune::emulator
