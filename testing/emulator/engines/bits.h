// What: a field of a descriptor word.
// When: you decode a matrix or instruction descriptor.
//
// Example:
//   const uint32_t swizzle = BitField(descriptor, 61, 3);
//   // bits 61, 62 and 63

#ifndef TILETUNE_TESTING_EMULATOR_ENGINES_BITS_H_
#define TILETUNE_TESTING_EMULATOR_ENGINES_BITS_H_

#include <cstdint>

namespace tiletune::emulator {

// Bits [low, low + count) of `bits`, count below 32.
constexpr uint32_t BitField(uint64_t bits, int low, int count) {
  return static_cast<uint32_t>(bits >> low) & ((1u << count) - 1);
}

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_ENGINES_BITS_H_
