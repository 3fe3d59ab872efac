#include <cmath>
#include <cstring>

#include "testing/emulator/engines/float_layout.h"
#include "testing/emulator/engines/formats.h"

namespace tiletune::emulator {
namespace {

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

uint32_t Encode(Format format, double value, const EncodeOptions& options) {
  if (options.relu && !std::isnan(value) && std::signbit(value)) value = 0;
  if (format == Format::kUe8m0) return EncodeUe8m0(value, options);
  if (format == Format::kU8) {
    return EncodeInteger(value, 0, 255, options.rounding);
  }
  if (format == Format::kS8) {
    return EncodeInteger(value, -128, 127, options.rounding);
  }

  const FloatLayout layout = FloatLayoutOf(format);
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
