#include "testing/emulator/hardware/micro_case.h"

#include <set>

#include "gtest/gtest.h"
#include "testing/emulator/hardware/inputs.h"
#include "testing/emulator/hardware/tensors.h"

namespace tiletune::micro {
namespace {

TEST(Cases, HaveUniqueNames) {
  std::set<std::string> names;
  for (const MicroCase& c : AllCases()) {
    EXPECT_TRUE(names.insert(c.name).second) << c;
  }
}

TEST(Cases, StayInsideTheirBuffers) {
  for (const MicroCase& c : AllCases()) {
    EXPECT_LE(c.out_bytes, kInputBytes) << c;
    EXPECT_LE(c.maps.size(), kMaxMaps) << c;
    for (const MapSpec& spec : c.maps) {
      EXPECT_LE(TensorBytes(spec.map),
                spec.over_output ? c.out_bytes : kInputBytes)
          << c;
    }
  }
}

TEST(Cases, LoadEveryRankInEverySwizzle) {
  std::set<std::pair<int, emulator::Swizzle>> seen;
  for (const MicroCase& c : TmaLoadCases()) {
    seen.emplace(c.maps[0].map.rank, c.maps[0].map.swizzle);
  }
  EXPECT_EQ(seen.size(), 5u * 4u);
}

TEST(Cases, DescribeWgmmaOperandsInEverySwizzle) {
  std::set<std::pair<int, int>> modes;
  for (const MicroCase& c : WgmmaCases()) {
    modes.emplace(c.params[4], c.params[8]);
  }
  for (int mode = 0; mode < 4; ++mode) {
    EXPECT_EQ(modes.count({mode, mode}), 1u) << mode;
  }
}

}  // namespace
}  // namespace tiletune::micro
