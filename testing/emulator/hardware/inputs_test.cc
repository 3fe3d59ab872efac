#include "testing/emulator/hardware/inputs.h"

#include <cmath>
#include <cstring>
#include <set>

#include "gtest/gtest.h"
#include "testing/emulator/engines/formats.h"

namespace tiletune::micro {
namespace {

template <typename T>
void ExpectSmallIntegers(Pattern pattern, emulator::Format format) {
  const std::vector<uint8_t> bytes = MakeInput(pattern, 1);
  std::set<float> values;
  for (size_t i = 0; i < bytes.size(); i += sizeof(T)) {
    T word;
    std::memcpy(&word, &bytes[i], sizeof(T));
    values.insert(emulator::Decode(format, word));
  }
  EXPECT_EQ(values, (std::set<float>{-4, -3, -2, -1, 0, 1, 2, 3}));
}

TEST(Inputs, SmallPatternsAreIntegersThatSumExactly) {
  using emulator::Format;
  ExpectSmallIntegers<uint16_t>(Pattern::kSmallF16, Format::kF16);
  ExpectSmallIntegers<uint16_t>(Pattern::kSmallBf16, Format::kBf16);
  ExpectSmallIntegers<uint32_t>(Pattern::kSmallF32, Format::kF32);
  ExpectSmallIntegers<uint32_t>(Pattern::kSmallTf32, Format::kTf32);
  ExpectSmallIntegers<uint8_t>(Pattern::kSmallE4m3, Format::kE4m3);
  ExpectSmallIntegers<uint8_t>(Pattern::kSmallE5m2, Format::kE5m2);
}

TEST(Inputs, EdgesHaveNanInfinitySubnormalsAndBothZeros) {
  const std::vector<uint8_t> bytes = MakeInput(Pattern::kEdgeF32, 1);
  std::set<int> classes;
  std::set<bool> zero_signs;
  for (size_t i = 0; i < 2048; i += 4) {
    float value;
    std::memcpy(&value, &bytes[i], 4);
    classes.insert(std::fpclassify(value));
    if (value == 0) zero_signs.insert(std::signbit(value));
  }
  EXPECT_EQ(classes.size(), 5u);
  EXPECT_EQ(zero_signs.size(), 2u);
}

TEST(Inputs, DependOnTheSeedAlone) {
  EXPECT_EQ(MakeInput(Pattern::kBytes, 1), MakeInput(Pattern::kBytes, 1));
  EXPECT_NE(MakeInput(Pattern::kBytes, 1), MakeInput(Pattern::kBytes, 2));
}

}  // namespace
}  // namespace tiletune::micro
