// atom and red (PTX ISA 9.7.13.5, 9.7.13.7) on global and shared memory,
// scalar and vector.
#include <algorithm>
#include <cstring>

#include "testing/emulator/machine/access_runs.h"
#include "testing/emulator/machine/async_copy.h"
#include "testing/emulator/machine/atomic_op.h"
#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"
#include "testing/emulator/machine/machine.h"
#include "testing/emulator/machine/memory_order.h"

namespace tiletune::emulator {
namespace {

// Inst::flags: MemoryOrder in the low bits.
constexpr uint32_t kTypeShift = 8;

// op[1] address; list: destinations (count), then sources b (count), then c.
Step Atomic(Warp& warp, const Inst& inst, uint32_t mask) {
  Machine& machine = *warp.machine;
  const AtomicOp op = static_cast<AtomicOp>(inst.kind);
  const Type type = static_cast<Type>((inst.flags >> kTypeShift) & 0xFF);
  const MemoryOrder order = static_cast<MemoryOrder>(inst.flags & 0xF);
  const int32_t* slots = &machine.program().lists[inst.list];
  const uint32_t count = inst.list_size / 3;
  const uint32_t element = inst.bytes;
  const uint32_t bytes = element * count;
  const MemorySpace space = static_cast<MemorySpace>(inst.space);
  ForLanes(mask, [&](int lane) {
    uint64_t address =
        warp.Reg(inst.op[1])[lane] + static_cast<uint64_t>(inst.imm);
    if (space == MemorySpace::kShared || space == MemorySpace::kSharedCluster) {
      address &= 0xFFFFFFFF;
    }
    Location at = machine.Locate(warp, inst, lane, space, address, bytes, true);
    if (at.data == nullptr) return;
    int thread = machine.ThreadIndex(warp, lane);
    if (at.cta != nullptr) {
      machine.CheckSharedInitialised(at.cta, at.offset, bytes, inst, warp.cta,
                                     thread);
    } else if (at.allocation != nullptr) {
      machine.CheckGlobalInitialised(at.allocation, at.offset, bytes, inst,
                                     warp.cta, thread);
    }
    ReadSync(warp, lane, at,
             order == MemoryOrder::kAcquire || order == MemoryOrder::kAcqRel,
             inst.scope);
    WriteSync(warp, lane, at,
              order == MemoryOrder::kRelease || order == MemoryOrder::kAcqRel,
              inst.scope);
    AccessRuns runs(warp, inst, /*write=*/true, /*atomic=*/true);
    runs.Add(at, bytes, lane);
    runs.Flush();
    for (uint32_t i = 0; i < count; ++i) {
      uint64_t old = 0;
      std::memcpy(&old, at.data + i * element, element);
      uint64_t b = warp.Reg(slots[count + i])[lane];
      uint64_t c = warp.Reg(slots[2 * count + i])[lane];
      uint64_t result = ApplyAtomic(type, op, old, b, c);
      std::memcpy(at.data + i * element, &result, element);
      warp.Reg(slots[i])[lane] = old;
    }
  });
  machine.Progress();
  return Step::kYield;
}

MemorySpace TakeSpace(Modifiers& modifiers) {
  if (modifiers.Take("global")) return MemorySpace::kGlobal;
  if (modifiers.Take("shared::cluster")) return MemorySpace::kSharedCluster;
  if (modifiers.Take("shared") || modifiers.Take("shared::cta")) {
    return MemorySpace::kShared;
  }
  return MemorySpace::kGeneric;
}

bool DecodeAtomic(DecodeContext& context, Modifiers& modifiers, Inst* inst,
                  bool result) {
  if (modifiers.Take("async")) {
    return !result && DecodeReduceAsync(context, modifiers, inst);
  }
  MemoryOrder order = MemoryOrder::kRelaxed;
  modifiers.Take("relaxed");
  if (modifiers.Take("acquire")) order = MemoryOrder::kAcquire;
  if (modifiers.Take("release")) order = MemoryOrder::kRelease;
  if (modifiers.Take("acq_rel")) order = MemoryOrder::kAcqRel;
  TakeScope(modifiers, Scope::kGpu, inst);
  inst->space = static_cast<uint8_t>(TakeSpace(modifiers));
  modifiers.Take("noftz");
  modifiers.TakeCacheHints();
  AtomicOp op;
  const bool found = TakeAtomicOp(modifiers, &op);
  if (found) inst->kind = static_cast<uint8_t>(op);
  size_t count = 1;
  if (modifiers.Take("v2")) count = 2;
  if (modifiers.Take("v4")) count = 4;
  if (modifiers.Take("v8")) count = 8;
  Type type = modifiers.TakeType();
  if (!found || type == Type::kNone || TypeBytes(type) > 8) return false;
  inst->handler = &Atomic;
  inst->bytes = static_cast<uint8_t>(TypeBytes(type));
  inst->flags = static_cast<uint32_t>(order) |
                (static_cast<uint32_t>(type) << kTypeShift);
  bool cas = inst->kind == static_cast<uint8_t>(AtomicOp::kCas);
  size_t first = result ? 1 : 0;
  if (!context.Operands(first + (cas ? 3 : 2), first + (cas ? 4 : 3)) ||
      !context.Address(first, &inst->op[1], &inst->imm)) {
    return false;
  }
  std::vector<int32_t> list(count, 0);
  if (result) {
    const ptx::Operand& dest = context.Operand(0);
    if (dest.kind == ptx::Operand::Kind::kVector) {
      if (dest.elements.size() != count) return context.Fail("bad vector");
      for (size_t i = 0; i < count; ++i) {
        if (!context.DestOf(dest.elements[i], &list[i])) return false;
      }
    } else if (!context.DestOf(dest, &list[0])) {
      return false;
    }
  }
  if (!context.SourceSlots(context.Operand(first + 1), type, &list)) {
    return false;
  }
  if (list.size() != 2 * count) return context.Fail("bad vector");
  if (cas) {
    if (!context.SourceSlots(context.Operand(first + 2), type, &list)) {
      return false;
    }
  }
  list.resize(3 * count, 0);
  inst->list = context.AppendList(list);
  inst->list_size = static_cast<uint32_t>(list.size());
  return true;
}

bool DecodeAtom(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  return DecodeAtomic(context, modifiers, inst, true);
}

bool DecodeRed(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  return DecodeAtomic(context, modifiers, inst, false);
}

}  // namespace

void RegisterAtomic(DecoderTable* table) {
  (*table)["atom"] = &DecodeAtom;
  (*table)["red"] = &DecodeRed;
}

}  // namespace tiletune::emulator
