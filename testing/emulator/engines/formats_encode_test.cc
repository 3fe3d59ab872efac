#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "testing/emulator/engines/formats.h"

namespace tiletune::emulator {
namespace {

constexpr Format kMinifloats[] = {Format::kF16,  Format::kBf16, Format::kE4m3,
                                  Format::kE5m2, Format::kE2m3, Format::kE3m2,
                                  Format::kE2m1, Format::kUe4m3};

uint32_t Count(Format format) { return 1u << FormatBits(format); }

// The finite values of a format, by pattern.
std::vector<std::pair<double, uint32_t>> FiniteValues(Format format) {
  std::vector<std::pair<double, uint32_t>> values;
  const uint32_t count = format == Format::kUe4m3 ? 0x80 : Count(format);
  for (uint32_t bits = 0; bits < count; ++bits) {
    const float value = Decode(format, bits);
    if (std::isfinite(value)) values.push_back({value, bits});
  }
  return values;
}

TEST(FormatsEncode, EveryFinitePatternSurvivesARoundTrip) {
  for (Format format : kMinifloats) {
    for (const auto& [value, bits] : FiniteValues(format)) {
      EXPECT_EQ(Encode(format, value, {}), bits) << FormatName(format);
    }
  }
}

// An independent formulation of rounding: search the sorted list of values.
TEST(FormatsEncode, RoundsToANeighbourAsTheModeSays) {
  for (Format format : kMinifloats) {
    if (FormatBits(format) > 8) continue;
    std::vector<std::pair<double, uint32_t>> values;
    for (const auto& entry : FiniteValues(format)) {
      if (entry.first > 0 || entry.second == 0) values.push_back(entry);
    }
    for (size_t i = 0; i + 1 < values.size(); ++i) {
      const auto [low, low_bits] = values[i];
      const auto [high, high_bits] = values[i + 1];
      const uint32_t even = low_bits % 2 == 0 ? low_bits : high_bits;
      for (double fraction : {0.25, 0.5, 0.75}) {
        const double x = low + (high - low) * fraction;
        const uint32_t nearest = fraction < 0.5 ? low_bits : high_bits;
        EXPECT_EQ(Encode(format, x, {Rounding::kNearestEven}),
                  fraction == 0.5 ? even : nearest);
        EXPECT_EQ(Encode(format, x, {Rounding::kNearestAway}), nearest);
        EXPECT_EQ(Encode(format, x, {Rounding::kTowardZero}), low_bits);
        EXPECT_EQ(Encode(format, x, {Rounding::kDown}), low_bits);
        EXPECT_EQ(Encode(format, x, {Rounding::kUp}), high_bits);
      }
    }
  }
}

TEST(FormatsEncode, DirectedRoundingOfNegativesMirrors) {
  const double x = -1.0 - std::ldexp(1.0, -12);  // just below -1 in f16
  EXPECT_EQ(Encode(Format::kF16, x, {Rounding::kDown}), 0xBC01u);
  EXPECT_EQ(Encode(Format::kF16, x, {Rounding::kUp}), 0xBC00u);
  EXPECT_EQ(Encode(Format::kF16, x, {Rounding::kTowardZero}), 0xBC00u);
}

TEST(FormatsEncode, OverflowGoesToInfinityNanOrTheLargestValue) {
  EXPECT_EQ(Encode(Format::kF16, 65520.0, {}), 0x7C00u);
  EXPECT_EQ(Encode(Format::kF16, 65519.0, {}), 0x7BFFu);
  EXPECT_EQ(Encode(Format::kF16, 1e9, {Rounding::kTowardZero}), 0x7BFFu);
  EXPECT_EQ(Encode(Format::kF16, 1e9, {Rounding::kDown}), 0x7BFFu);
  EXPECT_EQ(Encode(Format::kF16, 1e9, {Rounding::kUp}), 0x7C00u);
  EXPECT_EQ(Encode(Format::kF16, -1e9, {Rounding::kDown}), 0xFC00u);
  EXPECT_EQ(Encode(Format::kF16, -1e9, {Rounding::kUp}), 0xFBFFu);
  EXPECT_EQ(Encode(Format::kF16, 1e9, {Rounding::kNearestEven, true}), 0x7BFFu);
  EXPECT_EQ(Encode(Format::kE4m3, 1e9, {}), 0x7Fu);
  EXPECT_EQ(Encode(Format::kE4m3, -1e9, {Rounding::kNearestEven, true}), 0xFEu);
  EXPECT_EQ(Encode(Format::kE5m2, 1e9, {}), 0x7Cu);
  EXPECT_EQ(Encode(Format::kE2m1, 1e9, {}), 0x7u);
  EXPECT_EQ(Encode(Format::kE2m3, -1e9, {}), 0x3Fu);
}

TEST(FormatsEncode, NanIsCanonicalOrTheLargestValue) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Encode(Format::kF16, nan, {}), 0x7FFFu);
  EXPECT_EQ(Encode(Format::kBf16, nan, {}), 0x7FFFu);
  EXPECT_EQ(Encode(Format::kE4m3, nan, {Rounding::kNearestEven, true}), 0x7Fu);
  EXPECT_EQ(Encode(Format::kE2m1, -nan, {}), 0x7u);
  EXPECT_EQ(Encode(Format::kF16, nan, {Rounding::kNearestEven, false, true}),
            0x7FFFu);
}

TEST(FormatsEncode, UnsignedFormatsClampNegativesToZero) {
  EXPECT_EQ(Encode(Format::kUe4m3, -1.0, {}), 0u);
  EXPECT_EQ(Encode(Format::kU8, -1.0, {}), 0u);
  EXPECT_EQ(Encode(Format::kU8, 300.0, {}), 255u);
  EXPECT_EQ(Encode(Format::kS8, -200.0, {}), 0x80u);
  EXPECT_EQ(Encode(Format::kS8, 2.5, {}), 2u);
}

TEST(FormatsEncode, ReluClampsNegativesToPlusZero) {
  EXPECT_EQ(Encode(Format::kF16, -2.0, {Rounding::kNearestEven, false, true}),
            0u);
}

TEST(FormatsEncode, Ue8m0RoundsToPowersOfTwo) {
  EXPECT_EQ(Encode(Format::kUe8m0, 3.0, {Rounding::kTowardZero}), 128u);
  EXPECT_EQ(Encode(Format::kUe8m0, 3.0, {Rounding::kUp}), 129u);
  EXPECT_EQ(Encode(Format::kUe8m0, 4.0, {Rounding::kUp}), 129u);
  EXPECT_EQ(Encode(Format::kUe8m0, 0.0, {Rounding::kUp}), 0u);
  EXPECT_EQ(Encode(Format::kUe8m0, std::ldexp(1.0, -140), {Rounding::kUp}), 0u);
  EXPECT_EQ(Encode(Format::kUe8m0, std::ldexp(1.0, -126), {}), 1u);
  EXPECT_EQ(Encode(Format::kUe8m0, INFINITY, {Rounding::kUp, true}), 254u);
}

TEST(FormatsEncode, FastEncodersAgreeWithTheGeneralOne) {
  for (uint64_t i = 0; i < (uint64_t{1} << 32); i += 65521) {
    const uint32_t word = static_cast<uint32_t>(i);
    float value;
    std::memcpy(&value, &word, sizeof(value));
    ASSERT_EQ(EncodeF16(value), Encode(Format::kF16, value, {})) << word;
    ASSERT_EQ(EncodeBf16(value), Encode(Format::kBf16, value, {})) << word;
  }
}

TEST(FormatsEncode, F32RoundingMatchesTheHost) {
  for (double x : {1.0 / 3, 1e-40, 1e-46, 3e38, -7.0 / 11}) {
    const float host = static_cast<float>(x);
    uint32_t bits;
    std::memcpy(&bits, &host, sizeof(bits));
    EXPECT_EQ(Encode(Format::kF32, x, {}), bits) << x;
  }
}

TEST(FormatsEncode, PairsPutTheFirstOperandAbove) {
  EXPECT_EQ(EncodePair(Format::kBf16, 2.0, 1.0, {}), 0x40003F80u);
  EXPECT_EQ(EncodePair(Format::kE4m3, 2.0, 1.0, {}), 0x4038u);
  EXPECT_EQ(EncodePair(Format::kE2m1, 6.0, -0.5, {}), 0x79u);
  EXPECT_EQ(EncodePair(Format::kE2m3, 7.5, -1.0, {}), 0x1F28u);
}

}  // namespace
}  // namespace tiletune::emulator
