// Logic, shifts and bit fields (PTX ISA 9.7.1, 9.7.8).
#include <algorithm>

#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"

namespace tiletune::emulator {
namespace {

struct AndOp {
  template <typename T>
  static T Run(T a, T b) {
    return a & b;
  }
};
struct OrOp {
  template <typename T>
  static T Run(T a, T b) {
    return a | b;
  }
};
struct XorOp {
  template <typename T>
  static T Run(T a, T b) {
    return a ^ b;
  }
};
struct NotOp {
  template <typename T>
  static T Run(T a) {
    return static_cast<T>(~a);
  }
};
struct CnotOp {
  template <typename T>
  static T Run(T a) {
    return a == 0 ? 1 : 0;
  }
};
struct PopcOp {
  template <typename T>
  static uint32_t Run(T a) {
    return static_cast<uint32_t>(
        __builtin_popcountll(static_cast<std::make_unsigned_t<T>>(a)));
  }
};
struct ClzOp {
  template <typename T>
  static uint32_t Run(T a) {
    auto bits = static_cast<std::make_unsigned_t<T>>(a);
    if (bits == 0) return 8 * sizeof(T);
    return static_cast<uint32_t>(__builtin_clzll(bits)) -
           (64 - 8 * static_cast<uint32_t>(sizeof(T)));
  }
};
struct BrevOp {
  template <typename T>
  static T Run(T a) {
    T out = 0;
    for (size_t i = 0; i < 8 * sizeof(T); ++i) {
      out = static_cast<T>((out << 1) | ((a >> i) & 1));
    }
    return out;
  }
};
struct BfindOp {
  template <typename T>
  static uint32_t Run(T a) {
    if (std::is_signed_v<T> && a < 0) a = static_cast<T>(~a);
    uint32_t zeros = ClzOp::Run(a);
    return zeros == 8 * sizeof(T)
               ? 0xFFFFFFFFu
               : static_cast<uint32_t>(8 * sizeof(T)) - 1 - zeros;
  }
};
struct BfindShiftOp {
  template <typename T>
  static uint32_t Run(T a) {
    uint32_t bit = BfindOp::Run(a);
    return bit == 0xFFFFFFFFu ? bit
                              : static_cast<uint32_t>(8 * sizeof(T)) - 1 - bit;
  }
};

// Shift amounts are 32-bit and clamp at the width.
enum class Shift { kLeft, kRight };

template <typename T, Shift kShift>
Step ShiftLanes(Warp& warp, const Inst& inst, uint32_t mask) {
  constexpr uint32_t kWidth = 8 * sizeof(T);
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  const uint64_t* b = warp.Reg(inst.op[2]);
  ForLanes(mask, [&](int lane) {
    T value = Value<T>(a[lane]);
    uint32_t amount = static_cast<uint32_t>(b[lane]);
    T result;
    if constexpr (kShift == Shift::kLeft) {
      result = amount >= kWidth
                   ? T{0}
                   : static_cast<T>(static_cast<std::make_unsigned_t<T>>(value)
                                    << amount);
    } else {
      result =
          static_cast<T>(value >> (amount >= kWidth ? kWidth - 1 : amount));
      if (amount >= kWidth && !std::is_signed_v<T>) result = T{0};
    }
    d[lane] = Bits(result);
  });
  return Step::kNext;
}

template <Shift kShift>
Handler PickShift(Type type) {
  switch (type) {
    case Type::kB16:
    case Type::kU16:
      return &ShiftLanes<uint16_t, kShift>;
    case Type::kB32:
    case Type::kU32:
      return &ShiftLanes<uint32_t, kShift>;
    case Type::kB64:
    case Type::kU64:
      return &ShiftLanes<uint64_t, kShift>;
    case Type::kS16:
      return &ShiftLanes<int16_t, kShift>;
    case Type::kS32:
      return &ShiftLanes<int32_t, kShift>;
    case Type::kS64:
      return &ShiftLanes<int64_t, kShift>;
    default:
      return nullptr;
  }
}

// Funnel shift, PTX ISA 9.7.8.7: [b:a] shifted by c; flags bit 0 = wrap,
// bit 1 = left.
Step FunnelShift(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  const uint64_t* b = warp.Reg(inst.op[2]);
  const uint64_t* c = warp.Reg(inst.op[3]);
  ForLanes(mask, [&](int lane) {
    uint32_t amount = static_cast<uint32_t>(c[lane]);
    amount = (inst.flags & 1) != 0 ? amount & 31 : std::min(amount, 32u);
    uint64_t joined =
        (static_cast<uint64_t>(static_cast<uint32_t>(b[lane])) << 32) |
        static_cast<uint32_t>(a[lane]);
    uint32_t result = (inst.flags & 2) != 0
                          ? static_cast<uint32_t>((joined << amount) >> 32)
                          : static_cast<uint32_t>(joined >> amount);
    d[lane] = result;
  });
  return Step::kNext;
}

// lop3: bit i of the result is bit (a_i b_i c_i) of the table.
Step Lop3(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  const uint64_t* b = warp.Reg(inst.op[2]);
  const uint64_t* c = warp.Reg(inst.op[3]);
  const uint32_t table = static_cast<uint32_t>(inst.imm);
  ForLanes(mask, [&](int lane) {
    uint32_t x = static_cast<uint32_t>(a[lane]);
    uint32_t y = static_cast<uint32_t>(b[lane]);
    uint32_t z = static_cast<uint32_t>(c[lane]);
    uint32_t out = 0;
    for (uint32_t i = 0; i < 8; ++i) {
      if (((table >> i) & 1) == 0) continue;
      out |= ((i & 4) != 0 ? x : ~x) & ((i & 2) != 0 ? y : ~y) &
             ((i & 1) != 0 ? z : ~z);
    }
    d[lane] = out;
  });
  return Step::kNext;
}

// prmt (PTX ISA 9.7.9.7), default mode and the named ones.
Step Permute(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  const uint64_t* b = warp.Reg(inst.op[2]);
  const uint64_t* c = warp.Reg(inst.op[3]);
  // Selector nibbles for the modes f4e, b4e, rc8, ecl, ecr, rc16.
  static constexpr uint16_t kModes[6][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
      {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
      {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
  ForLanes(mask, [&](int lane) {
    uint64_t bytes =
        (static_cast<uint64_t>(static_cast<uint32_t>(b[lane])) << 32) |
        static_cast<uint32_t>(a[lane]);
    uint32_t selector = static_cast<uint32_t>(c[lane]);
    if (inst.kind != 0) selector = kModes[inst.kind - 1][selector & 3];
    uint32_t out = 0;
    for (int i = 0; i < 4; ++i) {
      uint32_t nibble = (selector >> (4 * i)) & 0xF;
      uint32_t byte = static_cast<uint32_t>(bytes >> (8 * (nibble & 7))) & 0xFF;
      if ((nibble & 8) != 0) byte = (byte & 0x80) != 0 ? 0xFF : 0;
      out |= byte << (8 * i);
    }
    d[lane] = out;
  });
  return Step::kNext;
}

// bfe (PTX ISA 9.7.1.19): signed fields extend from the top bit of the field.
template <typename T>
Step ExtractField(Warp& warp, const Inst& inst, uint32_t mask) {
  constexpr uint32_t kMsb = 8 * sizeof(T) - 1;
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  const uint64_t* b = warp.Reg(inst.op[2]);
  const uint64_t* c = warp.Reg(inst.op[3]);
  ForLanes(mask, [&](int lane) {
    uint64_t value = Bits(Value<T>(a[lane]));
    uint32_t position = b[lane] & 0xFF;
    uint32_t length = c[lane] & 0xFF;
    bool sign = false;
    if (std::is_signed_v<T> && length != 0) {
      sign = (value >> std::min(position + length - 1, kMsb)) & 1;
    }
    uint64_t out = 0;
    for (uint32_t i = 0; i <= kMsb; ++i) {
      bool bit = i < length && position + i <= kMsb
                     ? ((value >> (position + i)) & 1) != 0
                     : sign;
      out |= static_cast<uint64_t>(bit) << i;
    }
    d[lane] = out;
  });
  return Step::kNext;
}

// bfi (PTX ISA 9.7.1.20): f = b with `length` bits of a at `position`.
template <typename T>
Step InsertField(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  const uint64_t* b = warp.Reg(inst.op[2]);
  const uint64_t* c = warp.Reg(inst.op[3]);
  const uint64_t* e = warp.Reg(inst.op[4]);
  ForLanes(mask, [&](int lane) {
    uint32_t position = c[lane] & 0xFF;
    uint32_t length = e[lane] & 0xFF;
    uint64_t out = Bits(Value<T>(b[lane]));
    for (uint32_t i = 0; i < length && position + i < 8 * sizeof(T); ++i) {
      uint64_t bit = (a[lane] >> i) & 1;
      out = (out & ~(uint64_t{1} << (position + i))) | (bit << (position + i));
    }
    d[lane] = out;
  });
  return Step::kNext;
}

enum class PredOp : uint8_t { kAnd, kOr, kXor, kNot };

Step PredLogic(Warp& warp, const Inst& inst, uint32_t mask) {
  uint32_t a = warp.Pred(inst.op[1]);
  uint32_t b = warp.Pred(inst.op[2]);
  if ((inst.flags & 1) != 0) a = ~a;
  if ((inst.flags & 2) != 0) b = ~b;
  uint32_t result = 0;
  switch (static_cast<PredOp>(inst.kind)) {
    case PredOp::kAnd:
      result = a & b;
      break;
    case PredOp::kOr:
      result = a | b;
      break;
    case PredOp::kXor:
      result = a ^ b;
      break;
    case PredOp::kNot:
      result = ~a;
      break;
  }
  uint32_t& d = warp.Pred(inst.op[0]);
  d = (d & ~mask) | (result & mask);
  return Step::kNext;
}

bool DecodePredLogic(DecodeContext& context, Inst* inst, PredOp op) {
  bool a = false;
  bool b = false;
  inst->handler = &PredLogic;
  inst->kind = static_cast<uint8_t>(op);
  if (!context.PredDest(0, &inst->op[0]) ||
      !context.PredSource(1, &inst->op[1], &a)) {
    return false;
  }
  if (op != PredOp::kNot && !context.PredSource(2, &inst->op[2], &b)) {
    return false;
  }
  inst->flags = (a ? 1u : 0u) | (b ? 2u : 0u);
  return true;
}

template <typename Op, PredOp kPred>
bool DecodeBinaryLogic(DecodeContext& context, Modifiers& modifiers,
                       Inst* inst) {
  Type type = modifiers.TakeType();
  if (!context.Operands(3)) return false;
  if (type == Type::kPred) return DecodePredLogic(context, inst, kPred);
  inst->handler = PickBinaryInt<Op>(type);
  return inst->handler != nullptr && context.Dest(0, &inst->op[0]) &&
         context.Source(1, type, &inst->op[1]) &&
         context.Source(2, type, &inst->op[2]);
}

bool DecodeNot(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  Type type = modifiers.TakeType();
  if (!context.Operands(2)) return false;
  if (type == Type::kPred) return DecodePredLogic(context, inst, PredOp::kNot);
  inst->handler = PickUnaryInt<NotOp>(type);
  return inst->handler != nullptr && context.Dest(0, &inst->op[0]) &&
         context.Source(1, type, &inst->op[1]);
}

template <typename Op>
bool DecodeUnaryInt(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  Type type = modifiers.TakeType();
  inst->handler = PickUnaryInt<Op>(type);
  return inst->handler != nullptr && context.Operands(2) &&
         context.Dest(0, &inst->op[0]) && context.Source(1, type, &inst->op[1]);
}

bool DecodeBfind(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  return modifiers.Take("shiftamt")
             ? DecodeUnaryInt<BfindShiftOp>(context, modifiers, inst)
             : DecodeUnaryInt<BfindOp>(context, modifiers, inst);
}

template <Shift kShift>
bool DecodeShift(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  Type type = modifiers.TakeType();
  inst->handler = PickShift<kShift>(type);
  return inst->handler != nullptr && context.Operands(3) &&
         context.Dest(0, &inst->op[0]) &&
         context.Source(1, type, &inst->op[1]) &&
         context.Source(2, Type::kU32, &inst->op[2]);
}

bool FourSources(DecodeContext& context, Type type, Inst* inst) {
  return context.Dest(0, &inst->op[0]) &&
         context.Source(1, type, &inst->op[1]) &&
         context.Source(2, type, &inst->op[2]) &&
         context.Source(3, Type::kU32, &inst->op[3]);
}

bool DecodeFunnel(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  inst->handler = &FunnelShift;
  if (modifiers.Take("l")) {
    inst->flags |= 2;
  } else if (!modifiers.Take("r")) {
    return false;
  }
  if (modifiers.Take("wrap")) {
    inst->flags |= 1;
  } else if (!modifiers.Take("clamp")) {
    return false;
  }
  return modifiers.TakeType() == Type::kB32 && context.Operands(4) &&
         FourSources(context, Type::kB32, inst);
}

bool DecodeLop3(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  inst->handler = &Lop3;
  return modifiers.TakeType() == Type::kB32 && context.Operands(5) &&
         FourSources(context, Type::kB32, inst) &&
         context.Immediate(4, &inst->imm);
}

bool DecodePermute(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  inst->handler = &Permute;
  const char* const kNames[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
  for (uint8_t i = 0; i < 6; ++i) {
    if (modifiers.Take(kNames[i])) inst->kind = i + 1;
  }
  return modifiers.TakeType() == Type::kB32 && context.Operands(4) &&
         FourSources(context, Type::kB32, inst);
}

bool DecodeBfe(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  Type type = modifiers.TakeType();
  switch (type) {
    case Type::kU32:
      inst->handler = &ExtractField<uint32_t>;
      break;
    case Type::kS32:
      inst->handler = &ExtractField<int32_t>;
      break;
    case Type::kU64:
      inst->handler = &ExtractField<uint64_t>;
      break;
    case Type::kS64:
      inst->handler = &ExtractField<int64_t>;
      break;
    default:
      return false;
  }
  return context.Operands(4) && context.Dest(0, &inst->op[0]) &&
         context.Source(1, type, &inst->op[1]) &&
         context.Source(2, Type::kU32, &inst->op[2]) &&
         context.Source(3, Type::kU32, &inst->op[3]);
}

bool DecodeBfi(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  Type type = modifiers.TakeType();
  if (type == Type::kB32) {
    inst->handler = &InsertField<uint32_t>;
  } else if (type == Type::kB64) {
    inst->handler = &InsertField<uint64_t>;
  } else {
    return false;
  }
  return context.Operands(5) && context.Dest(0, &inst->op[0]) &&
         context.Source(1, type, &inst->op[1]) &&
         context.Source(2, type, &inst->op[2]) &&
         context.Source(3, Type::kU32, &inst->op[3]) &&
         context.Source(4, Type::kU32, &inst->op[4]);
}

}  // namespace

void RegisterLogic(DecoderTable* table) {
  (*table)["and"] = &DecodeBinaryLogic<AndOp, PredOp::kAnd>;
  (*table)["or"] = &DecodeBinaryLogic<OrOp, PredOp::kOr>;
  (*table)["xor"] = &DecodeBinaryLogic<XorOp, PredOp::kXor>;
  (*table)["not"] = &DecodeNot;
  (*table)["cnot"] = &DecodeUnaryInt<CnotOp>;
  (*table)["popc"] = &DecodeUnaryInt<PopcOp>;
  (*table)["clz"] = &DecodeUnaryInt<ClzOp>;
  (*table)["brev"] = &DecodeUnaryInt<BrevOp>;
  (*table)["bfind"] = &DecodeBfind;
  (*table)["shl"] = &DecodeShift<Shift::kLeft>;
  (*table)["shr"] = &DecodeShift<Shift::kRight>;
  (*table)["shf"] = &DecodeFunnel;
  (*table)["lop3"] = &DecodeLop3;
  (*table)["prmt"] = &DecodePermute;
  (*table)["bfe"] = &DecodeBfe;
  (*table)["bfi"] = &DecodeBfi;
}

}  // namespace tiletune::emulator
