// Bulk copies without a tensor map (PTX ISA 9.7.9.25.4): cp.async.bulk,
// cp.reduce.async.bulk and the prefetch.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "testing/emulator/engines/bulk_reduce.h"
#include "testing/emulator/machine/async_copy.h"
#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"
#include "testing/emulator/machine/machine.h"
#include "testing/emulator/machine/timeline.h"

namespace tiletune::emulator {
namespace {

// Inst::flags.
constexpr uint32_t kToShared = 1;    // destination in shared memory
constexpr uint32_t kFromShared = 2;  // source in shared memory
constexpr uint32_t kMulticast = 4;
constexpr uint32_t kReducing = 8;
constexpr uint32_t kOwnCta = 16;     // .shared::cta destination
constexpr uint32_t kOpShift = 8;     // ReduceOp
constexpr uint32_t kTypeShift = 12;  // ReduceType

struct Endpoint {
  Cta* cta = nullptr;
  GlobalMemory::Allocation* allocation = nullptr;
  uint64_t offset = 0;

  uint8_t* data() const {
    return (cta != nullptr ? cta->shared.data() : allocation->data) + offset;
  }
};

struct PendingBulk {
  AsyncOperation op;
  AsyncOperation write_op;
  Endpoint from;
  Endpoint to;
  uint32_t bytes = 0;
  std::vector<uint8_t> data;
  std::shared_ptr<AsyncGroup> group;
  Cta* barrier_cta = nullptr;
  uint32_t barrier_offset = 0;
};

bool FindEndpoint(Warp& warp, const Inst& inst, int lane, bool shared,
                  bool own_cta, uint64_t address, uint32_t bytes, bool write,
                  Endpoint* endpoint) {
  Location at;
  if (shared) {
    at = warp.machine->LocateShared(
        warp, inst, lane, static_cast<uint32_t>(address), bytes, own_cta);
  } else {
    GlobalMemory::Allocation* allocation =
        warp.machine->memory().Find(address, bytes);
    if (allocation == nullptr || (write && allocation->constant)) {
      warp.machine->Report(
          warp, inst, lane, "out of bounds",
          std::to_string(bytes) + " bytes outside every allocation", address);
      return false;
    }
    endpoint->allocation = allocation;
    endpoint->offset = address - allocation->begin;
    return true;
  }
  if (at.data == nullptr) return false;
  endpoint->cta = at.cta;
  endpoint->offset = at.offset;
  return true;
}

void Touch(const AsyncOperation& op, const Endpoint& at, uint32_t bytes,
           bool write, bool atomic) {
  Access access = op.MakeAccess();
  access.atomic = atomic;
  Machine& machine = *op.machine;
  if (at.cta != nullptr) {
    if (!write || atomic) {
      machine.CheckSharedInitialised(at.cta, at.offset, bytes, *op.inst, op.cta,
                                     op.thread);
    }
    machine.TouchShared(at.cta, at.offset, bytes, write, access, *op.inst,
                        op.cta);
  } else {
    if (!write || atomic) {
      machine.CheckGlobalInitialised(at.allocation, at.offset, bytes, *op.inst,
                                     op.cta, op.thread);
    }
    machine.TouchGlobal(at.allocation, at.offset, bytes, write, access,
                        *op.inst, op.cta);
  }
}

void ReadSource(const std::shared_ptr<PendingBulk>& bulk) {
  if (bulk->from.cta != nullptr && bulk->from.cta->shared.empty()) return;
  Touch(bulk->op, bulk->from, bulk->bytes, false, false);
  bulk->data.assign(bulk->from.data(), bulk->from.data() + bulk->bytes);
  if (bulk->group != nullptr) {
    --bulk->group->unread;
    bulk->op.machine->Wake(bulk->op.cta);
  }
}

void WriteDestination(const std::shared_ptr<PendingBulk>& bulk) {
  const Inst& inst = *bulk->op.inst;
  if (bulk->data.empty()) return;
  if (bulk->to.cta != nullptr && bulk->to.cta->exited) {
    bulk->op.machine->ReportAt(
        bulk->op.cta, bulk->op.thread, &inst, "access to an exited CTA",
        "a bulk copy writes to a CTA that has exited", bulk->to.offset);
    return;
  }
  const bool reducing = (inst.flags & kReducing) != 0;
  Touch(bulk->write_op, bulk->to, bulk->bytes, true, reducing);
  if (reducing) {
    Reduce(static_cast<ReduceOp>((inst.flags >> kOpShift) & 0xF),
           static_cast<ReduceType>((inst.flags >> kTypeShift) & 0xF),
           bulk->data.data(), bulk->to.data(), bulk->bytes);
  } else {
    std::memcpy(bulk->to.data(), bulk->data.data(), bulk->bytes);
  }
  if (bulk->group != nullptr) {
    --bulk->group->pending;
    bulk->op.machine->Wake(bulk->op.cta);
  } else {
    bulk->write_op.CompleteTx(bulk->barrier_cta, bulk->barrier_offset,
                              bulk->bytes);
  }
}

void Issue(Warp& warp, const Inst& inst,
           const std::shared_ptr<PendingBulk>& bulk) {
  Machine& machine = *warp.machine;
  // The write to global memory needs no living CTA; one to shared does.
  const bool loads = bulk->to.cta != nullptr;
  uint64_t read =
      machine.Schedule(warp.cta, loads ? "" : "bulk copy", &inst,
                       bulk->op.thread, 0, [bulk] { ReadSource(bulk); });
  machine.Schedule(warp.cta, loads ? "bulk copy" : "", &inst, bulk->op.thread,
                   read, [bulk] { WriteDestination(bulk); });
  if (Timeline* timeline = machine.timeline(); timeline != nullptr && loads) {
    timeline->OnLoad(warp,
                     {{bulk->to.cta, static_cast<uint32_t>(bulk->to.offset)}},
                     bulk->bytes, std::to_string(bulk->bytes) + " bytes");
  }
}

// op[0] destination, op[1] source, op[2] size, op[3] mbarrier, op[4] mask;
// list: constant slots of the three address offsets.
Step BulkCopy(Warp& warp, const Inst& inst, uint32_t mask) {
  Machine& machine = *warp.machine;
  const int32_t* offsets = &machine.program().lists[inst.list];
  ForLanes(mask, [&](int lane) {
    auto at = [&](int op, int i) {
      return warp.Reg(inst.op[op])[lane] + warp.Reg(offsets[i])[lane];
    };
    uint64_t to = at(0, 0);
    uint64_t from = at(1, 1);
    uint32_t bytes = static_cast<uint32_t>(warp.Reg(inst.op[2])[lane]);
    if (bytes % 16 != 0 || to % 16 != 0 || from % 16 != 0) {
      machine.Report(warp, inst, lane, "misaligned access",
                     "addresses and size of a bulk copy are multiples of 16",
                     to % 16 != 0 ? to : from);
      return;
    }
    if (bytes == 0) return;
    auto bulk = std::make_shared<PendingBulk>();
    bulk->bytes = bytes;
    if (!FindEndpoint(warp, inst, lane, (inst.flags & kFromShared) != 0, true,
                      from, bytes, false, &bulk->from) ||
        !FindEndpoint(warp, inst, lane, (inst.flags & kToShared) != 0,
                      (inst.flags & kOwnCta) != 0, to, bytes, true,
                      &bulk->to)) {
      return;
    }
    Location barrier;
    if ((inst.flags & kToShared) != 0) {
      barrier = machine.LocateShared(warp, inst, lane,
                                     static_cast<uint32_t>(at(3, 2)), 8,
                                     (inst.flags & kOwnCta) != 0);
      if (barrier.data == nullptr) return;
    }
    bulk->op = BeginAsync(warp, inst, lane);
    bulk->write_op = bulk->op.SecondHalf();
    if ((inst.flags & kToShared) == 0) {
      bulk->group = JoinBulkGroup(warp, lane, bulk->op, bulk->write_op);
      Issue(warp, inst, bulk);
      return;
    }
    bulk->barrier_offset = static_cast<uint32_t>(barrier.offset);
    if ((inst.flags & kMulticast) == 0) {
      bulk->barrier_cta = barrier.cta;
      if (barrier.cta != bulk->to.cta) {
        machine.Report(warp, inst, lane, "bad bulk copy",
                       "the mbarrier must be in the destination's CTA");
        return;
      }
      Issue(warp, inst, bulk);
      return;
    }
    uint32_t targets =
        static_cast<uint32_t>(warp.Reg(inst.op[4])[lane] & 0xFFFF);
    const auto& ctas = warp.cta->cluster->ctas;
    if (targets == 0 || (targets >> ctas.size()) != 0) {
      machine.Report(warp, inst, lane, "bad multicast mask",
                     "the mask names no CTA, or one outside the cluster");
      return;
    }
    for (uint32_t t = targets; t != 0; t &= t - 1) {
      auto copy = std::make_shared<PendingBulk>(*bulk);
      copy->to.cta = ctas[static_cast<size_t>(__builtin_ctz(t))].get();
      copy->barrier_cta = copy->to.cta;
      Issue(warp, inst, copy);
    }
  });
  return Step::kNext;
}

Step Nothing(Warp&, const Inst&, uint32_t) { return Step::kNext; }

bool DecodeReduction(Modifiers& modifiers, Inst* inst) {
  const int op = TakeReduceOp(modifiers);
  if (op >= 0) inst->flags |= static_cast<uint32_t>(op) << kOpShift;
  modifiers.Take("noftz");
  Type type = modifiers.TakeType();
  ReduceType reduce;
  switch (type) {
    case Type::kU32:
      reduce = ReduceType::kU32;
      break;
    case Type::kS32:
      reduce = ReduceType::kS32;
      break;
    case Type::kU64:
      reduce = ReduceType::kU64;
      break;
    case Type::kS64:
      reduce = ReduceType::kS64;
      break;
    case Type::kF16:
      reduce = ReduceType::kF16;
      break;
    case Type::kBf16:
      reduce = ReduceType::kBf16;
      break;
    case Type::kF32:
      reduce = ReduceType::kF32;
      break;
    case Type::kF64:
      reduce = ReduceType::kF64;
      break;
    case Type::kB32:
      reduce = ReduceType::kB32;
      break;
    case Type::kB64:
      reduce = ReduceType::kB64;
      break;
    default:
      return false;
  }
  inst->flags |= static_cast<uint32_t>(reduce) << kTypeShift;
  inst->flags |= kReducing;
  return op >= 0;
}

}  // namespace

bool DecodeBulkCopy(DecodeContext& context, Modifiers& modifiers, Inst* inst,
                    bool reduce) {
  if (modifiers.Take("prefetch")) {
    modifiers.Take("L2");
    modifiers.Take("global");
    modifiers.TakePrefix("L2::");
    inst->handler = &Nothing;
    return context.Operands(2, 3);
  }
  // Order matters: destination space, then source space.
  const std::vector<std::string> parts = modifiers.parts();
  std::vector<std::string> spaces;
  for (const std::string& part : parts) {
    if (part == "global" || part == "shared::cta" ||
        part == "shared::cluster") {
      spaces.push_back(part);
      modifiers.Take(part);
    }
  }
  modifiers.TakePrefix("L2::cache_hint");
  if (modifiers.Take("cp_mask")) {
    return context.Fail("byte masks of bulk copies are not modelled");
  }
  if (spaces.size() != 2) return false;
  inst->handler = &BulkCopy;
  if (spaces[0] != "global") inst->flags |= kToShared;
  if (spaces[0] == "shared::cta") inst->flags |= kOwnCta;
  if (spaces[1] != "global") inst->flags |= kFromShared;
  bool group = modifiers.Take("bulk_group");
  bool barrier = modifiers.Take("mbarrier::complete_tx::bytes");
  if (group == barrier || barrier != ((inst->flags & kToShared) != 0)) {
    return false;
  }
  if (modifiers.Take("multicast::cluster")) inst->flags |= kMulticast;
  if (reduce && !DecodeReduction(modifiers, inst)) return false;
  int64_t offsets[3] = {0, 0, 0};
  if (!context.Operands(3, 6) ||
      !context.Address(0, &inst->op[0], &offsets[0]) ||
      !context.Address(1, &inst->op[1], &offsets[1]) ||
      !context.Source(2, Type::kU32, &inst->op[2])) {
    return false;
  }
  if (barrier && !context.Address(3, &inst->op[3], &offsets[2])) return false;
  if ((inst->flags & kMulticast) != 0 &&
      !context.Source(4, Type::kB16, &inst->op[4])) {
    return false;
  }
  std::vector<int32_t> slots;
  for (int64_t offset : offsets) {
    slots.push_back(context.ConstantSlotFor(ConstantSlot::Kind::kValue,
                                            static_cast<uint64_t>(offset)));
  }
  inst->list = context.AppendList(slots);
  inst->list_size = 3;
  return true;
}

}  // namespace tiletune::emulator
