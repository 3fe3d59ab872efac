// The tcgen05.* opcodes: chooses the instruction; commit, fences and cp
// (PTX ISA 9.7.16.9, 9.7.16.11, 9.7.16.12).
#include <memory>
#include <string>
#include <vector>

#include "testing/emulator/engines/tmem_copy.h"
#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"
#include "testing/emulator/machine/machine.h"
#include "testing/emulator/machine/tensor_memory.h"

namespace tiletune::emulator {
namespace {

// Inst::flags of commit.
constexpr uint32_t kMulticast = 1;
constexpr uint32_t kPair = 2;
constexpr uint32_t kGeneric = 4;

// Arrives on the mbarrier once all earlier tcgen05 operations of the thread
// are complete. Implies fence::before_thread_sync.
Step Commit(Warp& warp, const Inst& inst, uint32_t mask) {
  Machine& machine = *warp.machine;
  ForLanes(mask, [&](int lane) {
    CheckCtaGroup(warp, inst, lane, (inst.flags & kPair) != 0 ? 2 : 1);
    uint64_t address =
        warp.Reg(inst.op[0])[lane] + static_cast<uint64_t>(inst.imm);
    if ((inst.flags & kGeneric) != 0 && !IsShared(address)) {
      machine.Report(warp, inst, lane, "wrong state space",
                     "the generic address is not in shared memory", address);
      return;
    }
    Location at = machine.LocateShared(
        warp, inst, lane, static_cast<uint32_t>(address), 8, false);
    if (at.data == nullptr) return;
    const auto& ctas = warp.cta->cluster->ctas;
    uint32_t targets = 1u << at.cta->rank;
    if ((inst.flags & kMulticast) != 0) {
      targets = static_cast<uint32_t>(warp.Reg(inst.op[1])[lane] & 0xFFFF);
      if (targets == 0 || (targets >> ctas.size()) != 0) {
        machine.Report(warp, inst, lane, "bad multicast mask",
                       "the mask names no CTA, or one outside the cluster");
        return;
      }
    }
    warp.known.TensorFenceBefore(1u << lane, warp.tensor_done);
    auto knowledge =
        std::make_shared<Knowledge>(*warp.known.Snapshot(1u << lane));
    knowledge->order.Set(warp.pipe_actor, warp.pipe_clock);
    warp.known.NextEpoch();
    Cta* issuer = warp.cta;
    const int thread = machine.ThreadIndex(warp, lane);
    const Inst* source = &inst;
    const uint32_t offset = static_cast<uint32_t>(at.offset);
    for (uint32_t t = targets; t != 0; t &= t - 1) {
      Cta* target = ctas[static_cast<size_t>(__builtin_ctz(t))].get();
      // The signal takes its own time after the operations it tracks: nothing
      // orders the signals of two commits (PTX ISA 9.7.16.6.2, 9.7.16.12.1).
      machine.Schedule(
          issuer, "tcgen05.commit", &inst, thread, warp.pipe_due,
          [&machine, issuer, target, offset, knowledge, source, thread] {
            machine.Schedule(
                issuer, "tcgen05.commit signal", source, thread, 0,
                [&machine, issuer, target, offset, knowledge, source, thread] {
                  machine.ArriveOn(target, offset, 1, *knowledge, *source,
                                   issuer, thread);
                });
          });
    }
  });
  return Step::kNext;
}

bool DecodeCommit(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  int group;
  if (!TakeCtaGroup(modifiers, &group) ||
      !modifiers.Take("mbarrier::arrive::one")) {
    return false;
  }
  inst->handler = &Commit;
  if (group == 2) inst->flags |= kPair;
  if (!modifiers.Take("shared::cluster")) inst->flags |= kGeneric;
  bool multicast = modifiers.Take("multicast::cluster");
  modifiers.Take("b64");
  if (!context.Operands(multicast ? 2 : 1)) return false;
  // The mbarrier is written both as [address] and as a bare register.
  const ptx::Operand& barrier = context.Operand(0);
  bool ok = barrier.kind == ptx::Operand::Kind::kAddress
                ? context.Address(0, &inst->op[0], &inst->imm)
                : context.Source(0, Type::kB64, &inst->op[0]);
  if (!ok) return false;
  if (!multicast) return true;
  inst->flags |= kMulticast;
  return context.Source(1, Type::kB16, &inst->op[1]);
}

Step FenceBefore(Warp& warp, const Inst&, uint32_t mask) {
  warp.known.TensorFenceBefore(mask, warp.tensor_done);
  return Step::kNext;
}

Step FenceAfter(Warp& warp, const Inst&, uint32_t mask) {
  warp.known.TensorFenceAfter(mask);
  return Step::kNext;
}

struct PendingCopy {
  Machine* machine;
  const Inst* inst;
  Cta* cta;
  Cta* members[2];
  int member_count;
  int thread;
  TmemCopy copy;
  uint64_t descriptor;
  TmemAddress base;
  KnowledgePtr issued;
  KnowledgePtr shared;  // for accesses to shared memory
  KnowledgePtr tensor;  // for those to Tensor Memory
  uint32_t actor;
  uint32_t clock;
};

void ExecuteCopy(const PendingCopy& pending) {
  Machine& machine = *pending.machine;
  Access access;
  access.actor = pending.actor;
  access.clock = pending.clock;
  access.async = true;
  access.line = pending.inst->line;
  access.thread = pending.thread;
  access.knowledge = pending.shared.get();
  Access tensor_access = access;
  access.unfenced = pending.issued.get();
  tensor_access.async = false;
  tensor_access.knowledge = pending.tensor.get();
  SmemDescriptor descriptor =
      DecodeSmemDescriptor(DescriptorKind::kTcgen05, pending.descriptor);
  const int rows = CopyRows(pending.copy.shape);
  const int chunks = CopyChunks(pending.copy.shape);
  for (int i = 0; i < pending.member_count; ++i) {
    Cta* cta = pending.members[i];
    uint32_t* words = TensorWords(cta->sm);
    // Every chunk of 16 bytes is an "element" row of bytes along K.
    OperandView view;
    view.descriptor = descriptor;
    view.majorness = Majorness::kK;
    view.element = ElementOf(Format::kU8);
    view.rows = rows;
    view.depth = chunks * 16;
    std::vector<ByteRange> ranges;
    TouchedRanges(view, &ranges);
    for (const ByteRange& range : ranges) {
      if (cta->exited || range.end > cta->shared.size()) {
        machine.ReportAt(
            pending.cta, pending.thread, pending.inst, "out of bounds",
            "the source leaves the CTA's shared memory", range.begin);
        return;
      }
      machine.CheckSharedInitialised(cta, range.begin, range.end - range.begin,
                                     *pending.inst, pending.cta,
                                     pending.thread);
      machine.TouchShared(cta, range.begin, range.end - range.begin, false,
                          access, *pending.inst, pending.cta);
    }
    for (const TmemMove& move : CopyMoves(pending.copy)) {
      TouchTensor(machine, cta, pending.base.lane + move.lane, 1,
                  pending.base.column + move.column, 4, true, tensor_access,
                  *pending.inst, pending.cta);
    }
    if (!RunTmemCopy(pending.copy, descriptor, pending.base, cta->shared.data(),
                     static_cast<uint32_t>(cta->shared.size()), words)) {
      machine.ReportAt(pending.cta, pending.thread, pending.inst,
                       "out of bounds",
                       "the source leaves the CTA's shared memory",
                       descriptor.start_address);
    }
  }
}

Step Copy(Warp& warp, const Inst& inst, uint32_t mask) {
  Machine& machine = *warp.machine;
  ForLanes(mask, [&](int lane) {
    auto pending = std::make_shared<PendingCopy>();
    const bool pair = (inst.flags & kPair) != 0;
    CheckCtaGroup(warp, inst, lane, pair ? 2 : 1);
    pending->machine = &machine;
    pending->inst = &inst;
    pending->cta = warp.cta;
    pending->member_count = pair ? 2 : 1;
    pending->members[0] = warp.cta;
    pending->members[1] = nullptr;
    if (pair) {
      uint32_t even = warp.cta->rank & ~1u;
      const auto& ctas = warp.cta->cluster->ctas;
      if (even + 1 >= ctas.size()) {
        machine.Fatal(warp, inst, lane, "bad tensor copy",
                      ".cta_group::2 needs a cluster with CTA pairs");
        return;
      }
      pending->members[0] = ctas[even].get();
      pending->members[1] = ctas[even + 1].get();
    }
    pending->thread = machine.ThreadIndex(warp, lane);
    pending->copy.shape = static_cast<TmemCopyShape>(inst.kind);
    pending->copy.multicast = static_cast<TmemMulticast>(inst.bytes);
    pending->copy.decompression = static_cast<Decompression>(inst.space);
    pending->base = SplitTmemAddress(static_cast<uint32_t>(
        warp.Reg(inst.op[0])[lane] + static_cast<uint64_t>(inst.imm)));
    pending->descriptor = warp.Reg(inst.op[1])[lane];
    Findings wrong = CheckTmemCopy(pending->copy, pending->base);
    if (wrong.empty()) {
      wrong = CheckSmemDescriptor(DescriptorKind::kTcgen05, pending->descriptor,
                                  Majorness::kK, ElementOf(Format::kU8));
    }
    if (!wrong.empty()) {
      machine.Fatal(warp, inst, lane, "bad tensor copy", wrong.front());
      return;
    }
    pending->issued = warp.known.Snapshot(1u << lane);
    pending->shared = TensorSharedKnowledge(warp, lane, pending->issued);
    pending->tensor = TensorKnowledge(machine, pending->issued);
    pending->actor = warp.pipe_actor;
    pending->clock = ++warp.pipe_clock;
    warp.pipe_due =
        machine.Schedule(warp.cta, "tcgen05.cp", &inst, pending->thread,
                         warp.pipe_due, [pending] { ExecuteCopy(*pending); });
  });
  return Step::kNext;
}

}  // namespace

bool DecodeTensorCp(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  int group;
  if (!TakeCtaGroup(modifiers, &group)) return false;
  if (group == 2) inst->flags |= kPair;
  const char* const kShapes[] = {"128x256b", "4x256b", "128x128b", "64x128b",
                                 "32x128b"};
  bool found = false;
  for (uint8_t i = 0; i < 5; ++i) {
    if (modifiers.Take(kShapes[i])) {
      inst->kind = i;
      found = true;
    }
  }
  if (!found) return false;
  TmemMulticast multicast = TmemMulticast::kNone;
  if (modifiers.Take("warpx2::02_13")) multicast = TmemMulticast::kWarpx2_02_13;
  if (modifiers.Take("warpx2::01_23")) multicast = TmemMulticast::kWarpx2_01_23;
  if (modifiers.Take("warpx4")) multicast = TmemMulticast::kWarpx4;
  inst->bytes = static_cast<uint8_t>(multicast);
  Decompression decompression = Decompression::kNone;
  if (modifiers.Take("b8x16")) {
    if (modifiers.Take("b4x16_p64")) {
      decompression = Decompression::kB4x16P64;
    } else if (modifiers.Take("b6x16_p32")) {
      decompression = Decompression::kB6x16P32;
    } else {
      return false;
    }
  }
  inst->space = static_cast<uint8_t>(decompression);
  inst->handler = &Copy;
  return context.Operands(2) && context.Address(0, &inst->op[0], &inst->imm) &&
         context.Source(1, Type::kB64, &inst->op[1]);
}

namespace {

bool DecodeTcgen05(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  if (modifiers.Take("alloc")) {
    return DecodeTensorAlloc(context, modifiers, inst);
  }
  if (modifiers.Take("dealloc")) {
    return DecodeTensorDealloc(context, modifiers, inst);
  }
  if (modifiers.Take("relinquish_alloc_permit")) {
    return DecodeTensorRelinquish(context, modifiers, inst);
  }
  if (modifiers.Take("ld")) return DecodeTensorLoad(context, modifiers, inst);
  if (modifiers.Take("st")) return DecodeTensorStore(context, modifiers, inst);
  if (modifiers.Take("mma")) return DecodeTensorMma(context, modifiers, inst);
  if (modifiers.Take("cp")) return DecodeTensorCp(context, modifiers, inst);
  if (modifiers.Take("commit")) return DecodeCommit(context, modifiers, inst);
  if (modifiers.Take("fence::before_thread_sync")) {
    inst->handler = &FenceBefore;
    return context.Operands(0);
  }
  if (modifiers.Take("fence::after_thread_sync")) {
    inst->handler = &FenceAfter;
    return context.Operands(0);
  }
  return DecodeTensorWait(context, modifiers, inst);
}

}  // namespace

void RegisterTensorCore(DecoderTable* table) {
  (*table)["tcgen05"] = &DecodeTcgen05;
}

}  // namespace tiletune::emulator
