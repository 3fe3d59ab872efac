// Comparison and selection (PTX ISA 9.7.6, 9.7.7).
#include <cmath>
#include <string>

#include "testing/emulator/engines/formats.h"
#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"

namespace tiletune::emulator {
namespace {

enum class Cmp : uint8_t {
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kEqu,
  kNeu,
  kLtu,
  kLeu,
  kGtu,
  kGeu,
  kNum,
  kNan,
};

enum class Combine : uint8_t { kNone, kAnd, kOr, kXor };

// Inst::flags of setp and set.
constexpr uint32_t kNegateC = 1;
constexpr uint32_t kHasC = 2;
constexpr uint32_t kCombineShift = 4;

bool ParseCompare(Modifiers& modifiers, Cmp* cmp, bool* is_unsigned) {
  struct Entry {
    const char* name;
    Cmp cmp;
    bool is_unsigned;
  };
  static constexpr Entry kNames[] = {
      {"eq", Cmp::kEq, false},   {"ne", Cmp::kNe, false},
      {"lt", Cmp::kLt, false},   {"le", Cmp::kLe, false},
      {"gt", Cmp::kGt, false},   {"ge", Cmp::kGe, false},
      {"lo", Cmp::kLt, true},    {"ls", Cmp::kLe, true},
      {"hi", Cmp::kGt, true},    {"hs", Cmp::kGe, true},
      {"equ", Cmp::kEqu, false}, {"neu", Cmp::kNeu, false},
      {"ltu", Cmp::kLtu, false}, {"leu", Cmp::kLeu, false},
      {"gtu", Cmp::kGtu, false}, {"geu", Cmp::kGeu, false},
      {"num", Cmp::kNum, false}, {"nan", Cmp::kNan, false},
  };
  for (const Entry& entry : kNames) {
    if (modifiers.Take(entry.name)) {
      *cmp = entry.cmp;
      *is_unsigned = entry.is_unsigned;
      return true;
    }
  }
  return false;
}

template <typename T>
bool Holds(Cmp cmp, T a, T b) {
  bool unordered = false;
  if constexpr (std::is_floating_point_v<T>) {
    unordered = std::isnan(a) || std::isnan(b);
  }
  switch (cmp) {
    case Cmp::kEq:
      return a == b;
    case Cmp::kNe:
      return !unordered && a != b;
    case Cmp::kLt:
      return a < b;
    case Cmp::kLe:
      return a <= b;
    case Cmp::kGt:
      return a > b;
    case Cmp::kGe:
      return a >= b;
    case Cmp::kEqu:
      return unordered || a == b;
    case Cmp::kNeu:
      return unordered || a != b;
    case Cmp::kLtu:
      return unordered || a < b;
    case Cmp::kLeu:
      return unordered || a <= b;
    case Cmp::kGtu:
      return unordered || a > b;
    case Cmp::kGeu:
      return unordered || a >= b;
    case Cmp::kNum:
      return !unordered;
    case Cmp::kNan:
      return unordered;
  }
  return false;
}

template <typename T, Cmp kCmp>
uint32_t CompareFixed(const uint64_t* a, const uint64_t* b, uint32_t mask) {
  uint32_t result = 0;
  ForLanes(mask, [&](int lane) {
    result |= static_cast<uint32_t>(
                  Holds<T>(kCmp, Value<T>(a[lane]), Value<T>(b[lane])))
              << lane;
  });
  return result;
}

template <typename T>
uint32_t CompareLanes(Cmp cmp, const uint64_t* a, const uint64_t* b,
                      uint32_t mask) {
  switch (cmp) {
    case Cmp::kEq:
      return CompareFixed<T, Cmp::kEq>(a, b, mask);
    case Cmp::kNe:
      return CompareFixed<T, Cmp::kNe>(a, b, mask);
    case Cmp::kLt:
      return CompareFixed<T, Cmp::kLt>(a, b, mask);
    case Cmp::kLe:
      return CompareFixed<T, Cmp::kLe>(a, b, mask);
    case Cmp::kGt:
      return CompareFixed<T, Cmp::kGt>(a, b, mask);
    case Cmp::kGe:
      return CompareFixed<T, Cmp::kGe>(a, b, mask);
    default: {
      uint32_t result = 0;
      ForLanes(mask, [&](int lane) {
        result |= static_cast<uint32_t>(
                      Holds<T>(cmp, Value<T>(a[lane]), Value<T>(b[lane])))
                  << lane;
      });
      return result;
    }
  }
}

template <Format kFormat>
uint32_t CompareHalf(Cmp cmp, const uint64_t* a, const uint64_t* b,
                     uint32_t mask, int shift) {
  uint32_t result = 0;
  ForLanes(mask, [&](int lane) {
    float x = Decode(kFormat, (a[lane] >> shift) & 0xFFFF);
    float y = Decode(kFormat, (b[lane] >> shift) & 0xFFFF);
    result |= static_cast<uint32_t>(Holds(cmp, x, y)) << lane;
  });
  return result;
}

uint32_t CompareTyped(Type type, Cmp cmp, const uint64_t* a, const uint64_t* b,
                      uint32_t mask, int half) {
  switch (type) {
    case Type::kB16:
    case Type::kU16:
      return CompareLanes<uint16_t>(cmp, a, b, mask);
    case Type::kB32:
    case Type::kU32:
      return CompareLanes<uint32_t>(cmp, a, b, mask);
    case Type::kB64:
    case Type::kU64:
      return CompareLanes<uint64_t>(cmp, a, b, mask);
    case Type::kS16:
      return CompareLanes<int16_t>(cmp, a, b, mask);
    case Type::kS32:
      return CompareLanes<int32_t>(cmp, a, b, mask);
    case Type::kS64:
      return CompareLanes<int64_t>(cmp, a, b, mask);
    case Type::kF32:
      return CompareLanes<float>(cmp, a, b, mask);
    case Type::kF64:
      return CompareLanes<double>(cmp, a, b, mask);
    case Type::kF16:
    case Type::kF16x2:
      return CompareHalf<Format::kF16>(cmp, a, b, mask, 16 * half);
    case Type::kBf16:
    case Type::kBf16x2:
      return CompareHalf<Format::kBf16>(cmp, a, b, mask, 16 * half);
    default:
      return 0;
  }
}

uint32_t Combined(Warp& warp, const Inst& inst, uint32_t result) {
  if ((inst.flags & kHasC) == 0) return result;
  uint32_t c = warp.Pred(inst.op[4]);
  if ((inst.flags & kNegateC) != 0) c = ~c;
  switch (static_cast<Combine>((inst.flags >> kCombineShift) & 3)) {
    case Combine::kAnd:
      return result & c;
    case Combine::kOr:
      return result | c;
    case Combine::kXor:
      return result ^ c;
    case Combine::kNone:
      break;
  }
  return result;
}

// op[0] = p, op[1] = q, op[2] = a, op[3] = b, op[4] = c; bytes = Type.
Step SetPredicate(Warp& warp, const Inst& inst, uint32_t mask) {
  const uint64_t* a = warp.Reg(inst.op[2]);
  const uint64_t* b = warp.Reg(inst.op[3]);
  Type type = static_cast<Type>(inst.bytes);
  Cmp cmp = static_cast<Cmp>(inst.kind);
  uint32_t result = CompareTyped(type, cmp, a, b, mask, 0);
  bool packed = type == Type::kF16x2 || type == Type::kBf16x2;
  uint32_t second = packed ? CompareTyped(type, cmp, a, b, mask, 1) : ~result;
  result = Combined(warp, inst, result);
  second = Combined(warp, inst, second);
  uint32_t& p = warp.Pred(inst.op[0]);
  p = (p & ~mask) | (result & mask);
  uint32_t& q = warp.Pred(inst.op[1]);
  q = (q & ~mask) | (second & mask);
  return Step::kNext;
}

bool DecodeCompareOperands(DecodeContext& context, Modifiers& modifiers,
                           size_t first, Type type, Inst* inst) {
  modifiers.Take("ftz");
  Combine combine = Combine::kNone;
  if (modifiers.Take("and")) combine = Combine::kAnd;
  if (modifiers.Take("or")) combine = Combine::kOr;
  if (modifiers.Take("xor")) combine = Combine::kXor;
  inst->bytes = static_cast<uint8_t>(type);
  if (!context.Source(first, type, &inst->op[2]) ||
      !context.Source(first + 1, type, &inst->op[3])) {
    return false;
  }
  if (combine != Combine::kNone) {
    bool negated = false;
    if (!context.PredSource(first + 2, &inst->op[4], &negated)) return false;
    inst->flags |= kHasC | (negated ? kNegateC : 0) |
                   (static_cast<uint32_t>(combine) << kCombineShift);
  }
  return true;
}

Type MakeUnsigned(Type type) {
  switch (type) {
    case Type::kS16:
      return Type::kU16;
    case Type::kS32:
      return Type::kU32;
    case Type::kS64:
      return Type::kU64;
    default:
      return type;
  }
}

bool DecodeSetp(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  Cmp cmp;
  bool is_unsigned = false;
  if (!ParseCompare(modifiers, &cmp, &is_unsigned)) return false;
  Type type = modifiers.TakeType();
  if (type == Type::kNone || type == Type::kPred) return false;
  if (is_unsigned) type = MakeUnsigned(type);
  inst->handler = &SetPredicate;
  inst->kind = static_cast<uint8_t>(cmp);
  if (!context.Operands(3, 4)) return false;
  const ptx::Operand& dest = context.Operand(0);
  if (dest.kind == ptx::Operand::Kind::kPair) {
    if (!context.PredDestOf(dest.elements[0], &inst->op[0]) ||
        !context.PredDestOf(dest.elements[1], &inst->op[1])) {
      return false;
    }
  } else if (!context.PredDest(0, &inst->op[0])) {
    return false;
  }
  return DecodeCompareOperands(context, modifiers, 1, type, inst);
}

// set.cmp.dtype.stype: all ones (or 1.0) where the comparison holds.
Step SetValue(Warp& warp, const Inst& inst, uint32_t mask) {
  const uint64_t* a = warp.Reg(inst.op[2]);
  const uint64_t* b = warp.Reg(inst.op[3]);
  uint64_t* d = warp.Reg(inst.op[0]);
  Type type = static_cast<Type>(inst.bytes);
  Cmp cmp = static_cast<Cmp>(inst.kind);
  uint32_t low = Combined(warp, inst, CompareTyped(type, cmp, a, b, mask, 0));
  uint32_t high = 0;
  bool packed = type == Type::kF16x2 || type == Type::kBf16x2;
  if (packed) {
    high = Combined(warp, inst, CompareTyped(type, cmp, a, b, mask, 1));
  }
  Type result = static_cast<Type>(inst.space);
  ForLanes(mask, [&](int lane) {
    uint64_t x = (low >> lane) & 1;
    uint64_t y = (high >> lane) & 1;
    switch (result) {
      case Type::kF32:
        d[lane] = x != 0 ? 0x3F800000u : 0;
        break;
      case Type::kF16x2:
        d[lane] = (x != 0 ? 0x3C00u : 0) | (y != 0 ? 0x3C000000u : 0);
        break;
      case Type::kBf16x2:
        d[lane] = (x != 0 ? 0x3F80u : 0) | (y != 0 ? 0x3F800000u : 0);
        break;
      default:
        if (packed) {
          d[lane] = (x != 0 ? 0xFFFFu : 0) | (y != 0 ? 0xFFFF0000u : 0);
        } else {
          d[lane] = x != 0 ? 0xFFFFFFFFu : 0;
        }
    }
  });
  return Step::kNext;
}

bool DecodeSet(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  Cmp cmp;
  bool is_unsigned = false;
  if (!ParseCompare(modifiers, &cmp, &is_unsigned)) return false;
  Type result = modifiers.TakeType();
  Type type = modifiers.TakeType();
  if (type == Type::kNone || result == Type::kNone) return false;
  if (is_unsigned) type = MakeUnsigned(type);
  inst->handler = &SetValue;
  inst->kind = static_cast<uint8_t>(cmp);
  inst->space = static_cast<uint8_t>(result);
  return context.Operands(3, 4) && context.Dest(0, &inst->op[0]) &&
         DecodeCompareOperands(context, modifiers, 1, type, inst);
}

Step Select(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  const uint64_t* b = warp.Reg(inst.op[2]);
  uint32_t p = warp.Pred(inst.op[3]);
  if ((inst.flags & 1) != 0) p = ~p;
  ForLanes(mask, [&](int lane) {
    d[lane] = ((p >> lane) & 1) != 0 ? a[lane] : b[lane];
  });
  return Step::kNext;
}

bool DecodeSelp(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  Type type = modifiers.TakeType();
  if (type == Type::kNone || type == Type::kPred) return false;
  inst->handler = &Select;
  bool negated = false;
  if (!context.Operands(4) || !context.Dest(0, &inst->op[0]) ||
      !context.Source(1, type, &inst->op[1]) ||
      !context.Source(2, type, &inst->op[2]) ||
      !context.PredSource(3, &inst->op[3], &negated)) {
    return false;
  }
  inst->flags = negated ? 1 : 0;
  return true;
}

// slct: a where c >= 0, else b.
Step SelectSign(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  const uint64_t* b = warp.Reg(inst.op[2]);
  const uint64_t* c = warp.Reg(inst.op[3]);
  ForLanes(mask, [&](int lane) {
    bool first = inst.flags != 0 ? Value<float>(c[lane]) >= 0
                                 : Value<int32_t>(c[lane]) >= 0;
    d[lane] = first ? a[lane] : b[lane];
  });
  return Step::kNext;
}

bool DecodeSlct(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  modifiers.Take("ftz");
  Type type = modifiers.TakeType();
  Type selector = modifiers.TakeType();
  if (selector != Type::kS32 && selector != Type::kF32) return false;
  inst->handler = &SelectSign;
  inst->flags = selector == Type::kF32 ? 1 : 0;
  return context.Operands(4) && context.Dest(0, &inst->op[0]) &&
         context.Source(1, type, &inst->op[1]) &&
         context.Source(2, type, &inst->op[2]) &&
         context.Source(3, selector, &inst->op[3]);
}

}  // namespace

void RegisterCompare(DecoderTable* table) {
  (*table)["setp"] = &DecodeSetp;
  (*table)["set"] = &DecodeSet;
  (*table)["selp"] = &DecodeSelp;
  (*table)["slct"] = &DecodeSlct;
}

}  // namespace tiletune::emulator
