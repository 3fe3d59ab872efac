// mbarrier instructions (PTX ISA 9.7.13.15).
#include <string>

#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"
#include "testing/emulator/machine/machine.h"
#include "testing/emulator/machine/memory_order.h"
#include "testing/emulator/machine/timeline.h"

namespace tiletune::emulator {
namespace {

// Inst::flags.
constexpr uint32_t kRelaxed = 1;
constexpr uint32_t kParity = 2;
constexpr uint32_t kTry = 4;
constexpr uint32_t kDrop = 8;
constexpr uint32_t kExpectTx = 16;
constexpr uint32_t kNoComplete = 32;
constexpr uint32_t kHasCount = 64;

// The shared memory behind the address operand (op[1] + imm); null data after
// a finding.
Location BarrierLocation(Warp& warp, const Inst& inst, int lane) {
  uint64_t address =
      warp.Reg(inst.op[1])[lane] + static_cast<uint64_t>(inst.imm);
  MemorySpace space = static_cast<MemorySpace>(inst.space);
  if (space == MemorySpace::kGeneric && !IsShared(address)) {
    warp.machine->Report(warp, inst, lane, "wrong state space",
                         "the generic address is not in shared memory",
                         address);
    return Location();
  }
  if (address % 8 != 0) {
    warp.machine->Report(warp, inst, lane, "misaligned access",
                         "an mbarrier is 8-byte aligned", address);
    return Location();
  }
  return warp.machine->LocateShared(warp, inst, lane,
                                    static_cast<uint32_t>(address), 8,
                                    space == MemorySpace::kShared);
}

Mbarrier* FindBarrier(Warp& warp, const Inst& inst, int lane, Location* at) {
  *at = BarrierLocation(warp, inst, lane);
  if (at->data == nullptr) return nullptr;
  Mbarrier* barrier = warp.machine->FindMbarrier(
      at->cta, static_cast<uint32_t>(at->offset), inst, warp.cta,
      warp.machine->ThreadIndex(warp, lane));
  if (barrier == nullptr || !warp.known.by_lane()) return barrier;
  const Moment& birth = barrier->birth();
  if (birth.actor != warp.actor || birth.lane != lane) {
    warp.machine->CheckVisible(*barrier, warp.known.Of(lane), inst, warp.cta,
                               warp.machine->ThreadIndex(warp, lane),
                               at->offset);
  }
  return barrier;
}

// The lanes of the mask that name the same mbarrier as `lane`.
uint32_t SameAddress(Warp& warp, const Inst& inst, uint32_t mask, int lane) {
  const uint64_t* addresses = warp.Reg(inst.op[1]);
  uint32_t same = 0;
  ForLanes(mask, [&](int other) {
    if (addresses[other] == addresses[lane]) same |= 1u << other;
  });
  return same;
}

Step Init(Warp& warp, const Inst& inst, uint32_t mask) {
  Machine& machine = *warp.machine;
  ForLanes(mask, [&](int lane) {
    Location at = BarrierLocation(warp, inst, lane);
    if (at.data == nullptr) return;
    uint64_t count = warp.Reg(inst.op[2])[lane] & 0xFFFFFFFF;
    if (count == 0 || count > static_cast<uint64_t>(Mbarrier::kMaxCount)) {
      machine.Report(
          warp, inst, lane, "bad mbarrier count",
          "the count " + std::to_string(count) + " is not in [1, 2^20-1]",
          at.offset);
      return;
    }
    uint32_t offset = static_cast<uint32_t>(at.offset);
    const int first = __builtin_ctz(SameAddress(warp, inst, mask, lane));
    if (!machine.strict() && first != lane &&
        (warp.Reg(inst.op[2])[first] & 0xFFFFFFFF) == count) {
      return;  // a whole warp writes one object, as in ThunderKittens' kernels
    }
    if (at.cta->FindMbarrier(offset) != nullptr) {
      machine.Report(warp, inst, lane, "mbarrier initialised twice",
                     "the location already holds an mbarrier object; "
                     "mbarrier.inval must come first",
                     at.offset);
    }
    Mbarrier& barrier = at.cta->mbarriers[offset];
    barrier.Init(static_cast<uint32_t>(count));
    barrier.set_birth({warp.actor, warp.known.clock(),
                       warp.known.by_lane() ? lane : -1, inst.line});
    at.cta->is_mbarrier[offset / 8] = 1;
    at.cta->shared_shadow->Forget(offset, 8);
  });
  machine.Progress();
  return Step::kNext;
}

Step Invalidate(Warp& warp, const Inst& inst, uint32_t mask) {
  ForLanes(mask, [&](int lane) {
    Location at;
    if (FindBarrier(warp, inst, lane, &at) == nullptr) return;
    uint32_t offset = static_cast<uint32_t>(at.offset);
    for (auto& other : at.cta->warps) {
      for (Fragment& fragment : other->fragments) {
        if (fragment.wait_barrier != nullptr &&
            fragment.wait_offset == offset && fragment.waiting) {
          warp.machine->Fatal(warp, inst, lane, "mbarrier invalidated",
                              "a thread still waits on the mbarrier",
                              at.offset);
          return;
        }
        fragment.wait_barrier = nullptr;
      }
    }
    at.cta->mbarriers.erase(offset);
    at.cta->is_mbarrier[offset / 8] = 0;
    at.cta->shared_shadow->Forget(offset, 8);
  });
  return Step::kNext;
}

Step ExpectTx(Warp& warp, const Inst& inst, uint32_t mask) {
  ForLanes(mask, [&](int lane) {
    Location at;
    Mbarrier* barrier = FindBarrier(warp, inst, lane, &at);
    if (barrier == nullptr) return;
    uint32_t bytes = static_cast<uint32_t>(warp.Reg(inst.op[2])[lane]);
    if (const char* wrong = barrier->ExpectTx(bytes)) {
      warp.machine->Report(warp, inst, lane, "mbarrier transaction overflow",
                           wrong, at.offset);
    }
  });
  warp.machine->Progress();
  return Step::kNext;
}

Step CompleteTx(Warp& warp, const Inst& inst, uint32_t mask) {
  ForLanes(mask, [&](int lane) {
    Location at;
    if (FindBarrier(warp, inst, lane, &at) == nullptr) return;
    warp.machine->CompleteTx(at.cta, static_cast<uint32_t>(at.offset),
                             static_cast<uint32_t>(warp.Reg(inst.op[2])[lane]),
                             Knowledge(), inst, warp.cta,
                             warp.machine->ThreadIndex(warp, lane));
  });
  return Step::kNext;
}

// Adds what the lanes know to the phase. Threads of the barrier's own CTA wait
// for it: with CTA scope they see nothing that lanes of another CTA did.
void Publish(Warp& warp, const Inst& inst, uint32_t lanes, bool is_remote,
             Mbarrier* barrier) {
  const bool relaxed = (inst.flags & kRelaxed) != 0;
  const auto release = [&](Knowledge* to, Scope scope) {
    if (relaxed) {
      warp.known.ReleaseFenced(lanes, to, scope);
    } else {
      warp.known.ReleaseTo(lanes, to);
    }
  };
  if (!is_remote || !warp.machine->strict()) {
    release(barrier->gathering(), Scope::kCta);
    return;
  }
  Knowledge unseen;
  release(&unseen, Scope::kCta);
  unseen.Hide();
  barrier->gathering()->Join(unseen);
  if (inst.scope >= Scope::kCluster) {
    release(barrier->gathering_for_cluster(), Scope::kCluster);
  }
}

// arrive, arrive_drop, with or without expect_tx. op[0] state, op[2] count or
// transaction bytes.
Step Arrive(Warp& warp, const Inst& inst, uint32_t mask) {
  Machine& machine = *warp.machine;
  uint64_t* state = warp.Reg(inst.op[0]);
  const Mbarrier* told = nullptr;
  ForLanes(mask, [&](int lane) {
    Location at;
    Mbarrier* barrier = FindBarrier(warp, inst, lane, &at);
    if (barrier == nullptr) return;
    uint32_t operand = static_cast<uint32_t>(warp.Reg(inst.op[2])[lane]);
    uint32_t count = 1;
    const char* wrong = nullptr;
    if ((inst.flags & kExpectTx) != 0) {
      wrong = barrier->ExpectTx(operand);
      if (wrong != nullptr) {
        machine.Report(warp, inst, lane, "mbarrier transaction overflow", wrong,
                       at.offset);
      }
    } else if ((inst.flags & kHasCount) != 0) {
      count = operand;
    }
    state[lane] = barrier->State();
    if (barrier != told) {
      told = barrier;  // usually all lanes arrive on one barrier
      if (Timeline* timeline = machine.timeline()) {
        timeline->OnMbarrierSignal(at.cta, static_cast<uint32_t>(at.offset),
                                   inst);
      }
      Publish(warp, inst, SameAddress(warp, inst, mask, lane),
              at.cta != warp.cta, barrier);
    }
    uint64_t phase = barrier->phase();
    wrong = (inst.flags & kDrop) != 0 ? barrier->ArriveDrop(count)
                                      : barrier->Arrive(count);
    if (wrong != nullptr) {
      machine.Report(warp, inst, lane, "mbarrier phase overrun", wrong,
                     at.offset);
    }
    if (barrier->phase() != phase) {
      if ((inst.flags & kNoComplete) != 0) {
        machine.Report(warp, inst, lane, "mbarrier phase overrun",
                       "arrive.noComplete completed the phase", at.offset);
      }
      machine.Wake(at.cta);
    }
  });
  if ((inst.flags & kRelaxed) == 0) warp.known.NextEpoch();
  machine.Progress();
  return Step::kYield;
}

// test_wait and try_wait. op[0] predicate, op[2] parity or state.
Step Wait(Warp& warp, const Inst& inst, uint32_t mask) {
  Machine& machine = *warp.machine;
  Fragment& fragment = warp.Current();
  uint32_t done = 0;
  bool bad = false;
  uint64_t phase = 0;
  Location last;
  const Mbarrier* learned = nullptr;
  uint32_t learners = 0;
  auto learn = [&] {
    if (learned == nullptr) return;
    const bool is_wide = inst.scope >= Scope::kCluster;
    if ((inst.flags & kRelaxed) == 0) {
      warp.known.Acquire(learners, learned->published());
      if (is_wide) {
        warp.known.Acquire(learners, learned->published_for_cluster());
      }
    } else {
      warp.known.AcquireLater(learners, learned->published());
      if (is_wide) {
        warp.known.AcquireLater(learners, learned->published_for_cluster(),
                                Scope::kCluster);
      }
    }
  };
  const uint64_t* operand = warp.Reg(inst.op[2]);
  ForLanes(mask, [&](int lane) {
    Location at;
    Mbarrier* barrier = FindBarrier(warp, inst, lane, &at);
    if (barrier == nullptr) {
      bad = true;
      return;
    }
    bool ready = (inst.flags & kParity) != 0
                     ? barrier->ParityDone(operand[lane] & 1)
                     : barrier->StateDone(operand[lane]);
    phase = barrier->phase();
    last = at;
    if (ready) {
      done |= 1u << lane;
      if (barrier != learned) {
        learn();
        learned = barrier;  // usually all lanes wait on one barrier
        learners = 0;
      }
      learners |= 1u << lane;
    } else {
      fragment.wait_barrier = barrier;
      fragment.wait_offset = static_cast<uint32_t>(at.offset);
      fragment.wait_parity = static_cast<uint32_t>(operand[lane] & 1);
    }
  });
  learn();
  if (bad) {
    machine.Stop();
  } else if (Timeline* timeline = machine.timeline()) {
    timeline->OnMbarrierWait(
        warp, inst, mask, done, last.cta, static_cast<uint32_t>(last.offset),
        done != 0 ? phase - 1 : phase, operand[__builtin_ctz(mask)]);
  }
  if (fragment.waiting && phase > fragment.token + 1 && done == 0) {
    machine.Report(warp, inst, __builtin_ctz(mask), "mbarrier phase overrun",
                   "the phase that the thread waits for completed, and the "
                   "next one as well, before the thread saw it",
                   fragment.wait_offset);
  }
  // try_wait suspends until the phase completes; it times out now and then, as
  // hardware may, and when nothing else happens (Machine::TimeOutWaits).
  // test_wait never suspends.
  if (done == 0 && (inst.flags & kTry) != 0 && !fragment.timed_out) {
    if (fragment.waiting || !machine.random().Chance(1.0 / 16)) {
      if (!fragment.waiting) {
        fragment.waiting = true;
        fragment.may_time_out = true;
        fragment.token = phase;
      }
      fragment.wait_note = "waits for the phase";
      return Step::kBlocked;
    }
  }
  fragment.waiting = false;
  fragment.may_time_out = false;
  fragment.timed_out = false;
  uint32_t& p = warp.Pred(inst.op[0]);
  p = (p & ~mask) | done;
  return done == mask ? Step::kNext : Step::kYield;
}

Step PendingCount(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* state = warp.Reg(inst.op[2]);
  ForLanes(mask, [&](int lane) { d[lane] = (state[lane] >> 20) & 0xFFFFF; });
  return Step::kNext;
}

MemorySpace TakeSharedSpace(Modifiers& modifiers) {
  if (modifiers.Take("shared::cluster")) return MemorySpace::kSharedCluster;
  if (modifiers.Take("shared") || modifiers.Take("shared::cta")) {
    return MemorySpace::kShared;
  }
  return MemorySpace::kGeneric;
}

bool DecodeMbarrier(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  modifiers.Take("b64");
  inst->space = static_cast<uint8_t>(TakeSharedSpace(modifiers));
  if (modifiers.Take("relaxed")) inst->flags |= kRelaxed;
  modifiers.Take("release");
  modifiers.Take("acquire");
  TakeScope(modifiers, Scope::kCta, inst);
  if (modifiers.Take("init")) {
    inst->handler = &Init;
    return context.Operands(2) &&
           context.Address(0, &inst->op[1], &inst->imm) &&
           context.Source(1, Type::kU32, &inst->op[2]);
  }
  if (modifiers.Take("inval")) {
    inst->handler = &Invalidate;
    return context.Operands(1) && context.Address(0, &inst->op[1], &inst->imm);
  }
  if (modifiers.Take("pending_count")) {
    inst->handler = &PendingCount;
    return context.Operands(2) && context.Dest(0, &inst->op[0]) &&
           context.Source(1, Type::kB64, &inst->op[2]);
  }
  if (modifiers.Take("complete_tx")) {
    inst->handler = &CompleteTx;
    return context.Operands(2) &&
           context.Address(0, &inst->op[1], &inst->imm) &&
           context.Source(1, Type::kU32, &inst->op[2]);
  }
  bool drop = modifiers.Take("arrive_drop");
  bool arrive = drop || modifiers.Take("arrive");
  bool expect = modifiers.Take("expect_tx");
  if (arrive) {
    inst->handler = &Arrive;
    if (drop) inst->flags |= kDrop;
    if (expect) inst->flags |= kExpectTx;
    if (modifiers.Take("noComplete")) inst->flags |= kNoComplete;
    if (!context.Operands(1, 3)) return false;
    // The state may be omitted for shared::cluster.
    size_t address =
        context.Operand(0).kind == ptx::Operand::Kind::kAddress ? 0 : 1;
    if (address == 1 && !context.Dest(0, &inst->op[0])) return false;
    if (!context.Address(address, &inst->op[1], &inst->imm)) return false;
    if (context.OperandCount() > address + 1) {
      inst->flags |= kHasCount;
      return context.Source(address + 1, Type::kU32, &inst->op[2]);
    }
    return !expect;
  }
  if (expect) {
    inst->handler = &ExpectTx;
    return context.Operands(2) &&
           context.Address(0, &inst->op[1], &inst->imm) &&
           context.Source(1, Type::kU32, &inst->op[2]);
  }
  bool try_wait = modifiers.Take("try_wait");
  if (!try_wait && !modifiers.Take("test_wait")) return false;
  inst->handler = &Wait;
  if (try_wait) inst->flags |= kTry;
  if (modifiers.Take("parity")) inst->flags |= kParity;
  // A suspend-time hint may follow.
  return context.Operands(3, 4) && context.PredDest(0, &inst->op[0]) &&
         context.Address(1, &inst->op[1], &inst->imm) &&
         context.Source(2,
                        (inst->flags & kParity) != 0 ? Type::kU32 : Type::kB64,
                        &inst->op[2]);
}

}  // namespace

void RegisterMbarrier(DecoderTable* table) {
  (*table)["mbarrier"] = &DecodeMbarrier;
}

}  // namespace tiletune::emulator
