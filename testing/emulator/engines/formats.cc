#include "testing/emulator/engines/formats.h"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace tiletune::emulator {
namespace {

enum class Specials : uint8_t {
  kInfinityAndNan,  // all-ones exponent, as in IEEE 754
  kNanOnly,         // only the all-ones pattern is NaN
  kNone,            // every pattern is a finite number
};

// A binary floating-point format with `exponent_bits` + `mantissa_bits` (+ 1).
struct Layout {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  Specials specials;
  bool is_signed;
  int shift;  // low storage bits that carry no information (tf32)
  uint32_t canonical_nan;
};

Layout LayoutOf(Format format) {
  switch (format) {
    case Format::kF16:
      return {5, 10, 15, Specials::kInfinityAndNan, true, 0, 0x7FFF};
    case Format::kBf16:
      return {8, 7, 127, Specials::kInfinityAndNan, true, 0, 0x7FFF};
    case Format::kTf32:
      return {8, 10, 127, Specials::kInfinityAndNan, true, 13, 0x7FFFFFFF};
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

// The largest finite magnitude, without sign and shift.
uint32_t MaxFinite(const Layout& layout) {
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

float DecodeSlow(Format format, uint32_t bits) {
  if (format == Format::kU8) return static_cast<float>(bits & 0xFF);
  if (format == Format::kS8) return static_cast<int8_t>(bits & 0xFF);
  if (format == Format::kUe8m0) {
    bits &= 0xFF;
    if (bits == 0xFF) return std::numeric_limits<float>::quiet_NaN();
    return std::ldexp(1.0f, static_cast<int>(bits) - 127);
  }
  const Layout layout = LayoutOf(format);
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

// Rounds a non-negative number to an integer; `negative` is the sign that the
// directed modes see.
double RoundMagnitude(double value, bool negative, Rounding rounding) {
  const double down = std::floor(value);
  const double fraction = value - down;
  if (fraction == 0) return down;
  bool up = false;
  switch (rounding) {
    case Rounding::kNearestEven:
      up = fraction > 0.5 || (fraction == 0.5 && std::fmod(down, 2.0) == 1.0);
      break;
    case Rounding::kNearestAway:
      up = fraction >= 0.5;
      break;
    case Rounding::kTowardZero:
      break;
    case Rounding::kDown:
      up = negative;
      break;
    case Rounding::kUp:
      up = !negative;
      break;
  }
  return up ? down + 1 : down;
}

uint32_t EncodeUe8m0(double value, const EncodeOptions& options) {
  if (std::isnan(value)) return 0xFF;
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return options.satfinite ? 0xFE : 0xFF;
  if (magnitude == 0) return 0;
  int exponent;
  const double half_to_one = std::frexp(magnitude, &exponent);
  int biased = exponent - 1 + 127;  // floor(log2(magnitude))
  if (options.rounding == Rounding::kUp && half_to_one != 0.5) ++biased;
  if (biased < 0) return 0;
  if (biased > 0xFE) return options.satfinite ? 0xFE : 0xFF;
  return static_cast<uint32_t>(biased);
}

uint32_t EncodeInteger(double value, double low, double high,
                       Rounding rounding) {
  if (std::isnan(value)) return 0;
  const bool negative = std::signbit(value);
  double rounded = RoundMagnitude(std::fabs(value), negative, rounding);
  if (negative) rounded = -rounded;
  rounded = std::fmin(std::fmax(rounded, low), high);
  return static_cast<uint32_t>(static_cast<int32_t>(rounded)) & 0xFF;
}

}  // namespace

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

uint32_t Encode(Format format, double value, const EncodeOptions& options) {
  if (options.relu && !std::isnan(value) && std::signbit(value)) value = 0;
  if (format == Format::kUe8m0) return EncodeUe8m0(value, options);
  if (format == Format::kU8) {
    return EncodeInteger(value, 0, 255, options.rounding);
  }
  if (format == Format::kS8) {
    return EncodeInteger(value, -128, 127, options.rounding);
  }

  const Layout layout = LayoutOf(format);
  const uint32_t max_finite = MaxFinite(layout);
  if (std::isnan(value)) {
    return layout.specials == Specials::kNone ? max_finite
                                              : layout.canonical_nan;
  }
  const bool negative = std::signbit(value);
  if (negative && !layout.is_signed) return 0;
  const int width = layout.exponent_bits + layout.mantissa_bits;
  const uint32_t sign = negative ? 1u << width : 0u;
  const uint32_t infinity = max_finite + 1;  // kInfinityAndNan only
  const bool clamp = options.satfinite || layout.specials == Specials::kNone;

  uint32_t magnitude;
  if (std::isinf(value)) {
    if (!clamp && layout.specials == Specials::kNanOnly) {
      return layout.canonical_nan;
    }
    magnitude = clamp ? max_finite : infinity;
  } else if (value == 0) {
    magnitude = 0;
  } else {
    const int min_exponent = 1 - layout.bias;
    int exponent = std::ilogb(value);
    if (exponent < min_exponent) exponent = min_exponent;
    const double scaled =
        std::ldexp(std::fabs(value), layout.mantissa_bits - exponent);
    const double rounded = RoundMagnitude(scaled, negative, options.rounding);
    // A carry out of the mantissa moves into the exponent by itself.
    const uint64_t wide = (static_cast<uint64_t>(exponent - min_exponent)
                           << layout.mantissa_bits) +
                          static_cast<uint64_t>(rounded);
    if (wide <= max_finite) {
      magnitude = static_cast<uint32_t>(wide);
    } else if (clamp) {
      magnitude = max_finite;
    } else if (layout.specials == Specials::kNanOnly) {
      return layout.canonical_nan;
    } else {
      const Rounding r = options.rounding;
      const bool to_infinity = r == Rounding::kNearestEven ||
                               r == Rounding::kNearestAway ||
                               (r == Rounding::kUp && !negative) ||
                               (r == Rounding::kDown && negative);
      magnitude = to_infinity ? infinity : max_finite;
    }
  }
  return (sign | magnitude) << layout.shift;
}

uint32_t EncodePair(Format format, double high, double low,
                    const EncodeOptions& options) {
  return (Encode(format, high, options) << ContainerBits(format)) |
         Encode(format, low, options);
}

void DecodePair(Format format, uint32_t packed, float* high, float* low) {
  *high = Decode(format, packed >> ContainerBits(format));
  *low = Decode(format, packed);
}

uint16_t EncodeF16(float value) {
  uint32_t word;
  std::memcpy(&word, &value, sizeof(word));
  const uint32_t sign = (word >> 16) & 0x8000u;
  word &= 0x7FFFFFFFu;
  if (word > 0x7F800000u) return 0x7FFF;
  if (word >= 0x477FF000u) return static_cast<uint16_t>(sign | 0x7C00u);
  if (word < 0x38800000u) {  // below 2^-14: a sum with 0.5 rounds at 2^-24
    float magnitude;
    std::memcpy(&magnitude, &word, sizeof(magnitude));
    magnitude += 0.5f;
    std::memcpy(&word, &magnitude, sizeof(word));
    return static_cast<uint16_t>(sign | (word - 0x3F000000u));
  }
  word += ((word >> 13) & 1u) + 0xFFFu - (112u << 23);
  return static_cast<uint16_t>(sign | (word >> 13));
}

}  // namespace tiletune::emulator
