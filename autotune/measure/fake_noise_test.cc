#include "autotune/measure/fake_noise.h"

#include <string>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

TEST(FakeNoise, IsAFunctionOfSeedAndText) {
  EXPECT_EQ(UnitOf(1, "a"), UnitOf(1, "a"));
  EXPECT_NE(UnitOf(1, "a"), UnitOf(2, "a"));
  EXPECT_NE(UnitOf(1, "a"), UnitOf(1, "b"));
  // On every machine: written down once.
  EXPECT_DOUBLE_EQ(UnitOf(1, "a"), 0.52706745899299134);
}

TEST(FakeNoise, HasTheMomentsOfItsDistribution) {
  constexpr int kCount = 10000;
  double unit = 0, normal = 0, square = 0;
  for (int i = 0; i < kCount; ++i) {
    const std::string text = std::to_string(i);
    unit += UnitOf(1, text) / kCount;
    normal += NormalOf(1, text) / kCount;
    square += NormalOf(1, text) * NormalOf(1, text) / kCount;
  }
  EXPECT_NEAR(unit, 0.5, 0.01);
  EXPECT_NEAR(normal, 0, 0.03);
  EXPECT_NEAR(square, 1, 0.05);
}

}  // namespace
}  // namespace tiletune
