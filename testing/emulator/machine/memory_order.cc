#include "testing/emulator/machine/memory_order.h"

namespace tiletune::emulator {

void TakeScope(Modifiers& modifiers) {
  for (const char* scope : {"cta", "cluster", "gpu", "sys", "gl"}) {
    modifiers.Take(scope);
  }
}

void ReadSync(Warp& warp, const Location& at, bool acquire) {
  Knowledge* published = warp.machine->SyncKnowledge(at, /*create=*/false);
  if (published == nullptr) return;
  if (acquire) {
    warp.Learn().Join(*published);
  } else {
    warp.unacquired.Join(*published);
  }
}

void WriteSync(Warp& warp, const Location& at, bool release) {
  Knowledge* published = warp.machine->SyncKnowledge(at, /*create=*/true);
  if (published == nullptr) return;
  if (release) {
    published->Join(warp.knowledge());
    warp.NextEpoch();
  } else if (warp.fenced != nullptr) {
    published->Join(*warp.fenced);
  }
}

void FenceSync(Warp& warp) {
  warp.Learn().Join(warp.unacquired);
  warp.fenced = warp.Snapshot();
  warp.NextEpoch();
}

}  // namespace tiletune::emulator
