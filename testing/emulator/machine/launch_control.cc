// Cluster launch control (PTX ISA 9.7.13.17, 9.7.13.18).
#include <cstring>
#include <memory>
#include <string>

#include "testing/emulator/machine/async_copy.h"
#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"
#include "testing/emulator/machine/machine.h"
#include "testing/emulator/machine/timeline.h"

namespace tiletune::emulator {
namespace {

constexpr uint32_t kMulticast = 1;

// The response is opaque to programs. Encoding as read from what ptxas makes
// of the queries: word 0 = x, word 1 = y | z << 16, word 2 bit 0 = success.
void WriteResponse(uint8_t* at, bool success, const Dim3& first) {
  uint32_t words[4] = {first.x, (first.y & 0xFFFF) | (first.z << 16),
                       success ? 1u : 0u, 0};
  std::memcpy(at, words, sizeof(words));
}

// op[0] response address, op[1] mbarrier address, op[2] its offset.
Step TryCancel(Warp& warp, const Inst& inst, uint32_t mask) {
  Machine& machine = *warp.machine;
  ForLanes(mask, [&](int lane) {
    uint64_t response_address =
        warp.Reg(inst.op[0])[lane] + static_cast<uint64_t>(inst.imm);
    if (response_address % 16 != 0) {
      machine.Report(warp, inst, lane, "misaligned access",
                     "the response is 16-byte aligned", response_address);
      return;
    }
    Location to = machine.LocateShared(
        warp, inst, lane, static_cast<uint32_t>(response_address), 16, true);
    Location barrier =
        machine.LocateShared(warp, inst, lane,
                             static_cast<uint32_t>(warp.Reg(inst.op[1])[lane] +
                                                   warp.Reg(inst.op[2])[lane]),
                             8, true);
    if (to.data == nullptr || barrier.data == nullptr) return;
    if (warp.cta->refusal_observed) {
      machine.Report(warp, inst, lane, "try_cancel after a refusal",
                     "the CTA has already observed a failed response");
    }
    AsyncOperation op = BeginAsync(warp, inst, lane);
    Dim3 first = {0, 0, 0};
    bool refuse = machine.random().Chance(machine.options().clc_refusal_rate);
    bool success = !refuse && machine.CancelNextCluster(&first);
    const uint32_t offset = static_cast<uint32_t>(to.offset);
    const uint32_t barrier_offset = static_cast<uint32_t>(barrier.offset);
    for (auto& target : warp.cta->cluster->ctas) {
      Cta* cta = target.get();
      if ((inst.flags & kMulticast) == 0 && cta != warp.cta) continue;
      // A refused response carries garbage where the ctaid would be.
      Dim3 garbage = {static_cast<uint32_t>(machine.random().Next()),
                      static_cast<uint32_t>(machine.random().Next()), 0};
      Dim3 value = success ? first : garbage;
      machine.Schedule(
          warp.cta, "clusterlaunchcontrol.try_cancel", &inst, op.thread, 0,
          [op, cta, offset, barrier_offset, success, value] {
            if (cta->exited) {
              op.machine->ReportAt(op.cta, op.thread, op.inst,
                                   "access to an exited CTA",
                                   "a response is written to a CTA that has "
                                   "exited",
                                   offset);
              return;
            }
            WriteResponse(cta->shared.data() + offset, success, value);
            op.machine->TouchShared(cta, offset, 16, true, op.MakeAccess(),
                                    *op.inst, op.cta);
            op.CompleteTx(cta, barrier_offset, 16);
            Timeline* timeline = op.machine->timeline();
            if (timeline != nullptr && cta == op.cta) {
              timeline->OnLaunchControl(*cta, op.thread, success, value);
            }
          });
    }
  });
  return Step::kNext;
}

// op[0] predicate, op[1] response (two slots).
Step IsCanceled(Warp& warp, const Inst& inst, uint32_t mask) {
  const uint64_t* high = warp.Reg(inst.op[1] + 1);
  uint32_t result = 0;
  ForLanes(mask, [&](int lane) {
    result |= static_cast<uint32_t>(high[lane] & 1) << lane;
  });
  if ((result & mask) != mask) warp.cta->refusal_observed = true;
  uint32_t& p = warp.Pred(inst.op[0]);
  p = (p & ~mask) | (result & mask);
  return Step::kNext;
}

// list: x, y, z, unused (v4) or one component; kind: 0 v4, 1 x, 2 y, 3 z.
Step FirstCtaid(Warp& warp, const Inst& inst, uint32_t mask) {
  const uint64_t* low = warp.Reg(inst.op[1]);
  const uint64_t* high = warp.Reg(inst.op[1] + 1);
  const int32_t* slots = &warp.machine->program().lists[inst.list];
  ForLanes(mask, [&](int lane) {
    if ((high[lane] & 1) == 0) {
      warp.machine->Report(warp, inst, lane, "ctaid of a refused response",
                           "get_first_ctaid is undefined unless is_canceled "
                           "is true");
    }
    uint64_t xyz[4] = {low[lane] & 0xFFFFFFFF, (low[lane] >> 32) & 0xFFFF,
                       low[lane] >> 48, 0};
    if (inst.kind == 0) {
      for (uint32_t i = 0; i < 4; ++i) warp.Reg(slots[i])[lane] = xyz[i];
    } else {
      warp.Reg(slots[0])[lane] = xyz[inst.kind - 1];
    }
  });
  return Step::kNext;
}

bool DecodeLaunchControl(DecodeContext& context, Modifiers& modifiers,
                         Inst* inst) {
  if (modifiers.Take("try_cancel")) {
    inst->handler = &TryCancel;
    if (!modifiers.Take("async") ||
        !modifiers.Take("mbarrier::complete_tx::bytes")) {
      return false;
    }
    modifiers.Take("shared::cta");
    if (modifiers.Take("multicast::cluster::all")) inst->flags |= kMulticast;
    int64_t barrier_offset = 0;
    if (!modifiers.Take("b128") || !context.Operands(2) ||
        !context.Address(0, &inst->op[0], &inst->imm) ||
        !context.Address(1, &inst->op[1], &barrier_offset)) {
      return false;
    }
    inst->op[2] = context.ConstantSlotFor(
        ConstantSlot::Kind::kValue, static_cast<uint64_t>(barrier_offset));
    return true;
  }
  if (!modifiers.Take("query_cancel")) return false;
  if (modifiers.Take("is_canceled")) {
    inst->handler = &IsCanceled;
    return modifiers.Take("pred") && modifiers.Take("b128") &&
           context.Operands(2) && context.PredDest(0, &inst->op[0]) &&
           context.Source(1, Type::kB128, &inst->op[1]);
  }
  inst->handler = &FirstCtaid;
  const char* const kParts[] = {"get_first_ctaid", "get_first_ctaid::x",
                                "get_first_ctaid::y", "get_first_ctaid::z"};
  bool found = false;
  for (uint8_t i = 0; i < 4; ++i) {
    if (modifiers.Take(kParts[i])) {
      inst->kind = i;
      found = true;
    }
  }
  if (!found) return false;
  bool vector = modifiers.Take("v4");
  if (vector != (inst->kind == 0) || !modifiers.Take("b32") ||
      !modifiers.Take("b128") || !context.Operands(2) ||
      !context.DestList(context.Operand(0), inst) ||
      !context.Source(1, Type::kB128, &inst->op[1])) {
    return false;
  }
  return inst->list_size == (vector ? 4u : 1u);
}

}  // namespace

void RegisterLaunchControl(DecoderTable* table) {
  (*table)["clusterlaunchcontrol"] = &DecodeLaunchControl;
}

}  // namespace tiletune::emulator
