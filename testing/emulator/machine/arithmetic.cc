// Integer arithmetic (PTX ISA 9.7.1) and the choice between the integer and
// the floating-point form of add, sub, mul, ...
#include "testing/emulator/machine/arithmetic.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"

namespace tiletune::emulator {
namespace {

template <typename T>
using Unsigned = std::make_unsigned_t<T>;

struct AddOp {
  template <typename T>
  static T Run(T a, T b) {
    return static_cast<T>(static_cast<Unsigned<T>>(a) +
                          static_cast<Unsigned<T>>(b));
  }
};
struct SubOp {
  template <typename T>
  static T Run(T a, T b) {
    return static_cast<T>(static_cast<Unsigned<T>>(a) -
                          static_cast<Unsigned<T>>(b));
  }
};
struct AddSatOp {
  static int32_t Run(int32_t a, int32_t b) {
    int64_t sum = int64_t{a} + b;
    return static_cast<int32_t>(
        std::clamp<int64_t>(sum, std::numeric_limits<int32_t>::min(),
                            std::numeric_limits<int32_t>::max()));
  }
};
struct SubSatOp {
  static int32_t Run(int32_t a, int32_t b) {
    int64_t sum = int64_t{a} - b;
    return static_cast<int32_t>(
        std::clamp<int64_t>(sum, std::numeric_limits<int32_t>::min(),
                            std::numeric_limits<int32_t>::max()));
  }
};
struct MulLoOp {
  template <typename T>
  static T Run(T a, T b) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }
};
struct MulHiOp {
  template <typename T>
  static T Run(T a, T b) {
    using Wide =
        std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return static_cast<T>((static_cast<Wide>(a) * static_cast<Wide>(b)) >>
                          (8 * sizeof(T)));
  }
};
struct MulWideOp {
  template <typename T>
  static auto Run(T a, T b) {
    if constexpr (std::is_signed_v<T>) {
      using Wide = std::conditional_t<sizeof(T) == 2, int32_t, int64_t>;
      return static_cast<Wide>(int64_t{a} * int64_t{b});
    } else {
      using Wide = std::conditional_t<sizeof(T) == 2, uint32_t, uint64_t>;
      return static_cast<Wide>(uint64_t{a} * uint64_t{b});
    }
  }
};
struct MadLoOp {
  template <typename T>
  static T Run(T a, T b, T c) {
    return AddOp::Run(MulLoOp::Run(a, b), c);
  }
};
struct MadHiOp {
  template <typename T>
  static T Run(T a, T b, T c) {
    return AddOp::Run(MulHiOp::Run(a, b), c);
  }
};
struct DivOp {
  template <typename T>
  static T Run(T a, T b) {
    if (b == 0) return static_cast<T>(~T{0});
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) {
      return SubOp::Run(T{0}, a);
    }
    return static_cast<T>(a / b);
  }
};
struct RemOp {
  template <typename T>
  static T Run(T a, T b) {
    if (b == 0) return a;
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return T{0};
    return static_cast<T>(a % b);
  }
};
struct MinOp {
  template <typename T>
  static T Run(T a, T b) {
    return std::min(a, b);
  }
};
struct MaxOp {
  template <typename T>
  static T Run(T a, T b) {
    return std::max(a, b);
  }
};
struct AbsOp {
  template <typename T>
  static T Run(T a) {
    return a < T{0} ? SubOp::Run(T{0}, a) : a;
  }
};
struct NegOp {
  template <typename T>
  static T Run(T a) {
    return SubOp::Run(T{0}, a);
  }
};
struct SadOp {
  template <typename T>
  static T Run(T a, T b, T c) {
    return AddOp::Run(c, a < b ? SubOp::Run(b, a) : SubOp::Run(a, b));
  }
};

// mad.wide: a and b narrow, c and d wide.
template <typename T>
Step MadWide(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  const uint64_t* b = warp.Reg(inst.op[2]);
  const uint64_t* c = warp.Reg(inst.op[3]);
  ForLanes(mask, [&](int lane) {
    auto product = MulWideOp::Run(Value<T>(a[lane]), Value<T>(b[lane]));
    using Wide = decltype(product);
    d[lane] = Bits(AddOp::Run(product, Value<Wide>(c[lane])));
  });
  return Step::kNext;
}

Type WideOf(Type type) {
  switch (type) {
    case Type::kU16:
      return Type::kU32;
    case Type::kS16:
      return Type::kS32;
    case Type::kU32:
      return Type::kU64;
    case Type::kS32:
      return Type::kS64;
    default:
      return Type::kNone;
  }
}

bool Sources(DecodeContext& context, Type type, int count, Inst* inst) {
  if (!context.Operands(static_cast<size_t>(count) + 1) ||
      !context.Dest(0, &inst->op[0])) {
    return false;
  }
  for (int i = 1; i <= count; ++i) {
    if (!context.Source(static_cast<size_t>(i), type, &inst->op[i])) {
      return false;
    }
  }
  return true;
}

bool DecodeAddSub(DecodeContext& context, Modifiers& modifiers, Inst* inst,
                  bool subtract) {
  if (modifiers.Has("cc")) {
    return DecodeExtended(context, modifiers, inst,
                          subtract ? ExtendedOp::kSub : ExtendedOp::kAdd,
                          false);
  }
  Type type = modifiers.TakeType();
  if (IsFloat(type)) {
    return DecodeFloatArithmetic(context, modifiers, inst,
                                 subtract ? FloatOp::kSub : FloatOp::kAdd,
                                 type);
  }
  if (modifiers.Take("sat")) {
    if (type != Type::kS32) return false;
    inst->handler = subtract ? &BinaryLanes<int32_t, SubSatOp>
                             : &BinaryLanes<int32_t, AddSatOp>;
  } else {
    inst->handler =
        subtract ? PickBinaryInt<SubOp>(type) : PickBinaryInt<AddOp>(type);
  }
  return inst->handler != nullptr && Sources(context, type, 2, inst);
}

bool DecodeAdd(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  return DecodeAddSub(context, modifiers, inst, false);
}

bool DecodeSub(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  return DecodeAddSub(context, modifiers, inst, true);
}

bool DecodeMul(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  Type type = modifiers.TakeType();
  if (IsFloat(type)) {
    return DecodeFloatArithmetic(context, modifiers, inst, FloatOp::kMul, type);
  }
  if (modifiers.Take("wide")) {
    switch (type) {
      case Type::kU16:
        inst->handler = &BinaryLanes<uint16_t, MulWideOp>;
        break;
      case Type::kS16:
        inst->handler = &BinaryLanes<int16_t, MulWideOp>;
        break;
      case Type::kU32:
        inst->handler = &BinaryLanes<uint32_t, MulWideOp>;
        break;
      case Type::kS32:
        inst->handler = &BinaryLanes<int32_t, MulWideOp>;
        break;
      default:
        return false;
    }
  } else if (modifiers.Take("hi")) {
    inst->handler = PickBinaryInt<MulHiOp>(type);
  } else if (modifiers.Take("lo")) {
    inst->handler = PickBinaryInt<MulLoOp>(type);
  }
  return inst->handler != nullptr && Sources(context, type, 2, inst);
}

bool DecodeMad(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  if (modifiers.Has("cc")) {
    return DecodeExtended(context, modifiers, inst, ExtendedOp::kMad, false);
  }
  Type type = modifiers.TakeType();
  if (IsFloat(type)) {
    return DecodeFloatArithmetic(context, modifiers, inst, FloatOp::kFma, type);
  }
  if (modifiers.Take("wide")) {
    switch (type) {
      case Type::kU16:
        inst->handler = &MadWide<uint16_t>;
        break;
      case Type::kS16:
        inst->handler = &MadWide<int16_t>;
        break;
      case Type::kU32:
        inst->handler = &MadWide<uint32_t>;
        break;
      case Type::kS32:
        inst->handler = &MadWide<int32_t>;
        break;
      default:
        return false;
    }
    return context.Operands(4) && context.Dest(0, &inst->op[0]) &&
           context.Source(1, type, &inst->op[1]) &&
           context.Source(2, type, &inst->op[2]) &&
           context.Source(3, WideOf(type), &inst->op[3]);
  }
  if (modifiers.Take("hi")) {
    inst->handler = PickTernaryInt<MadHiOp>(type);
  } else if (modifiers.Take("lo")) {
    inst->handler = PickTernaryInt<MadLoOp>(type);
  }
  return inst->handler != nullptr && Sources(context, type, 3, inst);
}

bool DecodeDiv(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  Type type = modifiers.TakeType();
  if (IsFloat(type)) {
    return DecodeFloatArithmetic(context, modifiers, inst, FloatOp::kDiv, type);
  }
  inst->handler = PickBinaryInt<DivOp>(type);
  return inst->handler != nullptr && Sources(context, type, 2, inst);
}

bool DecodeRem(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  Type type = modifiers.TakeType();
  inst->handler = PickBinaryInt<RemOp>(type);
  return inst->handler != nullptr && Sources(context, type, 2, inst);
}

bool DecodeMin(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  Type type = modifiers.TakeType();
  if (IsFloat(type)) {
    return DecodeFloatArithmetic(context, modifiers, inst, FloatOp::kMin, type);
  }
  if (modifiers.Take("relu")) return false;
  inst->handler = PickBinaryInt<MinOp>(type);
  return inst->handler != nullptr && Sources(context, type, 2, inst);
}

bool DecodeMax(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  Type type = modifiers.TakeType();
  if (IsFloat(type)) {
    return DecodeFloatArithmetic(context, modifiers, inst, FloatOp::kMax, type);
  }
  inst->handler = PickBinaryInt<MaxOp>(type);
  return inst->handler != nullptr && Sources(context, type, 2, inst);
}

bool DecodeAbs(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  Type type = modifiers.TakeType();
  if (IsFloat(type)) {
    return DecodeFloatArithmetic(context, modifiers, inst, FloatOp::kAbs, type);
  }
  inst->handler = PickUnaryInt<AbsOp>(type);
  return inst->handler != nullptr && Sources(context, type, 1, inst);
}

bool DecodeNeg(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  Type type = modifiers.TakeType();
  if (IsFloat(type)) {
    return DecodeFloatArithmetic(context, modifiers, inst, FloatOp::kNeg, type);
  }
  inst->handler = PickUnaryInt<NegOp>(type);
  return inst->handler != nullptr && Sources(context, type, 1, inst);
}

bool DecodeSad(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  Type type = modifiers.TakeType();
  inst->handler = PickTernaryInt<SadOp>(type);
  return inst->handler != nullptr && Sources(context, type, 3, inst);
}

bool DecodeFma(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  Type type = modifiers.TakeType();
  if (!IsFloat(type)) return false;
  return DecodeFloatArithmetic(context, modifiers, inst, FloatOp::kFma, type);
}

}  // namespace

void RegisterArithmetic(DecoderTable* table) {
  (*table)["add"] = &DecodeAdd;
  (*table)["sub"] = &DecodeSub;
  (*table)["mul"] = &DecodeMul;
  (*table)["mad"] = &DecodeMad;
  (*table)["fma"] = &DecodeFma;
  (*table)["div"] = &DecodeDiv;
  (*table)["rem"] = &DecodeRem;
  (*table)["min"] = &DecodeMin;
  (*table)["max"] = &DecodeMax;
  (*table)["abs"] = &DecodeAbs;
  (*table)["neg"] = &DecodeNeg;
  (*table)["sad"] = &DecodeSad;
}

}  // namespace tiletune::emulator
