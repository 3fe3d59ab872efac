#include "testing/emulator/machine/memory_order.h"

namespace tiletune::emulator {

void TakeScope(Modifiers& modifiers) {
  for (const char* scope : {"cta", "cluster", "gpu", "sys", "gl"}) {
    modifiers.Take(scope);
  }
}

void ReadSync(Warp& warp, int lane, const Location& at, bool acquire) {
  Knowledge* published = warp.machine->SyncKnowledge(at, /*create=*/false);
  if (published == nullptr) return;
  if (acquire) {
    warp.known.Acquire(1u << lane, *published);
  } else {
    warp.known.AcquireLater(1u << lane, *published);
  }
}

void WriteSync(Warp& warp, int lane, const Location& at, bool release) {
  Knowledge* published = warp.machine->SyncKnowledge(at, /*create=*/true);
  if (published == nullptr) return;
  if (release) {
    warp.known.ReleaseTo(1u << lane, published);
    warp.known.NextEpoch();
  } else {
    warp.known.ReleaseFenced(1u << lane, published);
  }
}

}  // namespace tiletune::emulator
