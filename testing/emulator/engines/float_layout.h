// What: how the floating-point formats divide their bits; shared by the
//   decoder and the encoder.
// When: you work inside formats.cc or formats_encode.cc.
//
// Example:
//   const FloatLayout layout = FloatLayoutOf(Format::kE4m3);
//   // layout.exponent_bits == 4, MaxFinite(layout) == 0x7E

#ifndef TILETUNE_TESTING_EMULATOR_ENGINES_FLOAT_LAYOUT_H_
#define TILETUNE_TESTING_EMULATOR_ENGINES_FLOAT_LAYOUT_H_

#include <cstdint>

#include "testing/emulator/engines/formats.h"

namespace tiletune::emulator {

enum class Specials : uint8_t {
  kInfinityAndNan,  // all-ones exponent, as in IEEE 754
  kNanOnly,         // only the all-ones pattern is NaN
  kNone,            // every pattern is a finite number
};

// A binary floating-point format with `exponent_bits` + `mantissa_bits` (+ 1).
struct FloatLayout {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  Specials specials;
  bool is_signed;
  int shift;  // low storage bits that carry no information (tf32)
  uint32_t canonical_nan;
};

// All zero for ue8m0 and the integers, which are no such formats.
FloatLayout FloatLayoutOf(Format format);

// The largest finite magnitude, without sign and shift.
uint32_t MaxFinite(const FloatLayout& layout);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_ENGINES_FLOAT_LAYOUT_H_
