// What: the XOR patterns by which TMA and the tensor cores permute shared
//   memory, as a function on shared-memory byte addresses.
// When: you turn a linear shared-memory address into the physical one.
//
// Example:
//   // Row 3 of a tile of 128-byte rows at shared address 1024:
//   const uint32_t linear = 1024 + 3 * 128 + 16;
//   const uint32_t physical = SwizzleAddress(Swizzle::k128, linear);
//   // physical == 1024 + 3 * 128 + 32

#ifndef TILETUNE_TESTING_EMULATOR_ENGINES_SWIZZLE_H_
#define TILETUNE_TESTING_EMULATOR_ENGINES_SWIZZLE_H_

#include <cstdint>

namespace tiletune::emulator {

// PTX ISA 5.5.7. The k128Atom* modes keep 32 or 64 bytes together; k128Atom32
// is also the tcgen05 layout "128-Byte with 32B atomic swizzling".
enum class Swizzle : uint8_t {
  kNone,
  k32,
  k64,
  k96,
  k128,
  k128Atom32,
  k128Atom32Flip8,
  k128Atom64,
};

// Bytes that stay contiguous under the swizzle: 16, 32 or 64; 8 for
// k128Atom32Flip8; 128 for kNone (no XOR at all).
constexpr uint32_t SwizzleAtomBytes(Swizzle swizzle) {
  return swizzle == Swizzle::kNone             ? 128
         : swizzle == Swizzle::k128Atom32      ? 32
         : swizzle == Swizzle::k128Atom32Flip8 ? 8
         : swizzle == Swizzle::k128Atom64      ? 64
                                               : 16;
}

// Largest row the swizzle may permute, in bytes: 32, 64, 96 or 128.
// For kNone: no limit, returned as 2^32 - 1.
constexpr uint32_t SwizzleSpanBytes(Swizzle swizzle) {
  return swizzle == Swizzle::kNone ? 0xFFFFFFFFu
         : swizzle == Swizzle::k32 ? 32
         : swizzle == Swizzle::k64 ? 64
         : swizzle == Swizzle::k96 ? 96
                                   : 128;
}

// Bytes after which the pattern repeats, which is also the alignment at which
// the base offset is 0 (PTX ISA 5.5.7): 256, 512 or 1024; 16 for kNone. The
// ISA gives no number for the 32- and 64-byte atoms; their tables have four
// and two 128-byte lines.
constexpr uint32_t SwizzlePatternBytes(Swizzle swizzle) {
  return swizzle == Swizzle::kNone             ? 16
         : swizzle == Swizzle::k32             ? 256
         : swizzle == Swizzle::k64             ? 512
         : swizzle == Swizzle::k96             ? 256
         : swizzle == Swizzle::k128            ? 1024
         : swizzle == Swizzle::k128Atom32      ? 512
         : swizzle == Swizzle::k128Atom32Flip8 ? 512
                                               : 256;
}

// The physical byte address of a linear one. An involution. `line_offset` is
// the number of 128-byte lines by which the pattern's start is off its natural
// boundary (the matrix descriptor's base offset); TMA always uses 0.
constexpr uint32_t SwizzleAddress(Swizzle swizzle, uint32_t address,
                                  uint32_t line_offset = 0) {
  const uint32_t line = (address >> 7) - line_offset;
  switch (swizzle) {
    case Swizzle::kNone:
      return address;
    case Swizzle::k32:
    case Swizzle::k96:
      return address ^ ((line & 1u) << 4);
    case Swizzle::k64:
      return address ^ ((line & 3u) << 4);
    case Swizzle::k128:
      return address ^ ((line & 7u) << 4);
    case Swizzle::k128Atom32:
      return address ^ ((line & 3u) << 5);
    case Swizzle::k128Atom32Flip8:
      return address ^ ((line & 3u) << 5) ^ ((line & 1u) << 3);
    case Swizzle::k128Atom64:
      return address ^ ((line & 1u) << 6);
  }
  return address;
}

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_ENGINES_SWIZZLE_H_
