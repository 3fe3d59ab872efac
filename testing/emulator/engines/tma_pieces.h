// What: how a row of a box splits into pieces that a swizzle, or the padding of
//   sub-byte elements, leaves contiguous.
// When: you work inside tma.cc or tma_copy.cc.
//
// Example:
//   ForEachPiece(Swizzle::k128, row.shared_address, row.shared_bytes,
//                [&](uint32_t linear, uint32_t bytes) {
//                  visit(SwizzleAddress(Swizzle::k128, linear), bytes);
//                });

#ifndef TILETUNE_TESTING_EMULATOR_ENGINES_TMA_PIECES_H_
#define TILETUNE_TESTING_EMULATOR_ENGINES_TMA_PIECES_H_

#include <algorithm>
#include <cstdint>

#include "testing/emulator/engines/swizzle.h"
#include "testing/emulator/engines/tensor_map.h"
#include "testing/emulator/engines/tma.h"

namespace tiletune::emulator {

// Bytes by which a copy in `direction` advances on the shared side and on the
// global side in one step that needs no repacking. Padded types move in
// 16-byte chunks.
struct PaddedChunk {
  uint32_t shared_step;
  uint32_t shared_bytes;
  uint32_t global_bytes;
};

inline PaddedChunk PaddedChunkOf(TensorMapType type, TmaDirection direction) {
  const uint32_t global = type == TensorMapType::k16U4Align16B ? 8 : 12;
  const bool from_shared = direction == TmaDirection::kStore;
  return {16, from_shared ? 16 : global, global};
}

// Calls visit(linear shared address, bytes) for pieces of [address,
// address + bytes) that stay contiguous under the swizzle.
template <typename Visit>
void ForEachPiece(Swizzle swizzle, uint32_t address, uint32_t bytes,
                  Visit visit) {
  if (swizzle == Swizzle::kNone) {
    if (bytes != 0) visit(address, bytes);
    return;
  }
  const uint32_t atom = std::min(16u, SwizzleAtomBytes(swizzle));
  const uint32_t end = address + bytes;
  while (address < end) {
    const uint32_t next = std::min(end, (address / atom + 1) * atom);
    visit(address, next - address);
    address = next;
  }
}

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_ENGINES_TMA_PIECES_H_
