// Acquire and release through memory locations (PTX ISA 8.10): strong writes
// publish what the lane knows, strong reads learn it.
//
//   ReadSync(warp, lane, at, /*acquire=*/true);    // ld.acquire, atom.acquire
//   WriteSync(warp, lane, at, /*release=*/false);  // st.relaxed: publishes
//                                                  // what its last fence saw
//   warp.known.Fence(lanes, inst.scope);           // fence.acq_rel, membar
//   TakeScope(modifiers, Scope::kGpu, inst);       // .cta, .cluster, ...
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

// The scope among the modifiers, or the one that stands for none.
void TakeScope(Modifiers& modifiers, Scope unless_given, Inst* inst);

// A strong read or write of the location by a lane, of this scope. In strict
// checks data becomes visible only where the scopes on both sides include each
// other's thread; in hardware checks, every scope is wide enough.
void ReadSync(Warp& warp, int lane, const Location& at, bool acquire,
              Scope scope);
void WriteSync(Warp& warp, int lane, const Location& at, bool release,
               Scope scope);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_MEMORY_ORDER_H_
