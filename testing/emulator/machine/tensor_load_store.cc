// tcgen05.ld, tcgen05.st and tcgen05.wait (PTX ISA 9.7.16.8).
#include <string>
#include <vector>

#include "testing/emulator/engines/tmem_load_store.h"
#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"
#include "testing/emulator/machine/machine.h"
#include "testing/emulator/machine/tensor_memory.h"
#include "testing/emulator/machine/timeline.h"

namespace tiletune::emulator {
namespace {

constexpr int kLanesOfAWarp = 32;  // of Tensor Memory

// kind: TmemShape; bytes: log2 of num; flags: 1 packed; op[0]: address; op[1]:
// constant slot of the half split offset; list: registers.
TmemAccess AccessOf(Warp& warp, const Inst& inst) {
  TmemAccess access;
  access.shape = static_cast<TmemShape>(inst.kind);
  access.num = 1 << inst.bytes;
  access.packed = (inst.flags & 1) != 0;
  access.half_split_offset = static_cast<int>(warp.Reg(inst.op[1])[0]);
  return access;
}

// Checks common to ld and st; false after a fatal finding.
bool Check(Warp& warp, const Inst& inst, uint32_t mask,
           const TmemAccess& access, TmemAddress* base) {
  Machine& machine = *warp.machine;
  const int lane = __builtin_ctz(mask);
  const uint64_t* addresses = warp.Reg(inst.op[0]);
  uint32_t address =
      static_cast<uint32_t>(addresses[lane] + static_cast<uint64_t>(inst.imm));
  ForLanes(mask, [&](int l) {
    if (static_cast<uint32_t>(addresses[l]) !=
        static_cast<uint32_t>(addresses[lane])) {
      machine.Report(warp, inst, l, "bad tensor memory access",
                     "the address differs between the lanes of the warp",
                     addresses[l]);
    }
  });
  *base = SplitTmemAddress(address);
  // GPUs route every warp to its own 32 lanes, whatever the lane's upper bits:
  // DeepGEMM and TileLang leave them 0, other public kernels number the second
  // CTA's lanes from 128.
  if (!machine.strict()) {
    base->lane = FirstOwnedLane(warp.index) + base->lane % kLanesOfAWarp;
  }
  Findings wrong = CheckTmemAccess(access, *base, warp.index);
  if (!wrong.empty()) {
    machine.Fatal(warp, inst, lane, "bad tensor memory access", wrong.front(),
                  address);
    return false;
  }
  if (mask != kFullMask) {
    machine.Report(warp, inst, lane, "bad tensor memory access",
                   "executed without all lanes of the warp");
  }
  return true;
}

void Touch(Warp& warp, const Inst& inst, uint32_t mask,
           const TmemAccess& access, TmemAddress base, bool write) {
  Machine& machine = *warp.machine;
  Access who;
  who.actor = warp.tensor_actor;
  who.clock = warp.tensor_clock;
  who.line = inst.line;
  who.thread = machine.ThreadIndex(warp, __builtin_ctz(mask));
  if (warp.known.by_lane()) who.lanes = LaneSet::Mask(mask);
  warp.known.ForViews(mask, [&](uint32_t lanes) {
    KnowledgePtr knowledge =
        TensorKnowledge(machine, warp.known.Snapshot(lanes));
    who.knowledge = knowledge.get();
    TouchTensor(machine, warp.cta, base.lane, AccessLanes(access), base.column,
                AccessColumns(access), write, who, inst, warp.cta);
    if (access.shape == TmemShape::k16x32bx2) {
      TouchTensor(machine, warp.cta, base.lane, AccessLanes(access),
                  base.column + access.half_split_offset, AccessColumns(access),
                  write, who, inst, warp.cta);
    }
  });
}

Step Load(Warp& warp, const Inst& inst, uint32_t mask) {
  TmemAccess access = AccessOf(warp, inst);
  TmemAddress base;
  if (!Check(warp, inst, mask, access, &base)) return Step::kBlocked;
  const uint32_t* words = TensorWords(warp.cta->sm);
  Touch(warp, inst, mask, access, base, false);
  if (Timeline* timeline = warp.machine->timeline()) {
    timeline->OnTensorLoad(warp, base.column);
  }
  warp.tensor_load_pending = true;
  const int32_t* slots = &warp.machine->program().lists[inst.list];
  for (uint32_t r = 0; r < inst.list_size; ++r) {
    warp.deliveries.emplace_back();
    Warp::Delivery& delivery = warp.deliveries.back();
    delivery.slot = slots[r];
    delivery.mask = mask;
    delivery.line = inst.line;
    if (access.shape == TmemShape::k32x32b && !access.packed) {
      const uint32_t* column =
          words + static_cast<ptrdiff_t>(base.lane) * kTmemColumns +
          base.column + static_cast<ptrdiff_t>(r);
      for (int lane = 0; lane < kWarpSize; ++lane) {
        delivery.values[lane] = column[lane * kTmemColumns];
      }
      continue;
    }
    for (int lane = 0; lane < kWarpSize; ++lane) {
      delivery.values[lane] =
          LoadRegister(access, base, lane, static_cast<int>(r), words);
    }
  }
  return Step::kNext;
}

Step Store(Warp& warp, const Inst& inst, uint32_t mask) {
  TmemAccess access = AccessOf(warp, inst);
  TmemAddress base;
  if (!Check(warp, inst, mask, access, &base)) return Step::kBlocked;
  uint32_t* words = TensorWords(warp.cta->sm);
  Touch(warp, inst, mask, access, base, true);
  warp.tensor_store_pending = true;
  const int32_t* slots = &warp.machine->program().lists[inst.list];
  for (uint32_t r = 0; r < inst.list_size; ++r) {
    const uint64_t* values = warp.Reg(slots[r]);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      StoreRegister(access, base, lane, static_cast<int>(r),
                    static_cast<uint32_t>(values[lane]), words);
    }
  }
  return Step::kNext;
}

// Of loads and stores alike, once none is pending.
void LearnThatAllIsDone(Warp& warp, uint32_t mask) {
  if (warp.tensor_load_pending || warp.tensor_store_pending) return;
  warp.tensor_done = warp.tensor_clock++;
  if (!warp.machine->strict()) {
    warp.known.LearnOrder(mask, warp.tensor_actor, warp.tensor_done);
  }
}

Step WaitFor(Warp& warp, const Inst& inst, uint32_t mask) {
  if (inst.kind == 0) {
    warp.machine->CompleteTensorLoads(warp, mask);
  } else {
    warp.tensor_store_pending = false;
    LearnThatAllIsDone(warp, mask);
  }
  return Step::kNext;
}

bool DecodeLoadStore(DecodeContext& context, Modifiers& modifiers, Inst* inst,
                     bool load) {
  struct Shape {
    const char* name;
    TmemShape shape;
  };
  static constexpr Shape kShapes[] = {{"32x32b", TmemShape::k32x32b},
                                      {"16x64b", TmemShape::k16x64b},
                                      {"16x128b", TmemShape::k16x128b},
                                      {"16x256b", TmemShape::k16x256b},
                                      {"16x32bx2", TmemShape::k16x32bx2}};
  if (!modifiers.Take("sync") || !modifiers.Take("aligned")) return false;
  bool found = false;
  TmemAccess access;
  for (const Shape& shape : kShapes) {
    if (modifiers.Take(shape.name)) {
      access.shape = shape.shape;
      found = true;
    }
  }
  if (!found) return false;
  found = false;
  for (uint8_t log = 0; log <= 7; ++log) {
    if (modifiers.Take("x" + std::to_string(1 << log))) {
      inst->bytes = log;
      access.num = 1 << log;
      found = true;
    }
  }
  if (!found) return false;
  if (modifiers.Take(load ? "pack::16b" : "unpack::16b")) {
    inst->flags = 1;
    access.packed = true;
  }
  if (!modifiers.Take("b32")) return false;
  inst->aligned = true;
  inst->kind = static_cast<uint8_t>(access.shape);
  inst->handler = load ? &Load : &Store;
  const bool split = access.shape == TmemShape::k16x32bx2;
  if (!context.Operands(split ? 3 : 2)) return false;
  int64_t offset = 0;
  const ptx::Operand& registers = context.Operand(load ? 0 : (split ? 2 : 1));
  if (split && !context.Immediate(load ? 2 : 1, &offset)) return false;
  inst->op[1] = context.ConstantSlotFor(ConstantSlot::Kind::kValue,
                                        static_cast<uint64_t>(offset));
  bool ok = load ? context.DestList(registers, inst)
                 : context.SourceList(registers, Type::kB32, inst);
  if (!ok || !context.Address(load ? 1 : 0, &inst->op[0], &inst->imm)) {
    return false;
  }
  if (static_cast<int>(inst->list_size) != RegisterCount(access)) {
    return context.Fail("wrong number of registers");
  }
  return true;
}

}  // namespace

void Machine::CompleteTensorLoads(Warp& warp, uint32_t mask) {
  for (const Warp::Delivery& delivery : warp.deliveries) {
    uint64_t* lanes = warp.Reg(delivery.slot);
    ForLanes(delivery.mask,
             [&](int lane) { lanes[lane] = delivery.values[lane]; });
  }
  warp.deliveries.clear();
  warp.tensor_load_pending = false;
  LearnThatAllIsDone(warp, mask);
}

bool DecodeTensorLoad(DecodeContext& context, Modifiers& modifiers,
                      Inst* inst) {
  return DecodeLoadStore(context, modifiers, inst, true);
}

bool DecodeTensorStore(DecodeContext& context, Modifiers& modifiers,
                       Inst* inst) {
  return DecodeLoadStore(context, modifiers, inst, false);
}

bool DecodeTensorWait(DecodeContext& context, Modifiers& modifiers,
                      Inst* inst) {
  inst->handler = &WaitFor;
  inst->aligned = true;
  if (modifiers.Take("wait::ld")) {
    inst->kind = 0;
  } else if (modifiers.Take("wait::st")) {
    inst->kind = 1;
  } else {
    return false;
  }
  return modifiers.Take("sync") && modifiers.Take("aligned") &&
         context.Operands(0);
}

}  // namespace tiletune::emulator
