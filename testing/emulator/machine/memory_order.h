// Acquire and release through memory locations (PTX ISA 8.10): strong writes
// publish what the lane knows, strong reads learn it.
//
//   ReadSync(warp, lane, at, /*acquire=*/true);    // ld.acquire, atom.acquire
//   WriteSync(warp, lane, at, /*release=*/false);  // st.relaxed: publishes
//                                                  // what its last fence saw
//   warp.known.Fence(lanes);                       // fence.acq_rel, membar
//   TakeScope(modifiers);                          // .cta, .cluster, ...
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_MEMORY_ORDER_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_MEMORY_ORDER_H_

#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/machine.h"

namespace tiletune::emulator {

enum class MemoryOrder : uint8_t {
  kWeak,
  kRelaxed,
  kAcquire,
  kRelease,
  kAcqRel
};

// Scopes are accepted and not told apart: every strong operation is taken to
// have a wide enough scope, except where a check says otherwise.
void TakeScope(Modifiers& modifiers);

void ReadSync(Warp& warp, int lane, const Location& at, bool acquire);
void WriteSync(Warp& warp, int lane, const Location& at, bool release);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_MEMORY_ORDER_H_
