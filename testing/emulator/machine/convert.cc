// cvt (PTX ISA 9.7.9.21), scalar and packed, and cvt.pack (9.7.9.22).
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "testing/emulator/engines/formats.h"
#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"

namespace tiletune::emulator {
namespace {

// Inst::flags.
constexpr uint32_t kSat = 1;
constexpr uint32_t kFtz = 2;
constexpr uint32_t kRelu = 4;
constexpr uint32_t kSatFinite = 8;
constexpr uint32_t kIntegerRound = 16;  // .rni and friends
constexpr uint32_t kRoundShift = 8;     // a Rounding

bool ScalarFormat(Type type, Format* format) {
  switch (type) {
    case Type::kF16:
    case Type::kF16x2:
      *format = Format::kF16;
      return true;
    case Type::kBf16:
    case Type::kBf16x2:
      *format = Format::kBf16;
      return true;
    case Type::kTf32:
      *format = Format::kTf32;
      return true;
    case Type::kF32:
      *format = Format::kF32;
      return true;
    case Type::kE4m3x2:
      *format = Format::kE4m3;
      return true;
    case Type::kE5m2x2:
      *format = Format::kE5m2;
      return true;
    case Type::kE2m1x2:
      *format = Format::kE2m1;
      return true;
    case Type::kE2m3x2:
      *format = Format::kE2m3;
      return true;
    case Type::kE3m2x2:
      *format = Format::kE3m2;
      return true;
    case Type::kUe8m0x2:
      *format = Format::kUe8m0;
      return true;
    default:
      return false;
  }
}

double ReadFloat(Type type, uint64_t bits) {
  switch (type) {
    case Type::kF64:
      return Value<double>(bits);
    case Type::kF32:
      return Value<float>(bits);
    case Type::kF16:
      return Decode(Format::kF16, static_cast<uint32_t>(bits) & 0xFFFF);
    default:
      return Decode(Format::kBf16, static_cast<uint32_t>(bits) & 0xFFFF);
  }
}

double RoundToInteger(double x, Rounding rounding) {
  switch (rounding) {
    case Rounding::kTowardZero:
      return std::trunc(x);
    case Rounding::kDown:
      return std::floor(x);
    case Rounding::kUp:
      return std::ceil(x);
    default:
      return std::nearbyint(x);
  }
}

// PTX clamps float to integer conversions and turns NaN into 0.
uint64_t ToInteger(double x, Type type) {
  if (std::isnan(x)) return 0;
  const int bits = 8 * TypeBytes(type);
  if (IsSigned(type)) {
    double low = -std::ldexp(1.0, bits - 1);
    double high = std::ldexp(1.0, bits - 1);
    if (x <= low) return static_cast<uint64_t>(static_cast<int64_t>(low));
    if (x >= high) return (uint64_t{1} << (bits - 1)) - 1;
    return static_cast<uint64_t>(static_cast<int64_t>(x));
  }
  if (x <= 0) return 0;
  if (x >= std::ldexp(1.0, bits)) {
    return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  }
  return static_cast<uint64_t>(x);
}

// Sign- or zero-extends an integer of `type`.
int64_t ReadInteger(Type type, uint64_t bits) {
  switch (type) {
    case Type::kS8:
      return static_cast<int8_t>(bits);
    case Type::kS16:
      return static_cast<int16_t>(bits);
    case Type::kS32:
      return static_cast<int32_t>(bits);
    case Type::kU8:
    case Type::kB8:
      return static_cast<uint8_t>(bits);
    case Type::kU16:
    case Type::kB16:
      return static_cast<uint16_t>(bits);
    case Type::kU32:
    case Type::kB32:
      return static_cast<uint32_t>(bits);
    default:
      return static_cast<int64_t>(bits);
  }
}

int64_t SaturateInteger(int64_t value, Type from, Type to) {
  int bits = 8 * TypeBytes(to);
  bool huge = from == Type::kU64 && value < 0;
  if (IsSigned(to)) {
    int64_t high = bits == 64 ? std::numeric_limits<int64_t>::max()
                              : (int64_t{1} << (bits - 1)) - 1;
    if (huge) return high;
    return std::clamp<int64_t>(value, -high - 1, high);
  }
  if (bits == 64) return huge || value >= 0 || !IsSigned(from) ? value : 0;
  int64_t high = (int64_t{1} << bits) - 1;
  if (huge) return high;
  return std::clamp<int64_t>(value, 0, high);
}

// kind: destination Type, space: source Type.
Step ConvertInteger(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  const Type to = static_cast<Type>(inst.kind);
  const Type from = static_cast<Type>(inst.space);
  ForLanes(mask, [&](int lane) {
    int64_t value = ReadInteger(from, a[lane]);
    if ((inst.flags & kSat) != 0) value = SaturateInteger(value, from, to);
    d[lane] =
        static_cast<uint64_t>(ReadInteger(to, static_cast<uint64_t>(value)));
  });
  return Step::kNext;
}

float RoundedFromDouble(double x, Rounding rounding) {
  EncodeOptions options;
  options.rounding = rounding;
  return Value<float>(Encode(Format::kF32, x, options));
}

uint64_t WriteFloat(Type type, double x, const Inst& inst) {
  if ((inst.flags & kSat) != 0) {
    x = x > 0 ? std::min(x, 1.0) : 0;  // NaN and -0 become 0
  }
  EncodeOptions options;
  options.rounding = static_cast<Rounding>((inst.flags >> kRoundShift) & 0xF);
  options.relu = (inst.flags & kRelu) != 0;
  options.satfinite = (inst.flags & kSatFinite) != 0;
  Format format = Format::kF32;
  if (type == Type::kF64) return Bits(x);
  if (type == Type::kF32) {
    float value = RoundedFromDouble(x, options.rounding);
    if ((inst.flags & kFtz) != 0 && std::fpclassify(value) == FP_SUBNORMAL) {
      value = std::copysign(0.0f, value);
    }
    return Bits(value);
  }
  ScalarFormat(type, &format);
  return Encode(format, x, options);
}

Step ConvertScalar(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  const Type to = static_cast<Type>(inst.kind);
  const Type from = static_cast<Type>(inst.space);
  const Rounding rounding =
      static_cast<Rounding>((inst.flags >> kRoundShift) & 0xF);
  ForLanes(mask, [&](int lane) {
    if (to == Type::kF32 && from == Type::kBf16 && inst.flags == 0) {
      d[lane] = (a[lane] & 0xFFFF) << 16;  // keeps a NaN's payload
      return;
    }
    if (to == Type::kTf32 && rounding == Rounding::kNearestAway &&
        std::isnan(Value<float>(a[lane]))) {
      d[lane] = a[lane] & 0xFFFFE000;  // .rna keeps a NaN's upper bits
      return;
    }
    if (IsFloat(from)) {
      double x = ReadFloat(from, a[lane]);
      if ((inst.flags & kFtz) != 0 && from == Type::kF32 &&
          std::fpclassify(static_cast<float>(x)) == FP_SUBNORMAL) {
        x = std::copysign(0.0, x);
      }
      if ((inst.flags & kIntegerRound) != 0) x = RoundToInteger(x, rounding);
      d[lane] = IsFloat(to) ? WriteFloat(to, x, inst) : ToInteger(x, to);
      return;
    }
    int64_t value = ReadInteger(from, a[lane]);
    // 64-bit integers do not fit a double: convert to f32 directly.
    if (to == Type::kF32 && rounding == Rounding::kNearestEven) {
      float x = from == Type::kU64
                    ? static_cast<float>(static_cast<uint64_t>(value))
                    : static_cast<float>(value);
      d[lane] = Bits(x);
    } else {
      double x = from == Type::kU64
                     ? static_cast<double>(static_cast<uint64_t>(value))
                     : static_cast<double>(value);
      d[lane] = WriteFloat(to, x, inst);
    }
  });
  return Step::kNext;
}

// d = {a, b} narrowed: f32 sources in op[1] (high) and op[2] (low).
Step ConvertPairFromF32(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  const uint64_t* b = warp.Reg(inst.op[2]);
  Format format = Format::kF16;
  ScalarFormat(static_cast<Type>(inst.kind), &format);
  EncodeOptions options;
  options.rounding = static_cast<Rounding>((inst.flags >> kRoundShift) & 0xF);
  options.relu = (inst.flags & kRelu) != 0;
  options.satfinite = (inst.flags & kSatFinite) != 0;
  const bool plain_bf16 = format == Format::kBf16 && !options.relu &&
                          !options.satfinite &&
                          options.rounding == Rounding::kNearestEven;
  ForLanes(mask, [&](int lane) {
    float high = Value<float>(a[lane]);
    float low = Value<float>(b[lane]);
    d[lane] = plain_bf16 ? (static_cast<uint64_t>(EncodeBf16(high)) << 16) |
                               EncodeBf16(low)
                         : EncodePair(format, high, low, options);
  });
  return Step::kNext;
}

// One packed pair to another: space holds the source Type.
Step ConvertPair(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  Format to = Format::kF16;
  Format from = Format::kF16;
  ScalarFormat(static_cast<Type>(inst.kind), &to);
  ScalarFormat(static_cast<Type>(inst.space), &from);
  EncodeOptions options;
  options.rounding = static_cast<Rounding>((inst.flags >> kRoundShift) & 0xF);
  options.relu = (inst.flags & kRelu) != 0;
  options.satfinite = (inst.flags & kSatFinite) != 0;
  ForLanes(mask, [&](int lane) {
    float high;
    float low;
    DecodePair(from, static_cast<uint32_t>(a[lane]), &high, &low);
    d[lane] = EncodePair(to, high, low, options);
  });
  return Step::kNext;
}

bool IsPacked(Type type) {
  return type == Type::kF16x2 || type == Type::kBf16x2 ||
         (type >= Type::kE4m3x2 && type <= Type::kUe8m0x2);
}

// cvt.pack.sat.convert.s32{.b32}: d = {c shifted, sat(a), sat(b)}.
Step ConvertPack(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  const uint64_t* b = warp.Reg(inst.op[2]);
  const uint64_t* c = warp.Reg(inst.op[3]);
  const Type to = static_cast<Type>(inst.kind);
  const int bits = 8 * TypeBytes(to);
  const uint64_t field = (uint64_t{1} << bits) - 1;
  ForLanes(mask, [&](int lane) {
    uint64_t high = static_cast<uint64_t>(SaturateInteger(
                        Value<int32_t>(a[lane]), Type::kS32, to)) &
                    field;
    uint64_t low = static_cast<uint64_t>(SaturateInteger(
                       Value<int32_t>(b[lane]), Type::kS32, to)) &
                   field;
    uint64_t rest = inst.flags != 0 ? c[lane] << (2 * bits) : 0;
    d[lane] = (rest | (high << bits) | low) & 0xFFFFFFFF;
  });
  return Step::kNext;
}

bool DecodePack(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  modifiers.Take("sat");
  Type to = modifiers.TakeType();
  if (modifiers.TakeType() != Type::kS32) return false;
  bool third = modifiers.TakeType() == Type::kB32;
  if (to != Type::kU8 && to != Type::kS8 && to != Type::kU16 &&
      to != Type::kS16) {
    return false;
  }
  inst->handler = &ConvertPack;
  inst->kind = static_cast<uint8_t>(to);
  inst->flags = third ? 1 : 0;
  return context.Operands(third ? 4 : 3) && context.Dest(0, &inst->op[0]) &&
         context.Source(1, Type::kS32, &inst->op[1]) &&
         context.Source(2, Type::kS32, &inst->op[2]) &&
         (!third || context.Source(3, Type::kB32, &inst->op[3]));
}

bool TakeRounding(Modifiers& modifiers, Rounding* rounding, bool* integer) {
  struct Entry {
    const char* name;
    Rounding rounding;
    bool integer;
  };
  static constexpr Entry kNames[] = {
      {"rn", Rounding::kNearestEven, false},
      {"rna", Rounding::kNearestAway, false},
      {"rz", Rounding::kTowardZero, false},
      {"rm", Rounding::kDown, false},
      {"rp", Rounding::kUp, false},
      {"rni", Rounding::kNearestEven, true},
      {"rzi", Rounding::kTowardZero, true},
      {"rmi", Rounding::kDown, true},
      {"rpi", Rounding::kUp, true},
  };
  for (const Entry& entry : kNames) {
    if (modifiers.Take(entry.name)) {
      *rounding = entry.rounding;
      *integer = entry.integer;
      return true;
    }
  }
  return false;
}

bool DecodeCvt(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  if (modifiers.Take("pack")) return DecodePack(context, modifiers, inst);
  Rounding rounding = Rounding::kNearestEven;
  bool integer_round = false;
  TakeRounding(modifiers, &rounding, &integer_round);
  if (modifiers.Take("ftz")) inst->flags |= kFtz;
  if (modifiers.Take("sat")) inst->flags |= kSat;
  if (modifiers.Take("relu")) inst->flags |= kRelu;
  if (modifiers.Take("satfinite")) inst->flags |= kSatFinite;
  Type to = modifiers.TakeType();
  Type from = modifiers.TakeType();
  if (to == Type::kNone || from == Type::kNone) return false;
  if (integer_round) inst->flags |= kIntegerRound;
  inst->flags |= static_cast<uint32_t>(rounding) << kRoundShift;
  inst->kind = static_cast<uint8_t>(to);
  inst->space = static_cast<uint8_t>(from);
  if (IsPacked(to) && from == Type::kF32) {
    inst->handler = &ConvertPairFromF32;
    return context.Operands(3) && context.Dest(0, &inst->op[0]) &&
           context.Source(1, from, &inst->op[1]) &&
           context.Source(2, from, &inst->op[2]);
  }
  if (IsPacked(to) != IsPacked(from)) return false;
  if (IsPacked(to)) {
    inst->handler = &ConvertPair;
  } else if (IsFloat(to) || IsFloat(from)) {
    inst->handler = &ConvertScalar;
  } else {
    inst->handler = &ConvertInteger;
  }
  return context.Operands(2) && context.Dest(0, &inst->op[0]) &&
         context.Source(1, from, &inst->op[1]);
}

}  // namespace

void RegisterConvert(DecoderTable* table) { (*table)["cvt"] = &DecodeCvt; }

}  // namespace tiletune::emulator
