#include "testing/emulator/machine/memory_order.h"

namespace tiletune::emulator {

void TakeScope(Modifiers& modifiers, Scope unless_given, Inst* inst) {
  inst->scope = unless_given;
  if (modifiers.Take("cta")) inst->scope = Scope::kCta;
  if (modifiers.Take("cluster")) inst->scope = Scope::kCluster;
  for (const char* widest : {"gpu", "sys", "gl"}) {
    if (modifiers.Take(widest)) inst->scope = Scope::kGpu;
  }
}

void ReadSync(Warp& warp, int lane, const Location& at, bool acquire,
              Scope scope) {
  const SyncPoint* point = warp.machine->FindSyncPoint(at);
  if (point == nullptr) return;
  const Place here = PlaceOf(*warp.cta);
  for (const SyncPoint::Part& part : point->parts()) {
    const Scope needed = Between(part.place, here);
    const bool reaches =
        !warp.machine->strict() || (part.scope >= needed && scope >= needed);
    Knowledge unseen;
    if (!reaches) {
      unseen = part.known;
      unseen.Hide();
    }
    const Knowledge& known = reaches ? part.known : unseen;
    if (acquire) {
      warp.known.Acquire(1u << lane, known);
    } else {
      warp.known.AcquireLater(1u << lane, known,
                              reaches ? needed : Scope::kCta);
    }
  }
}

void WriteSync(Warp& warp, int lane, const Location& at, bool release,
               Scope scope) {
  SyncPoint* point = warp.machine->SyncPointAt(at);
  if (point == nullptr) return;
  const uint32_t lanes = 1u << lane;
  const Place here = PlaceOf(*warp.cta);
  if (release) {
    warp.known.ReleaseTo(lanes, point->Of(here, scope));
    warp.known.NextEpoch();
    return;
  }
  // A fence releases as far as its own scope and that of the write reach.
  for (Scope reach : {Scope::kCta, Scope::kCluster, Scope::kGpu}) {
    if (reach > scope) break;
    if (reach == scope || warp.known.HasFencedMore(lanes, reach)) {
      warp.known.ReleaseFenced(lanes, point->Of(here, reach), reach);
    }
  }
}

}  // namespace tiletune::emulator
