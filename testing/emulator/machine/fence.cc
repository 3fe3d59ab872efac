// Memory and proxy fences (PTX ISA 9.7.13.6 membar, fence).
#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/machine.h"
#include "testing/emulator/machine/memory_order.h"

namespace tiletune::emulator {
namespace {

// Inst::flags of proxy fences.
constexpr uint32_t kShared = 1;
constexpr uint32_t kGlobal = 2;

Step Fence(Warp& warp, const Inst& inst, uint32_t mask) {
  warp.known.Fence(mask, inst.scope);
  return Step::kNext;
}

// Generic accesses known now become visible to the async proxy.
// flags: the state spaces.
Step ProxyFence(Warp& warp, const Inst& inst, uint32_t mask) {
  warp.known.ProxyFence(mask, (inst.flags & kShared) != 0,
                        (inst.flags & kGlobal) != 0);
  return Step::kNext;
}

// fence.proxy.async::generic.{acquire,release}: a fence of both kinds.
Step ProxyAndMemoryFence(Warp& warp, const Inst& inst, uint32_t mask) {
  ProxyFence(warp, inst, mask);
  warp.known.Fence(mask, inst.scope);
  return Step::kNext;
}

Step NoEffect(Warp&, const Inst&, uint32_t) { return Step::kNext; }

// The state spaces named, or both.
uint32_t TakeSpaces(Modifiers& modifiers) {
  uint32_t spaces = 0;
  if (modifiers.Take("global")) spaces |= kGlobal;
  for (const char* name : {"shared::cta", "shared::cluster", "shared"}) {
    if (modifiers.Take(name)) spaces |= kShared;
  }
  return spaces != 0 ? spaces : kShared | kGlobal;
}

bool DecodeFence(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  if (modifiers.Take("mbarrier_init")) {
    // Makes mbarrier.init visible to the cluster.
    inst->handler = &Fence;
    inst->scope = Scope::kCluster;
    return modifiers.Take("release") && modifiers.Take("cluster") &&
           context.Operands(0);
  }
  if (modifiers.Take("proxy")) {
    if (modifiers.Take("alias")) {
      inst->handler = &NoEffect;
      return context.Operands(0);
    }
    if (modifiers.Take("async")) {
      inst->flags = TakeSpaces(modifiers);
      inst->handler = &ProxyFence;
      return context.Operands(0);
    }
    if (modifiers.Take("async::generic")) {
      inst->handler = &ProxyAndMemoryFence;
      inst->flags = kShared;  // the only restriction there is
      if (!modifiers.Take("acquire") && !modifiers.Take("release")) {
        return false;
      }
      modifiers.TakePrefix("sync_restrict::");
      TakeScope(modifiers, Scope::kGpu, inst);
      return context.Operands(0);
    }
    if (modifiers.Take("tensormap::generic")) {
      inst->handler = &Fence;
      if (!modifiers.Take("acquire") && !modifiers.Take("release")) {
        return false;
      }
      TakeScope(modifiers, Scope::kGpu, inst);
      return context.Operands(0, 2);  // [address], 128 for .acquire
    }
    return false;
  }
  inst->handler = &Fence;
  modifiers.Take("sc");
  modifiers.Take("acq_rel");
  modifiers.Take("acquire");
  modifiers.Take("release");
  modifiers.TakePrefix("sync_restrict::");
  TakeScope(modifiers, Scope::kGpu, inst);
  return context.Operands(0);
}

bool DecodeMembar(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  inst->handler = &Fence;
  TakeScope(modifiers, Scope::kGpu, inst);
  return context.Operands(0);
}

}  // namespace

void RegisterFence(DecoderTable* table) {
  (*table)["fence"] = &DecodeFence;
  (*table)["membar"] = &DecodeMembar;
}

}  // namespace tiletune::emulator
