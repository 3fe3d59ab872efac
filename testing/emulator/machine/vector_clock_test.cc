#include "testing/emulator/machine/vector_clock.h"

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

TEST(VectorClock, JoinIsTheElementwiseMaximum) {
  VectorClock a;
  a.Set(3, 7);
  a.Set(1, 2);
  VectorClock b;
  b.Set(2, 5);
  b.Set(3, 4);
  b.Set(9, 1);
  a.Join(b);
  EXPECT_EQ(a.Get(1), 2u);
  EXPECT_EQ(a.Get(2), 5u);
  EXPECT_EQ(a.Get(3), 7u);
  EXPECT_EQ(a.Get(9), 1u);
  EXPECT_EQ(a.Get(4), 0u);
}

TEST(VectorClock, IncludesWhatAJoinWouldNotChange) {
  VectorClock a;
  a.Set(1, 5);
  a.Set(3, 2);
  VectorClock b;
  EXPECT_TRUE(a.Includes(b));
  b.Set(3, 2);
  EXPECT_TRUE(a.Includes(b));
  EXPECT_FALSE(b.Includes(a));
  b.Set(2, 1);
  EXPECT_FALSE(a.Includes(b));
}

TEST(VectorClock, SetNeverLowers) {
  VectorClock a;
  a.Set(1, 5);
  a.Set(1, 3);
  EXPECT_TRUE(a.Covers(1, 5));
  EXPECT_FALSE(a.Covers(1, 6));
}

}  // namespace
}  // namespace tiletune::emulator
