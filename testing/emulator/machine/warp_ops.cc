// Warp-wide instructions (PTX ISA 9.7.9.6 shfl.sync, 9.7.13.8 vote, match,
// redux, elect, activemask, bar.warp).
#include <algorithm>
#include <string>

#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"
#include "testing/emulator/machine/machine.h"

namespace tiletune::emulator {
namespace {

// The lanes of `mask` that name the same membermask, in op[7], as `lane`.
uint32_t GroupOf(Warp& warp, const Inst& inst, uint32_t mask, int lane) {
  const uint64_t* members = warp.Reg(inst.op[7]);
  uint32_t group = 0;
  ForLanes(mask, [&](int other) {
    const bool same = static_cast<uint32_t>(members[other]) ==
                      static_cast<uint32_t>(members[lane]);
    group |= static_cast<uint32_t>(same) << other;
  });
  return group;
}

uint32_t MembersOf(Warp& warp, const Inst& inst, int lane) {
  return static_cast<uint32_t>(warp.Reg(inst.op[7])[lane]);
}

// "Undefined if the executing thread is not in the membermask": PTX ISA of
// every .sync instruction.
void CheckMembership(Warp& warp, const Inst& inst, uint32_t group,
                     uint32_t members) {
  const uint32_t outside = group & ~members;
  if (outside == 0) return;
  warp.machine->Report(
      warp, inst, __builtin_ctz(outside), "bad membermask",
      "a lane executes the instruction but is not in its membermask");
}

// True when all live lanes of the membermask that the lanes of `group` name
// are there; otherwise the fragment, which executes `mask`, waits for them.
bool IsComplete(Warp& warp, const Inst& inst, uint32_t mask, uint32_t group) {
  Fragment& fragment = warp.Current();
  const int lane = __builtin_ctz(group);
  const uint32_t members = MembersOf(warp, inst, lane);
  CheckMembership(warp, inst, group, members);
  const uint32_t missing = members & warp.live & ~group;
  if (missing == 0) return true;
  if ((missing & mask) != 0) {
    warp.machine->Report(warp, inst, __builtin_ctz(missing & mask),
                         "bad membermask",
                         "lanes of one membermask name another one");
    return true;
  }
  // Lanes of the fragment that the guard switched off never arrive.
  if ((missing & ~fragment.mask) == 0) {
    warp.machine->Report(warp, inst, lane, "bad membermask",
                         "lanes in the membermask skip the instruction");
    return true;
  }
  fragment.WaitFor("waits for lanes of its membermask");
  return false;
}

// A .sync instruction whose effect on the lanes that name one membermask is
// Run. Different ones are different operations, at the same time.
template <Step (*Run)(Warp&, const Inst&, uint32_t)>
Step ByMembers(Warp& warp, const Inst& inst, uint32_t mask) {
  uint32_t first = 0;
  for (uint32_t left = mask; left != 0;) {
    const uint32_t group = GroupOf(warp, inst, left, __builtin_ctz(left));
    if (first == 0) first = group;
    if (!IsComplete(warp, inst, mask, group)) return Step::kBlocked;
    left &= ~group;
  }
  if (first == mask) return Run(warp, inst, mask);
  for (uint32_t left = mask; left != 0;) {
    const uint32_t group = GroupOf(warp, inst, left, __builtin_ctz(left));
    Run(warp, inst, group);
    left &= ~group;
  }
  return Step::kNext;
}

// Values are exchanged through this copy, since d may be a.
struct Lanes {
  explicit Lanes(const uint64_t* from) { std::copy(from, from + 32, v); }
  uint64_t v[32];
};

// In the order of their names in DecodeShfl.
enum class ShuffleMode : uint8_t { kUp, kDown, kBfly, kIdx };

Step Shuffle(Warp& warp, const Inst& inst, uint32_t mask) {
  Lanes a(warp.Reg(inst.op[2]));
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* b = warp.Reg(inst.op[3]);
  const uint64_t* c = warp.Reg(inst.op[4]);
  Lanes lane_b(b);
  uint32_t inside = 0;
  ForLanes(mask, [&](int lane) {
    int bval = static_cast<int>(lane_b.v[lane] & 0x1F);
    int cval = static_cast<int>(c[lane] & 0x1F);
    int segment = static_cast<int>((c[lane] >> 8) & 0x1F);
    int max_lane = (lane & segment) | (cval & ~segment & 0x1F);
    int min_lane = lane & segment;
    int j = 0;
    bool p = false;
    switch (static_cast<ShuffleMode>(inst.kind)) {
      case ShuffleMode::kUp:
        j = lane - bval;
        p = j >= max_lane;
        break;
      case ShuffleMode::kDown:
        j = lane + bval;
        p = j <= max_lane;
        break;
      case ShuffleMode::kBfly:
        j = lane ^ bval;
        p = j <= max_lane;
        break;
      case ShuffleMode::kIdx:
        j = min_lane | (bval & ~segment & 0x1F);
        p = j <= max_lane;
        break;
    }
    if (!p) j = lane;
    if ((mask >> j & 1) == 0) {
      warp.machine->Report(warp, inst, lane, "undefined value",
                           "shfl reads lane " + std::to_string(j) +
                               ", which does not take part");
    }
    d[lane] = a.v[j];
    inside |= static_cast<uint32_t>(p) << lane;
  });
  uint32_t& p = warp.Pred(inst.op[1]);
  p = (p & ~mask) | (inside & mask);
  return Step::kNext;
}

bool DecodeShfl(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  if (!modifiers.Take("sync")) return false;
  inst->handler = &ByMembers<&Shuffle>;
  const int mode = modifiers.TakeOneOf({"up", "down", "bfly", "idx"});
  if (mode < 0) return false;
  inst->kind = static_cast<uint8_t>(mode);
  if (modifiers.TakeType() != Type::kB32 || !context.Operands(5)) return false;
  const ptx::Operand& dest = context.Operand(0);
  if (dest.kind == ptx::Operand::Kind::kPair) {
    if (!context.DestOf(dest.elements[0], &inst->op[0]) ||
        !context.PredDestOf(dest.elements[1], &inst->op[1])) {
      return false;
    }
  } else if (!context.Dest(0, &inst->op[0])) {
    return false;
  }
  return context.Source(1, Type::kB32, &inst->op[2]) &&
         context.Source(2, Type::kB32, &inst->op[3]) &&
         context.Source(3, Type::kB32, &inst->op[4]) &&
         context.Source(4, Type::kB32, &inst->op[7]);
}

// In the order of their names in DecodeVote.
enum class VoteMode : uint8_t { kAll, kAny, kUni, kBallot };

Step Vote(Warp& warp, const Inst& inst, uint32_t mask) {
  uint32_t p =
      inst.flags & 2 ? (inst.imm != 0 ? kFullMask : 0) : warp.Pred(inst.op[1]);
  if ((inst.flags & 1) != 0) p = ~p;
  p &= mask;
  if (static_cast<VoteMode>(inst.kind) == VoteMode::kBallot) {
    uint64_t* d = warp.Reg(inst.op[0]);
    ForLanes(mask, [&](int lane) { d[lane] = p; });
    return Step::kNext;
  }
  bool result = false;
  switch (static_cast<VoteMode>(inst.kind)) {
    case VoteMode::kAll:
      result = p == mask;
      break;
    case VoteMode::kAny:
      result = p != 0;
      break;
    default:
      result = p == 0 || p == mask;
  }
  uint32_t& d = warp.Pred(inst.op[0]);
  d = (d & ~mask) | (result ? mask : 0);
  return Step::kNext;
}

bool DecodeVote(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  if (!modifiers.Take("sync")) return false;
  inst->handler = &ByMembers<&Vote>;
  const int mode = modifiers.TakeOneOf({"all", "any", "uni", "ballot"});
  if (mode < 0) return false;
  inst->kind = static_cast<uint8_t>(mode);
  Type type = modifiers.TakeType();
  if (!context.Operands(3)) return false;
  bool ok = type == Type::kB32 ? context.Dest(0, &inst->op[0])
                               : context.PredDest(0, &inst->op[0]);
  if (context.Operand(1).kind == ptx::Operand::Kind::kImmediate) {
    inst->flags |= 2;
    inst->imm = context.Operand(1).imm;
  } else {
    bool negated = false;
    ok = ok && context.PredSource(1, &inst->op[1], &negated);
    if (negated) inst->flags |= 1;
  }
  return ok && context.Source(2, Type::kB32, &inst->op[7]);
}

// elect.sync (PTX ISA 9.7.13.14): the lowest lane of the membermask.
Step Elect(Warp& warp, const Inst& inst, uint32_t mask) {
  uint32_t leader = static_cast<uint32_t>(__builtin_ctz(mask));
  uint64_t* d = warp.Reg(inst.op[0]);
  ForLanes(mask, [&](int lane) { d[lane] = leader; });
  uint32_t& p = warp.Pred(inst.op[1]);
  p = (p & ~mask) | (1u << leader);
  return Step::kNext;
}

bool DecodeElect(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  inst->handler = &ByMembers<&Elect>;
  if (!modifiers.Take("sync") || !context.Operands(2)) return false;
  const ptx::Operand& dest = context.Operand(0);
  if (dest.kind != ptx::Operand::Kind::kPair) return false;
  return context.DestOf(dest.elements[0], &inst->op[0]) &&
         context.PredDestOf(dest.elements[1], &inst->op[1]) &&
         context.Source(1, Type::kB32, &inst->op[7]);
}

Step ActiveMask(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  ForLanes(mask, [&](int lane) { d[lane] = mask; });
  return Step::kNext;
}

bool DecodeActiveMask(DecodeContext& context, Modifiers& modifiers,
                      Inst* inst) {
  inst->handler = &ActiveMask;
  return modifiers.TakeType() == Type::kB32 && context.Operands(1) &&
         context.Dest(0, &inst->op[0]);
}

enum class ReduceMode : uint8_t { kAdd, kMin, kMax, kAnd, kOr, kXor };

template <typename T>
Step Reduction(Warp& warp, const Inst& inst, uint32_t mask) {
  Lanes a(warp.Reg(inst.op[1]));
  bool first = true;
  T result = 0;
  ForLanes(mask, [&](int lane) {
    T x = Value<T>(a.v[lane]);
    if (first) {
      result = x;
      first = false;
      return;
    }
    switch (static_cast<ReduceMode>(inst.kind)) {
      case ReduceMode::kAdd:
        result = static_cast<T>(static_cast<uint32_t>(result) +
                                static_cast<uint32_t>(x));
        break;
      case ReduceMode::kMin:
        result = std::min(result, x);
        break;
      case ReduceMode::kMax:
        result = std::max(result, x);
        break;
      case ReduceMode::kAnd:
        result &= x;
        break;
      case ReduceMode::kOr:
        result |= x;
        break;
      case ReduceMode::kXor:
        result ^= x;
        break;
    }
  });
  uint64_t* d = warp.Reg(inst.op[0]);
  ForLanes(mask, [&](int lane) { d[lane] = Bits(result); });
  return Step::kNext;
}

bool DecodeRedux(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  if (!modifiers.Take("sync")) return false;
  const char* const kNames[] = {"add", "min", "max", "and", "or", "xor"};
  bool found = false;
  for (uint8_t i = 0; i < 6; ++i) {
    if (modifiers.Take(kNames[i])) {
      inst->kind = i;
      found = true;
    }
  }
  Type type = modifiers.TakeType();
  if (!found) return false;
  if (type == Type::kS32) {
    inst->handler = &ByMembers<&Reduction<int32_t>>;
  } else if (type == Type::kU32 || type == Type::kB32) {
    inst->handler = &ByMembers<&Reduction<uint32_t>>;
  } else {
    return false;
  }
  return context.Operands(3) && context.Dest(0, &inst->op[0]) &&
         context.Source(1, type, &inst->op[1]) &&
         context.Source(2, Type::kB32, &inst->op[7]);
}

// match.any / match.all (flags 1).
Step Match(Warp& warp, const Inst& inst, uint32_t mask) {
  Lanes a(warp.Reg(inst.op[2]));
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t keep = inst.bytes == 8 ? ~uint64_t{0} : 0xFFFFFFFFu;
  bool all = true;
  ForLanes(mask, [&](int lane) {
    uint32_t same = 0;
    for (uint32_t m = mask; m != 0; m &= m - 1) {
      int other = __builtin_ctz(m);
      if (((a.v[other] ^ a.v[lane]) & keep) == 0) same |= 1u << other;
    }
    if (same != mask) all = false;
    d[lane] = same;
  });
  if ((inst.flags & 1) != 0) {
    ForLanes(mask, [&](int lane) { d[lane] = all ? mask : 0; });
    uint32_t& p = warp.Pred(inst.op[1]);
    p = (p & ~mask) | (all ? mask : 0);
  }
  return Step::kNext;
}

bool DecodeMatch(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  inst->handler = &ByMembers<&Match>;
  if (modifiers.Take("all")) {
    inst->flags = 1;
  } else if (!modifiers.Take("any")) {
    return false;
  }
  if (!modifiers.Take("sync")) return false;
  Type type = modifiers.TakeType();
  inst->bytes = static_cast<uint8_t>(TypeBytes(type));
  if (!context.Operands(3)) return false;
  const ptx::Operand& dest = context.Operand(0);
  if (dest.kind == ptx::Operand::Kind::kPair) {
    if (!context.DestOf(dest.elements[0], &inst->op[0]) ||
        !context.PredDestOf(dest.elements[1], &inst->op[1])) {
      return false;
    }
  } else if (!context.Dest(0, &inst->op[0])) {
    return false;
  }
  return context.Source(1, type, &inst->op[2]) &&
         context.Source(2, Type::kB32, &inst->op[7]);
}

// bar.warp.sync (PTX ISA 9.7.13.2): lanes may meet at different instructions.
Step WarpBarrier(Warp& warp, const Inst& inst, uint32_t mask) {
  const std::vector<Inst>& code = warp.machine->program().code;
  Fragment& fragment = warp.Current();
  const auto waits_elsewhere = [&](const Fragment& other, uint32_t members) {
    if (&other == &fragment || !other.blocked) return false;
    const Inst& there = code[other.pc];
    return there.handler == inst.handler &&
           MembersOf(warp, there, __builtin_ctz(other.mask)) == members;
  };
  // The lanes at the barrier whose membermask is that of `group`.
  const auto gathered = [&](uint32_t group, uint32_t members) {
    uint32_t here = group;
    for (const Fragment& other : warp.fragments) {
      if (waits_elsewhere(other, members)) here |= other.mask;
    }
    return here;
  };
  for (uint32_t left = mask; left != 0;) {
    const int lane = __builtin_ctz(left);
    const uint32_t group = GroupOf(warp, inst, left, lane);
    const uint32_t members = MembersOf(warp, inst, lane);
    CheckMembership(warp, inst, group, members);
    if ((members & warp.live & ~gathered(group, members)) != 0) {
      fragment.WaitFor("waits for lanes at bar.warp.sync");
      return Step::kBlocked;
    }
    left &= ~group;
  }
  for (uint32_t left = mask; left != 0;) {
    const int lane = __builtin_ctz(left);
    const uint32_t group = GroupOf(warp, inst, left, lane);
    const uint32_t members = MembersOf(warp, inst, lane);
    warp.known.Synchronise(gathered(group, members) & members);
    for (Fragment& other : warp.fragments) {
      if (!waits_elsewhere(other, members)) continue;
      other.blocked = false;
      ++other.pc;
    }
    left &= ~group;
  }
  return Step::kNext;
}

}  // namespace

bool DecodeWarpBarrier(DecodeContext& context, Modifiers& modifiers,
                       Inst* inst) {
  inst->handler = &WarpBarrier;
  return modifiers.Take("sync") && context.Operands(1) &&
         context.Source(0, Type::kB32, &inst->op[7]);
}

void RegisterWarp(DecoderTable* table) {
  (*table)["shfl"] = &DecodeShfl;
  (*table)["vote"] = &DecodeVote;
  (*table)["elect"] = &DecodeElect;
  (*table)["activemask"] = &DecodeActiveMask;
  (*table)["redux"] = &DecodeRedux;
  (*table)["match"] = &DecodeMatch;
}

}  // namespace tiletune::emulator
