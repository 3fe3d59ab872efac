// Fundamental and packed types as they appear in opcodes, and how a register
// slot (64 bits a lane) holds each of them.
//
//   float x = Value<float>(warp.Reg(slot)[lane]);
//   warp.Reg(d)[lane] = Bits(x * 2);
//   Type type = ParseType("bf16x2");
//   int bytes = TypeBytes(type);
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_TYPES_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_TYPES_H_

#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace tiletune::emulator {

enum class Type : uint8_t {
  kNone,
  kPred,
  kB8,
  kB16,
  kB32,
  kB64,
  kB128,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF16,
  kF16x2,
  kBf16,
  kBf16x2,
  kF32,
  kF32x2,
  kF64,
  kTf32,
  kE4m3x2,
  kE5m2x2,
  kE2m1x2,
  kE2m3x2,
  kE3m2x2,
  kUe8m0x2,
  kE4m3,
  kE5m2,
  kE2m1,
  kE2m3,
  kE3m2,
};

Type ParseType(std::string_view name);
// Bytes in a register or in memory; 0 for kNone and kPred.
int TypeBytes(Type type);
bool IsSigned(Type type);
bool IsFloat(Type type);  // f16, bf16, f32, f64 and packed forms

// A lane of a slot as a value, and back. Narrow values are zero-extended.
template <typename T>
inline T Value(uint64_t bits) {
  if constexpr (std::is_same_v<T, float>) {
    uint32_t word = static_cast<uint32_t>(bits);
    float value;
    std::memcpy(&value, &word, sizeof(value));
    return value;
  } else if constexpr (std::is_same_v<T, double>) {
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  } else {
    return static_cast<T>(bits);
  }
}

template <typename T>
inline uint64_t Bits(T value) {
  if constexpr (std::is_same_v<T, float>) {
    uint32_t word;
    std::memcpy(&word, &value, sizeof(word));
    return word;
  } else if constexpr (std::is_same_v<T, double>) {
    uint64_t word;
    std::memcpy(&word, &value, sizeof(word));
    return word;
  } else {
    return static_cast<uint64_t>(static_cast<std::make_unsigned_t<T>>(value));
  }
}

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_TYPES_H_
