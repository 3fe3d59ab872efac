// What: bit patterns of every number format the tensor cores read or write,
//   to and from float and double, with the rounding modes of `cvt`.
// When: you execute `cvt`, decode an operand of an MMA, or round a result.
//
// Example:
//   const uint32_t bits = Encode(Format::kE4m3, 3.3, EncodeOptions{});
//   const float value = Decode(Format::kE4m3, bits);           // 3.25
//   const uint32_t pair = EncodePair(Format::kBf16, 2.0, 1.0,  // {hi, lo}
//                                    EncodeOptions{});
//   const float* table = DecodeTable(Format::kF16);            // 65536 long

#ifndef TILETUNE_TESTING_EMULATOR_ENGINES_FORMATS_H_
#define TILETUNE_TESTING_EMULATOR_ENGINES_FORMATS_H_

#include <cstdint>
#include <cstring>

namespace tiletune::emulator {

enum class Format : uint8_t {
  kF16,
  kBf16,
  kTf32,  // 32 bits of storage; the low 13 bits are ignored on decode
  kF32,
  kE4m3,   // finite + NaN (0x7F, 0xFF), no infinity
  kE5m2,   // IEEE-like, with infinities
  kE2m3,   // finite only
  kE3m2,   // finite only
  kE2m1,   // finite only
  kUe8m0,  // 2^(x-127); 0xFF is NaN
  kUe4m3,  // unsigned e4m3 in 7 bits of a byte; 0x7F is NaN
  kU8,
  kS8,
};

// Bits of information in one element: 4, 6, 8, 16 or 32.
int FormatBits(Format format);

// Bits that one element takes in a packed `cvt` operand: 6-bit formats sit in
// 8-bit containers, all others in their own size (PTX ISA 9.7.9.21).
int ContainerBits(Format format);

// The PTX spelling without the dot, e.g. "e4m3".
const char* FormatName(Format format);

// The value of a bit pattern. Bits above the format's width are ignored.
float Decode(Format format, uint32_t bits);

// A table indexed by the bit pattern, 2^FormatBits entries long, for formats
// of at most 16 bits; nullptr for the wider ones.
const float* DecodeTable(Format format);

// The rounding modifiers of `cvt` (PTX ISA 9.7.9.21), `.rs` excepted.
enum class Rounding : uint8_t {
  kNearestEven,  // .rn
  kNearestAway,  // .rna
  kTowardZero,   // .rz
  kDown,         // .rm
  kUp,           // .rp
};

struct EncodeOptions {
  Rounding rounding = Rounding::kNearestEven;
  // Clamp finite overflow and infinities to the largest finite value.
  // Formats with neither infinity nor NaN always behave so.
  bool satfinite = false;
  // Clamp negative results to +0.
  bool relu = false;
};

// Rounds `value` once to `format`. NaN gives the canonical NaN (0x7FFF for
// f16 and bf16, 0x7F for e4m3 and e5m2, 0x7FFFFFFF for f32, 0x7FFFE000 for
// tf32, 0xFF for ue8m0) or, in formats without NaN, the largest positive value.
// ue8m0 takes |value| and honours kTowardZero and kUp; other modes act as
// kTowardZero. For kU8 and kS8, rounds to an integer and clamps.
uint32_t Encode(Format format, double value, const EncodeOptions& options);

// Two values as `cvt` packs them: `high` (operand a) above `low` (operand b),
// each in ContainerBits(format) (PTX ISA 9.7.9.21, Semantics).
uint32_t EncodePair(Format format, double high, double low,
                    const EncodeOptions& options);

// The inverse of EncodePair.
void DecodePair(Format format, uint32_t packed, float* high, float* low);

// Fast paths for the inner loops.

inline float DecodeBf16(uint16_t bits) {
  const uint32_t word = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &word, sizeof(value));
  return value;
}

// `.rn` to bf16; NaN gives 0x7FFF.
inline uint16_t EncodeBf16(float value) {
  uint32_t word;
  std::memcpy(&word, &value, sizeof(word));
  if ((word & 0x7FFFFFFFu) > 0x7F800000u) return 0x7FFF;
  word += 0x7FFFu + ((word >> 16) & 1u);
  return static_cast<uint16_t>(word >> 16);
}

// Exact, subnormals, infinities and NaN included.
inline float DecodeF16(uint16_t bits) {
  uint32_t word = static_cast<uint32_t>(bits & 0x7FFF) << 13;
  float value;
  std::memcpy(&value, &word, sizeof(value));
  value *= 0x1p112f;  // moves the bias; subnormals become normal
  std::memcpy(&word, &value, sizeof(word));
  if ((bits & 0x7C00) == 0x7C00) word |= 0x7F800000u;
  word |= static_cast<uint32_t>(bits & 0x8000) << 16;
  std::memcpy(&value, &word, sizeof(value));
  return value;
}

// Subnormals become zero and keep their sign, as `.ftz` does.
inline float FlushSubnormal(float value) {
  uint32_t word;
  std::memcpy(&word, &value, sizeof(word));
  if ((word & 0x7F800000u) == 0) word &= 0x80000000u;
  std::memcpy(&value, &word, sizeof(value));
  return value;
}

// Every NaN becomes 0x7FFFFFFF, as f32 arithmetic on an H200 gives it; PTX ISA
// 9.7.3 leaves it unspecified.
inline float CanonicalNan(float value) {
  if (value == value) return value;
  constexpr uint32_t kNan = 0x7FFFFFFFu;
  std::memcpy(&value, &kNan, sizeof(value));
  return value;
}

// `.rn` to f16; NaN gives 0x7FFF.
uint16_t EncodeF16(float value);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_ENGINES_FORMATS_H_
