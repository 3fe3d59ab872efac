#include "testing/emulator/machine/lane_set.h"

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

TEST(LaneSet, StridedSetsNameOneLaneForEachByte) {
  const LaneSet run = LaneSet::Strided(4, 64, 4);
  EXPECT_EQ(run.At(64), 1u << 4);
  EXPECT_EQ(run.At(79), 1u << 4);
  EXPECT_EQ(run.At(80), 1u << 5);
  EXPECT_EQ(LaneSet::Strided(1, 4096, 0).At(4100), 1u << 5);
  EXPECT_TRUE(run.IsSingle());
  EXPECT_EQ(run.Step(), 16u);
}

TEST(LaneSet, MasksNameTheSameLanesForEveryByte) {
  LaneSet set = LaneSet::Mask(0x3);
  EXPECT_EQ(set.At(1000), 0x3u);
  EXPECT_FALSE(set.IsSingle());
  EXPECT_TRUE(set.Add(LaneSet::Mask(0x10)));
  EXPECT_EQ(set.At(0), 0x13u);
  EXPECT_FALSE(set.Add(LaneSet::Strided(0, 0, 2)));
}

TEST(LaneSet, AnActorWithoutLanesHasAnEmptySet) {
  EXPECT_TRUE(LaneSet().empty());
  EXPECT_FALSE(LaneSet::Mask(0).empty());
}

}  // namespace
}  // namespace tiletune::emulator
