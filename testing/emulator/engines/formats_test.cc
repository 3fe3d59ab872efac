#include "testing/emulator/engines/formats.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

TEST(Formats, KnownPatterns) {
  EXPECT_EQ(Decode(Format::kF16, 0x3C00), 1.0f);
  EXPECT_EQ(Decode(Format::kF16, 0x7BFF), 65504.0f);
  EXPECT_EQ(Decode(Format::kF16, 0x0001), std::ldexp(1.0f, -24));
  EXPECT_EQ(Decode(Format::kBf16, 0xC040), -3.0f);
  EXPECT_EQ(Decode(Format::kE4m3, 0x7E), 448.0f);
  EXPECT_EQ(Decode(Format::kE4m3, 0x01), std::ldexp(1.0f, -9));
  EXPECT_TRUE(std::isnan(Decode(Format::kE4m3, 0xFF)));
  EXPECT_EQ(Decode(Format::kE5m2, 0x7B), 57344.0f);
  EXPECT_TRUE(std::isinf(Decode(Format::kE5m2, 0xFC)));
  EXPECT_EQ(Decode(Format::kE2m3, 0x1F), 7.5f);
  EXPECT_EQ(Decode(Format::kE3m2, 0x1F), 28.0f);
  EXPECT_EQ(Decode(Format::kE2m1, 0x7), 6.0f);
  EXPECT_EQ(Decode(Format::kE2m1, 0x9), -0.5f);
  EXPECT_EQ(Decode(Format::kUe8m0, 127), 1.0f);
  EXPECT_EQ(Decode(Format::kUe8m0, 0), std::ldexp(1.0f, -127));
  EXPECT_TRUE(std::isnan(Decode(Format::kUe8m0, 0xFF)));
  EXPECT_EQ(Decode(Format::kUe4m3, 0x38), 1.0f);
  EXPECT_EQ(Decode(Format::kS8, 0x80), -128.0f);
  EXPECT_EQ(Decode(Format::kU8, 0x80), 128.0f);
}

TEST(Formats, TheTopBitIsTheSign) {
  for (Format format :
       {Format::kF16, Format::kBf16, Format::kE4m3, Format::kE5m2,
        Format::kE2m3, Format::kE3m2, Format::kE2m1}) {
    const uint32_t sign = 1u << (FormatBits(format) - 1);
    for (uint32_t bits = 1; bits < 4; ++bits) {
      EXPECT_GT(Decode(format, bits), 0) << FormatName(format);
      EXPECT_EQ(Decode(format, bits | sign), -Decode(format, bits));
    }
  }
}

TEST(Formats, Tf32IgnoresTheLowThirteenBits) {
  EXPECT_EQ(Decode(Format::kTf32, 0x3F801FFF), 1.0f);
  EXPECT_NE(Decode(Format::kTf32, 0x3F802000), 1.0f);
}

TEST(Formats, FastDecodersAgreeWithTheTables) {
  for (uint32_t i = 0; i < (1u << 16); ++i) {
    const float slow = Decode(Format::kF16, i);
    const float fast = DecodeF16(static_cast<uint16_t>(i));
    ASSERT_TRUE(slow == fast || (std::isnan(slow) && std::isnan(fast))) << i;
    const float slow_bf16 = Decode(Format::kBf16, i);
    const float fast_bf16 = DecodeBf16(static_cast<uint16_t>(i));
    ASSERT_TRUE(slow_bf16 == fast_bf16 || std::isnan(slow_bf16)) << i;
  }
}

TEST(Formats, TablesExistUpToSixteenBits) {
  EXPECT_NE(DecodeTable(Format::kBf16), nullptr);
  EXPECT_EQ(DecodeTable(Format::kTf32), nullptr);
  EXPECT_EQ(DecodeTable(Format::kE2m1)[0x7], 6.0f);
}

TEST(Formats, PairsComeApartAsTheyWerePacked) {
  float high, low;
  DecodePair(Format::kE2m1, 0x79, &high, &low);
  EXPECT_EQ(high, 6.0f);
  EXPECT_EQ(low, -0.5f);
}

}  // namespace
}  // namespace tiletune::emulator
