#include "testing/emulator/engines/formats.h"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "testing/emulator/engines/float_layout.h"

namespace tiletune::emulator {
namespace {

float DecodeSlow(Format format, uint32_t bits) {
  if (format == Format::kU8) return static_cast<float>(bits & 0xFF);
  if (format == Format::kS8) return static_cast<int8_t>(bits & 0xFF);
  if (format == Format::kUe8m0) {
    bits &= 0xFF;
    if (bits == 0xFF) return std::numeric_limits<float>::quiet_NaN();
    return std::ldexp(1.0f, static_cast<int>(bits) - 127);
  }
  const FloatLayout layout = FloatLayoutOf(format);
  const int width = layout.exponent_bits + layout.mantissa_bits;
  bits >>= layout.shift;
  const bool negative = layout.is_signed && ((bits >> width) & 1u);
  const uint32_t magnitude = bits & ((1u << width) - 1);
  if (magnitude > MaxFinite(layout)) {
    const bool infinite = layout.specials == Specials::kInfinityAndNan &&
                          (magnitude & ((1u << layout.mantissa_bits) - 1)) == 0;
    const float special = infinite ? std::numeric_limits<float>::infinity()
                                   : std::numeric_limits<float>::quiet_NaN();
    return negative ? -special : special;
  }
  const uint32_t exponent = magnitude >> layout.mantissa_bits;
  uint32_t mantissa = magnitude & ((1u << layout.mantissa_bits) - 1);
  if (exponent != 0) mantissa |= 1u << layout.mantissa_bits;
  const int power = static_cast<int>(exponent == 0 ? 1 : exponent) -
                    layout.bias - layout.mantissa_bits;
  const float value =
      static_cast<float>(std::ldexp(static_cast<double>(mantissa), power));
  return negative ? -value : value;
}

std::vector<float> MakeTable(Format format) {
  std::vector<float> table(size_t{1} << FormatBits(format));
  for (size_t i = 0; i < table.size(); ++i) {
    table[i] = DecodeSlow(format, static_cast<uint32_t>(i));
  }
  return table;
}

}  // namespace

FloatLayout FloatLayoutOf(Format format) {
  switch (format) {
    case Format::kF16:
      return {5, 10, 15, Specials::kInfinityAndNan, true, 0, 0x7FFF};
    case Format::kBf16:
      return {8, 7, 127, Specials::kInfinityAndNan, true, 0, 0x7FFF};
    case Format::kTf32:
      return {8, 10, 127, Specials::kInfinityAndNan, true, 13, 0x7FFFE000};
    case Format::kF32:
      return {8, 23, 127, Specials::kInfinityAndNan, true, 0, 0x7FFFFFFF};
    case Format::kE4m3:
      return {4, 3, 7, Specials::kNanOnly, true, 0, 0x7F};
    case Format::kE5m2:
      return {5, 2, 15, Specials::kInfinityAndNan, true, 0, 0x7F};
    case Format::kE2m3:
      return {2, 3, 1, Specials::kNone, true, 0, 0};
    case Format::kE3m2:
      return {3, 2, 3, Specials::kNone, true, 0, 0};
    case Format::kE2m1:
      return {2, 1, 1, Specials::kNone, true, 0, 0};
    case Format::kUe4m3:
      return {4, 3, 7, Specials::kNanOnly, false, 0, 0x7F};
    case Format::kUe8m0:
    case Format::kU8:
    case Format::kS8:
      break;  // handled by their own code
  }
  return {};
}

uint32_t MaxFinite(const FloatLayout& layout) {
  const int width = layout.exponent_bits + layout.mantissa_bits;
  const uint32_t all = (1u << width) - 1;
  switch (layout.specials) {
    case Specials::kInfinityAndNan:
      return all - (1u << layout.mantissa_bits);
    case Specials::kNanOnly:
      return all - 1;
    case Specials::kNone:
      return all;
  }
  return all;
}

int FormatBits(Format format) {
  switch (format) {
    case Format::kF16:
    case Format::kBf16:
      return 16;
    case Format::kTf32:
    case Format::kF32:
      return 32;
    case Format::kE2m3:
    case Format::kE3m2:
      return 6;
    case Format::kE2m1:
      return 4;
    default:
      return 8;
  }
}

int ContainerBits(Format format) {
  const int bits = FormatBits(format);
  return bits == 6 ? 8 : bits;
}

const char* FormatName(Format format) {
  switch (format) {
    case Format::kF16:
      return "f16";
    case Format::kBf16:
      return "bf16";
    case Format::kTf32:
      return "tf32";
    case Format::kF32:
      return "f32";
    case Format::kE4m3:
      return "e4m3";
    case Format::kE5m2:
      return "e5m2";
    case Format::kE2m3:
      return "e2m3";
    case Format::kE3m2:
      return "e3m2";
    case Format::kE2m1:
      return "e2m1";
    case Format::kUe8m0:
      return "ue8m0";
    case Format::kUe4m3:
      return "ue4m3";
    case Format::kU8:
      return "u8";
    case Format::kS8:
      return "s8";
  }
  return "unknown";
}

const float* DecodeTable(Format format) {
  if (FormatBits(format) > 16) return nullptr;
  constexpr int kFormats = static_cast<int>(Format::kS8) + 1;
  static const std::array<std::vector<float>, kFormats>* const tables = [] {
    auto* all = new std::array<std::vector<float>, kFormats>;
    for (int f = 0; f < kFormats; ++f) {
      const Format each = static_cast<Format>(f);
      if (FormatBits(each) <= 16) (*all)[f] = MakeTable(each);
    }
    return all;
  }();
  return (*tables)[static_cast<int>(format)].data();
}

float Decode(Format format, uint32_t bits) {
  if (format == Format::kTf32 || format == Format::kF32) {
    if (format == Format::kTf32) bits &= ~0x1FFFu;
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  const uint32_t mask = (1u << FormatBits(format)) - 1;
  return DecodeTable(format)[bits & mask];
}

void DecodePair(Format format, uint32_t packed, float* high, float* low) {
  *high = Decode(format, packed >> ContainerBits(format));
  *low = Decode(format, packed);
}

}  // namespace tiletune::emulator
