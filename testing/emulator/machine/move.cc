// Moves and address conversions (PTX ISA 9.7.9: mov, cvta, isspacep, mapa,
// getctarank).
#include <algorithm>

#include "testing/emulator/machine/address_space.h"
#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"
#include "testing/emulator/machine/machine.h"
#include "testing/emulator/machine/special_registers.h"

namespace tiletune::emulator {
namespace {

Step Move(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  ForLanes(mask, [&](int lane) { d[lane] = a[lane]; });
  return Step::kNext;
}

Step Move128(Warp& warp, const Inst& inst, uint32_t mask) {
  for (int half = 0; half < 2; ++half) {
    uint64_t* d = warp.Reg(inst.op[0] + half);
    const uint64_t* a = warp.Reg(inst.op[1] + half);
    ForLanes(mask, [&](int lane) { d[lane] = a[lane]; });
  }
  return Step::kNext;
}

Step MovePredicate(Warp& warp, const Inst& inst, uint32_t mask) {
  uint32_t value =
      inst.kind == 0 ? warp.Pred(inst.op[1]) : (inst.imm != 0 ? kFullMask : 0);
  if ((inst.flags & 1) != 0) value = ~value;
  uint32_t& d = warp.Pred(inst.op[0]);
  d = (d & ~mask) | (value & mask);
  return Step::kNext;
}

Step MoveTimer(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  ForLanes(mask, [&](int lane) {
    d[lane] = SpecialValue(static_cast<SpecialRegister>(inst.imm),
                           *warp.machine, warp, lane);
  });
  // A loop that waits for time to pass makes progress.
  warp.machine->Progress();
  return Step::kYield;
}

uint64_t LowBits(uint64_t value, int bytes) {
  return bytes == 8 ? value : value & ((uint64_t{1} << (8 * bytes)) - 1);
}

// {a, b, ...} -> d. `bytes` of each element; a b128 d has two slots.
Step Pack(Warp& warp, const Inst& inst, uint32_t mask) {
  const int32_t* slots = &warp.machine->program().lists[inst.list];
  ForLanes(mask, [&](int lane) {
    uint64_t words[2] = {0, 0};
    int bit = 0;
    for (uint32_t i = 0; i < inst.list_size; ++i) {
      uint64_t value = LowBits(warp.Reg(slots[i])[lane], inst.bytes);
      words[bit / 64] |= value << (bit % 64);
      bit += 8 * inst.bytes;
    }
    warp.Reg(inst.op[0])[lane] = words[0];
    if (inst.kind == 1) warp.Reg(inst.op[0] + 1)[lane] = words[1];
  });
  return Step::kNext;
}

Step Unpack(Warp& warp, const Inst& inst, uint32_t mask) {
  const int32_t* slots = &warp.machine->program().lists[inst.list];
  ForLanes(mask, [&](int lane) {
    uint64_t words[2] = {warp.Reg(inst.op[1])[lane], 0};
    if (inst.kind == 1) words[1] = warp.Reg(inst.op[1] + 1)[lane];
    int bit = 0;
    for (uint32_t i = 0; i < inst.list_size; ++i) {
      warp.Reg(slots[i])[lane] =
          LowBits(words[bit / 64] >> (bit % 64), inst.bytes);
      bit += 8 * inst.bytes;
    }
  });
  return Step::kNext;
}

bool DecodeMov(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  Type type = modifiers.TakeType();
  if (!context.Operands(2) || type == Type::kNone) return false;
  const ptx::Operand& dest = context.Operand(0);
  const ptx::Operand& source = context.Operand(1);
  if (type == Type::kPred) {
    inst->handler = &MovePredicate;
    if (source.kind == ptx::Operand::Kind::kImmediate) {
      inst->kind = 1;
      inst->imm = source.imm;
      return context.PredDest(0, &inst->op[0]);
    }
    bool negated = false;
    if (!context.PredDest(0, &inst->op[0]) ||
        !context.PredSource(1, &inst->op[1], &negated)) {
      return false;
    }
    inst->flags = negated ? 1 : 0;
    return true;
  }
  if (source.kind == ptx::Operand::Kind::kVector ||
      dest.kind == ptx::Operand::Kind::kVector) {
    bool pack = source.kind == ptx::Operand::Kind::kVector;
    size_t count = pack ? source.elements.size() : dest.elements.size();
    int bytes = TypeBytes(type);
    if (count == 0 || bytes % static_cast<int>(count) != 0 ||
        bytes / static_cast<int>(count) > 8) {
      return context.Fail("bad vector");
    }
    inst->bytes = static_cast<uint8_t>(bytes / static_cast<int>(count));
    inst->kind = bytes == 16 ? 1 : 0;
    if (pack) {
      inst->handler = &Pack;
      return context.Dest(0, &inst->op[0]) &&
             context.SourceList(source, Type::kB64, inst);
    }
    inst->handler = &Unpack;
    return context.DestList(dest, inst) &&
           context.Source(1, type, &inst->op[1]);
  }
  SpecialRegister reg;
  if (source.kind == ptx::Operand::Kind::kSpecial &&
      FindSpecialRegister(source.name, &reg) && IsTimer(reg)) {
    inst->handler = &MoveTimer;
    inst->imm = static_cast<int64_t>(reg);
    return context.Dest(0, &inst->op[0]);
  }
  inst->handler = type == Type::kB128 ? &Move128 : &Move;
  return context.Dest(0, &inst->op[0]) && context.Source(1, type, &inst->op[1]);
}

// cvta: kind 0 adds the window, kind 1 removes it; imm is the window.
Step ConvertAddress(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  const uint64_t window = static_cast<uint64_t>(inst.imm);
  ForLanes(mask, [&](int lane) {
    d[lane] = inst.kind == 0 ? (a[lane] | window) : (a[lane] & ~kWindowMask);
  });
  return Step::kNext;
}

uint64_t WindowOf(const std::string& space, bool* known) {
  *known = true;
  if (space == "shared" || space == "shared::cta" || space == "shared::cluster")
    return kSharedWindow;
  if (space == "local") return kLocalWindow;
  if (space == "param" || space == "param::entry" || space == "param::func")
    return kParameterWindow;
  *known = space == "global" || space == "const";
  return 0;
}

bool DecodeCvta(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  bool to = modifiers.Take("to");
  std::string space;
  for (const char* name : {"shared::cta", "shared::cluster", "shared", "local",
                           "param::entry", "param", "global", "const"}) {
    if (modifiers.Take(name)) {
      space = name;
      break;
    }
  }
  bool known = false;
  uint64_t window = WindowOf(space, &known);
  Type type = modifiers.TakeType();
  if (!known || (type != Type::kU64 && type != Type::kU32)) return false;
  inst->handler = window == 0 ? &Move : &ConvertAddress;
  inst->kind = to ? 1 : 0;
  inst->imm = static_cast<int64_t>(window);
  return context.Operands(2) && context.Dest(0, &inst->op[0]) &&
         context.Source(1, type, &inst->op[1]);
}

Step IsSpace(Warp& warp, const Inst& inst, uint32_t mask) {
  const uint64_t* a = warp.Reg(inst.op[1]);
  uint32_t result = 0;
  ForLanes(mask, [&](int lane) {
    uint64_t window = a[lane] & kWindowMask;
    bool inside;
    switch (inst.kind) {
      case 0:
        inside = window == kSharedWindow &&
                 (inst.flags != 0 ||
                  SharedRank(static_cast<uint32_t>(a[lane])) == warp.cta->rank);
        break;
      case 1:
        inside = window == kLocalWindow;
        break;
      case 2:
        inside = window == kParameterWindow;
        break;
      case 4: {
        const auto* allocation = warp.machine->memory().Find(a[lane], 1);
        inside = allocation != nullptr && allocation->constant;
        break;
      }
      default:
        inside = window != kSharedWindow && window != kLocalWindow &&
                 window != kParameterWindow;
    }
    result |= static_cast<uint32_t>(inside) << lane;
  });
  uint32_t& p = warp.Pred(inst.op[0]);
  p = (p & ~mask) | (result & mask);
  return Step::kNext;
}

bool DecodeIsspacep(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  inst->handler = &IsSpace;
  if (modifiers.Take("shared::cluster")) {
    inst->flags = 1;
  } else if (modifiers.Take("shared") || modifiers.Take("shared::cta")) {
    inst->flags = 0;
  } else if (modifiers.Take("local")) {
    inst->kind = 1;
  } else if (modifiers.Take("param") || modifiers.Take("param::entry")) {
    inst->kind = 2;
  } else if (modifiers.Take("global")) {
    inst->kind = 3;
  } else if (modifiers.Take("const")) {
    inst->kind = 4;
  } else {
    return false;
  }
  return context.Operands(2) && context.PredDest(0, &inst->op[0]) &&
         context.Source(1, Type::kU64, &inst->op[1]);
}

// mapa (PTX ISA 9.7.9.23): the address of the same offset in CTA rank b.
Step MapAddress(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  const uint64_t* b = warp.Reg(inst.op[2]);
  ForLanes(mask, [&](int lane) {
    uint32_t rank = static_cast<uint32_t>(b[lane]);
    if (rank >= warp.cta->cluster->ctas.size()) {
      warp.machine->Report(
          warp, inst, lane, "out of bounds",
          "CTA rank " + std::to_string(rank) + " is not in the cluster",
          a[lane]);
      rank = 0;
    }
    uint64_t mapped =
        SharedAddress(rank, SharedOffset(static_cast<uint32_t>(a[lane])));
    d[lane] = inst.kind == 0 ? (mapped | kSharedWindow) : mapped;
  });
  return Step::kNext;
}

bool DecodeMapa(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  inst->handler = &MapAddress;
  inst->kind = modifiers.Take("shared::cluster") ? 1 : 0;
  Type type = modifiers.TakeType();
  return context.Operands(3) && context.Dest(0, &inst->op[0]) &&
         context.Source(1, type, &inst->op[1]) &&
         context.Source(2, Type::kU32, &inst->op[2]);
}

Step GetRank(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  ForLanes(mask, [&](int lane) {
    d[lane] = SharedRank(static_cast<uint32_t>(a[lane]));
  });
  return Step::kNext;
}

bool DecodeGetctarank(DecodeContext& context, Modifiers& modifiers,
                      Inst* inst) {
  inst->handler = &GetRank;
  modifiers.Take("shared::cluster");
  Type type = modifiers.TakeType();
  return context.Operands(2) && context.Dest(0, &inst->op[0]) &&
         context.Source(1, type, &inst->op[1]);
}

}  // namespace

void RegisterMove(DecoderTable* table) {
  (*table)["mov"] = &DecodeMov;
  (*table)["cvta"] = &DecodeCvta;
  (*table)["isspacep"] = &DecodeIsspacep;
  (*table)["mapa"] = &DecodeMapa;
  (*table)["getctarank"] = &DecodeGetctarank;
}

}  // namespace tiletune::emulator
