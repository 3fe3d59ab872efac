// st.async and red.async (PTX ISA 9.7.9.12, 9.7.13.8): a store into the
// cluster's shared memory, or a reduction there, that completes its bytes on an
// mbarrier of the same CTA. Both work in the generic proxy.
#include <cstring>
#include <string>
#include <vector>

#include "testing/emulator/machine/async_copy.h"
#include "testing/emulator/machine/atomic_op.h"
#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"
#include "testing/emulator/machine/machine.h"

namespace tiletune::emulator {
namespace {

// Inst::flags.
constexpr uint32_t kReducing = 1;
constexpr uint32_t kTypeShift = 8;

// Adds the elements of `data` to what lies at `to`, or whatever the kind says.
void Reduce(const Inst& inst, const std::vector<uint8_t>& data, uint8_t* to) {
  const Type type = static_cast<Type>(inst.flags >> kTypeShift);
  uint64_t old = 0;
  uint64_t operand = 0;
  std::memcpy(&old, to, inst.bytes);
  std::memcpy(&operand, data.data(), inst.bytes);
  const uint64_t result =
      ApplyAtomic(type, static_cast<AtomicOp>(inst.kind), old, operand, 0);
  std::memcpy(to, &result, inst.bytes);
}

// op[0] + imm: the destination; op[1]: the mbarrier; list: the values.
Step StoreAsync(Warp& warp, const Inst& inst, uint32_t mask) {
  Machine& machine = *warp.machine;
  const int32_t* slots = &machine.program().lists[inst.list];
  const uint32_t element = inst.bytes;
  const uint32_t bytes = element * inst.list_size;
  ForLanes(mask, [&](int lane) {
    const uint32_t address = static_cast<uint32_t>(
        warp.Reg(inst.op[0])[lane] + static_cast<uint64_t>(inst.imm));
    const uint32_t barrier_address =
        static_cast<uint32_t>(warp.Reg(inst.op[1])[lane]);
    if (address % bytes != 0 || barrier_address % 8 != 0) {
      machine.Report(warp, inst, lane, "misaligned access",
                     "an asynchronous store needs a naturally aligned address",
                     address % bytes != 0 ? address : barrier_address);
      return;
    }
    const Location to =
        machine.LocateShared(warp, inst, lane, address, bytes, false);
    const Location barrier =
        machine.LocateShared(warp, inst, lane, barrier_address, 8, false);
    if (to.data == nullptr || barrier.data == nullptr) return;
    if (to.cta != barrier.cta) {
      machine.Report(warp, inst, lane, "bad asynchronous store",
                     "the mbarrier must be in the destination's CTA",
                     barrier_address);
      return;
    }
    std::vector<uint8_t> data(bytes);
    for (uint32_t i = 0; i < inst.list_size; ++i) {
      std::memcpy(data.data() + i * element, &warp.Reg(slots[i])[lane],
                  element);
    }
    const AsyncOperation op = BeginAsync(warp, inst, lane);
    Cta* cta = to.cta;
    machine.Schedule(
        warp.cta, (inst.flags & kReducing) != 0 ? "red.async" : "st.async",
        &inst, op.thread, 0,
        [op, cta, data, offset = to.offset, at = barrier.offset] {
          if (cta->exited) {
            op.machine->ReportAt(
                op.cta, op.thread, op.inst, "access to an exited CTA",
                "an asynchronous store reaches a CTA that has exited", offset);
            return;
          }
          Access access = op.MakeAccess();
          access.async = false;
          const bool reducing = (op.inst->flags & kReducing) != 0;
          access.atomic = reducing;  // a relaxed operation
          if (reducing) {
            op.machine->CheckSharedInitialised(cta, offset, data.size(),
                                               *op.inst, op.cta, op.thread);
          }
          op.machine->TouchShared(cta, offset, data.size(), true, access,
                                  *op.inst, op.cta);
          if (reducing) {
            Reduce(*op.inst, data, cta->shared.data() + offset);
          } else {
            std::memcpy(cta->shared.data() + offset, data.data(), data.size());
          }
          op.CompleteTx(cta, static_cast<uint32_t>(at),
                        static_cast<uint32_t>(data.size()));
        });
  });
  return Step::kNext;
}

bool DecodeOperands(DecodeContext& context, Inst* inst, Type type,
                    size_t count) {
  inst->handler = &StoreAsync;
  inst->bytes = static_cast<uint8_t>(TypeBytes(type));
  int64_t barrier_offset = 0;
  if (!context.Operands(3) || !context.Address(0, &inst->op[0], &inst->imm) ||
      !context.SourceList(context.Operand(1), type, inst) ||
      !context.Address(2, &inst->op[1], &barrier_offset)) {
    return false;
  }
  if (barrier_offset != 0) {
    return context.Fail("an mbarrier operand with an offset is not supported");
  }
  if (inst->list_size != count) return context.Fail("wrong vector length");
  return true;
}

// The reductions that red.async has on each type.
bool IsAsyncReduction(AtomicOp op, Type type) {
  switch (op) {
    case AtomicOp::kAdd:
      return type == Type::kU32 || type == Type::kS32 || type == Type::kU64;
    case AtomicOp::kMin:
    case AtomicOp::kMax:
      return type == Type::kU32 || type == Type::kS32;
    case AtomicOp::kInc:
    case AtomicOp::kDec:
      return type == Type::kU32;
    case AtomicOp::kAnd:
    case AtomicOp::kOr:
    case AtomicOp::kXor:
      return type == Type::kB32;
    default:
      return false;
  }
}

}  // namespace

bool DecodeStoreAsync(DecodeContext& context, Modifiers& modifiers,
                      Inst* inst) {
  modifiers.Take("weak");
  if (!modifiers.Take("shared::cluster") ||
      !modifiers.Take("mbarrier::complete_tx::bytes")) {
    return false;
  }
  size_t count = 1;
  if (modifiers.Take("v2")) count = 2;
  if (modifiers.Take("v4")) count = 4;
  const Type type = modifiers.TakeType();
  const int bytes = type == Type::kNone ? 0 : TypeBytes(type);
  if (bytes != 4 && bytes != 8) return false;
  if (bytes * count > 16) return context.Fail("access too wide");
  return DecodeOperands(context, inst, type, count);
}

bool DecodeReduceAsync(DecodeContext& context, Modifiers& modifiers,
                       Inst* inst) {
  if (!modifiers.Take("relaxed") || !modifiers.Take("cluster")) {
    return context.Fail("red.async on global memory is not modelled");
  }
  modifiers.Take("shared::cluster");
  modifiers.Take("mbarrier::complete_tx::bytes");  // the default
  AtomicOp op;
  if (!TakeAtomicOp(modifiers, &op)) return false;
  const Type type = modifiers.TakeType();
  if (!IsAsyncReduction(op, type)) return false;
  inst->kind = static_cast<uint8_t>(op);
  inst->flags = kReducing | static_cast<uint32_t>(type) << kTypeShift;
  return DecodeOperands(context, inst, type, 1);
}

}  // namespace tiletune::emulator
