// The copies that are older than bulk ones (PTX ISA 9.7.9.25.3): cp.async, and
// its arrival on an mbarrier.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "testing/emulator/machine/async_copy.h"
#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"
#include "testing/emulator/machine/machine.h"

namespace tiletune::emulator {
namespace {

// cp.async: imm is the destination's offset, op[3] the constant slot of the
// source's; op[2] the source size.
Step PlainCopy(Warp& warp, const Inst& inst, uint32_t mask) {
  Machine& machine = *warp.machine;
  ForLanes(mask, [&](int lane) {
    const uint32_t bytes = inst.bytes;
    uint64_t to =
        (warp.Reg(inst.op[0])[lane] + static_cast<uint64_t>(inst.imm)) &
        0xFFFFFFFF;
    uint64_t from = warp.Reg(inst.op[1])[lane] + warp.Reg(inst.op[3])[lane];
    uint32_t size =
        std::min(bytes, static_cast<uint32_t>(warp.Reg(inst.op[2])[lane]));
    if ((inst.flags & 1) != 0) {  // ignore-src
      uint32_t ignore = warp.Pred(inst.op[4]) >> lane & 1;
      if ((ignore != 0) != ((inst.flags & 2) != 0)) size = 0;
    }
    if (to % bytes != 0 || (size != 0 && from % bytes != 0)) {
      machine.Report(warp, inst, lane, "misaligned access",
                     "cp.async addresses are multiples of the size", to);
      return;
    }
    Location destination = machine.LocateShared(
        warp, inst, lane, static_cast<uint32_t>(to), bytes, true);
    if (destination.data == nullptr) return;
    // Of any size: not by Locate(), which wants the address aligned to it.
    GlobalMemory::Allocation* source = nullptr;
    if (size != 0) {
      source = machine.memory().Find(from, size);
      if (source == nullptr) {
        machine.Report(warp, inst, lane, "out of bounds",
                       std::to_string(size) + " bytes outside every allocation",
                       from);
        return;
      }
    }
    AsyncOperation op = BeginAsync(warp, inst, lane);
    std::shared_ptr<AsyncGroup> group = OpenGroup(&warp.copy_groups[lane]);
    ++group->pending;
    group->write_knowledge.order.Set(op.actor, op.clock);
    Cta* cta = warp.cta;
    uint64_t offset = destination.offset;
    machine.Schedule(cta, "cp.async", &inst, op.thread, 0,
                     [op, cta, offset, source, from, size, bytes, group] {
                       // cp.async works in the generic proxy.
                       Access access = op.MakeAccess();
                       access.async = false;
                       std::memset(cta->shared.data() + offset, 0, bytes);
                       if (size != 0) {
                         const uint64_t at = from - source->begin;
                         op.machine->CheckGlobalInitialised(
                             source, at, size, *op.inst, op.cta, op.thread);
                         op.machine->TouchGlobal(source, at, size, false,
                                                 access, *op.inst, op.cta);
                         std::memcpy(cta->shared.data() + offset,
                                     source->data + at, size);
                       }
                       op.machine->TouchShared(cta, offset, bytes, true, access,
                                               *op.inst, op.cta);
                       --group->pending;
                       for (const auto& arrival : group->arrivals) arrival();
                       op.machine->Wake(cta);
                     });
  });
  return Step::kNext;
}

// cp.async.mbarrier.arrive: arrives once all earlier cp.async of the thread
// are complete. Without .noinc the pending count is raised first.
Step CopyArrive(Warp& warp, const Inst& inst, uint32_t mask) {
  Machine& machine = *warp.machine;
  ForLanes(mask, [&](int lane) {
    uint64_t address =
        warp.Reg(inst.op[0])[lane] + static_cast<uint64_t>(inst.imm);
    Location at = machine.LocateShared(warp, inst, lane,
                                       static_cast<uint32_t>(address), 8, true);
    if (at.data == nullptr) return;
    const uint32_t offset = static_cast<uint32_t>(at.offset);
    Mbarrier* barrier = machine.FindMbarrier(at.cta, offset, inst, warp.cta,
                                             machine.ThreadIndex(warp, lane));
    if (barrier == nullptr) return;
    if ((inst.flags & 1) == 0) barrier->RaisePending();
    // The copies so far, in open and committed groups.
    GroupList& list = warp.copy_groups[lane];
    std::vector<std::shared_ptr<AsyncGroup>> groups = list.committed;
    if (list.open != nullptr) groups.push_back(list.open);
    auto knowledge =
        std::make_shared<Knowledge>(*warp.known.Snapshot(1u << lane));
    auto left = std::make_shared<int>(1);
    Cta* cta = at.cta;
    const Inst* source = &inst;
    const int thread = machine.ThreadIndex(warp, lane);
    auto finish = [&machine, cta, offset, knowledge, source, thread, left] {
      if (--*left == 0) {
        machine.ArriveOn(cta, offset, 1, *knowledge, *source, cta, thread);
      }
    };
    for (const auto& group : groups) {
      knowledge->Join(group->write_knowledge);
      if (group->pending == 0) continue;
      ++*left;
      auto weak = std::weak_ptr<AsyncGroup>(group);
      auto done = std::make_shared<bool>(false);
      group->arrivals.push_back([weak, finish, done] {
        auto locked = weak.lock();
        if (*done || locked == nullptr || locked->pending != 0) return;
        *done = true;
        finish();
      });
    }
    machine.Schedule(cta, "cp.async.mbarrier.arrive", &inst, thread, 0, finish);
  });
  return Step::kNext;
}

}  // namespace

bool DecodePlainCopy(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  if (modifiers.Take("mbarrier")) {
    if (!modifiers.Take("arrive")) return false;
    if (modifiers.Take("noinc")) inst->flags = 1;
    modifiers.Take("shared");
    modifiers.Take("shared::cta");
    modifiers.Take("b64");
    inst->handler = &CopyArrive;
    return context.Operands(1) && context.Address(0, &inst->op[0], &inst->imm);
  }
  modifiers.TakeCacheHints();
  if (!modifiers.Take("shared") && !modifiers.Take("shared::cta")) return false;
  if (!modifiers.Take("global")) return false;
  int64_t size = 0;
  int64_t source_offset = 0;
  if (!context.Operands(3, 5) ||
      !context.Address(0, &inst->op[0], &inst->imm) ||
      !context.Address(1, &inst->op[1], &source_offset) ||
      !context.Immediate(2, &size)) {
    return false;
  }
  if (size != 4 && size != 8 && size != 16) return context.Fail("bad size");
  inst->handler = &PlainCopy;
  inst->bytes = static_cast<uint8_t>(size);
  inst->op[3] = context.ConstantSlotFor(ConstantSlot::Kind::kValue,
                                        static_cast<uint64_t>(source_offset));
  inst->op[2] = context.ConstantSlotFor(ConstantSlot::Kind::kValue,
                                        static_cast<uint64_t>(size));
  if (context.OperandCount() >= 4) {
    if (context.IsPredicate(context.Operand(3))) {
      bool negated = false;
      inst->flags = 1;
      if (!context.PredSource(3, &inst->op[4], &negated)) return false;
      if (negated) inst->flags |= 2;
      return true;
    }
    // With five operands, or a 64-bit fourth one, a cache policy is present.
    const ptx::Operand& fourth = context.Operand(3);
    bool policy = fourth.kind == ptx::Operand::Kind::kRegister &&
                  context.frame()->function->registers[fourth.id].type == "b64";
    if (!policy) return context.Source(3, Type::kU32, &inst->op[2]);
  }
  return true;
}

}  // namespace tiletune::emulator
