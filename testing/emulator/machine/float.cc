// Floating-point arithmetic (PTX ISA 9.7.3 to 9.7.5). f16 and bf16 are
// computed in double and rounded once.
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>

#include "testing/emulator/engines/formats.h"
#include "testing/emulator/machine/arithmetic.h"
#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"

namespace tiletune::emulator {
namespace {

// Modifier bits in Inst::flags.
constexpr uint32_t kFtz = 1;
constexpr uint32_t kSat = 2;
constexpr uint32_t kRelu = 4;
constexpr uint32_t kNan = 8;
constexpr uint32_t kXorSign = 16;
constexpr uint32_t kRoundShift = 8;  // 0 nearest, 1 zero, 2 down, 3 up
constexpr uint32_t kRoundMask = 3u << kRoundShift;

float FlushF32(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

template <typename T>
T MinMax(T a, T b, bool maximum, uint32_t flags) {
  if (std::isnan(a) || std::isnan(b)) {
    if ((flags & kNan) != 0 || (std::isnan(a) && std::isnan(b))) {
      return std::numeric_limits<T>::quiet_NaN();
    }
    return std::isnan(a) ? b : a;
  }
  T x = (flags & kXorSign) != 0 ? std::fabs(a) : a;
  T y = (flags & kXorSign) != 0 ? std::fabs(b) : b;
  bool first = x == y ? (std::signbit(x) != maximum) : (x < y) != maximum;
  T result = first ? x : y;
  if ((flags & kXorSign) != 0) {
    result = std::copysign(result,
                           std::signbit(a) != std::signbit(b) ? T{-1} : T{1});
  }
  return result;
}

// a * b + c of f16 or bf16 values in a double that rounds to them as the exact
// result would: the product is exact, and the sum is rounded to odd.
double FusedToOdd(double a, double b, double c) {
  const double product = a * b;
  const double sum = product + c;
  if (!std::isfinite(sum)) return sum;
  // The error of the sum (Knuth's TwoSum).
  const double c_part = sum - product;
  const double error = (product - (sum - c_part)) + (c - c_part);
  uint64_t bits = Bits(sum);
  if (error == 0 || (bits & 1) != 0) return sum;
  bits += std::signbit(error) == std::signbit(sum) ? 1 : -1;
  return Value<double>(bits);
}

template <typename T>
T ComputeRaw(FloatOp op, T a, T b, T c, uint32_t flags) {
  switch (op) {
    case FloatOp::kAdd:
      return a + b;
    case FloatOp::kSub:
      return a - b;
    case FloatOp::kMul:
      return a * b;
    case FloatOp::kFma:
      return std::fma(a, b, c);
    case FloatOp::kDiv:
      return a / b;
    case FloatOp::kMin:
      return MinMax(a, b, false, flags);
    case FloatOp::kMax:
      return MinMax(a, b, true, flags);
    case FloatOp::kAbs:
      return std::fabs(a);
    case FloatOp::kNeg:
      return -a;
  }
  return a;
}

// ComputeRaw, with the one NaN that f32 arithmetic gives.
template <typename T>
T Compute(FloatOp op, T a, T b, T c, uint32_t flags) {
  const T result = ComputeRaw(op, a, b, c, flags);
  if constexpr (sizeof(T) == 4) {
    const bool keeps = op == FloatOp::kAbs || op == FloatOp::kNeg;
    return keeps ? result : CanonicalNan(result);
  }
  return result;
}

template <typename T>
T Saturate(T x, uint32_t flags) {
  if ((flags & kSat) != 0) {
    if (std::isnan(x)) return T{0};
    return x > T{0} ? (x > T{1} ? T{1} : x) : T{0};  // -0 becomes 0
  }
  if ((flags & kRelu) != 0 && x < T{0}) return T{0};
  return x;
}

// The plain forms, one template for each operation so that they vectorise.
template <FloatOp kOp>
struct PlainOp {
  template <typename T>
  static T Run(T a) {
    return Compute(kOp, a, a, a, 0);
  }
  template <typename T>
  static T Run(T a, T b) {
    return Compute(kOp, a, b, a, 0);
  }
  template <typename T>
  static T Run(T a, T b, T c) {
    return Compute(kOp, a, b, c, 0);
  }
};

template <typename T>
Step ModifiedLanes(Warp& warp, const Inst& inst, uint32_t mask) {
  static constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                                   FE_UPWARD};
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  const uint64_t* b = warp.Reg(inst.op[2]);
  const uint64_t* c = warp.Reg(inst.op[3]);
  const FloatOp op = static_cast<FloatOp>(inst.kind);
  const uint32_t round = (inst.flags & kRoundMask) >> kRoundShift;
  if (round != 0) std::fesetround(kModes[round]);
  ForLanes(mask, [&](int lane) {
    volatile T x = Value<T>(a[lane]);
    volatile T y = Value<T>(b[lane]);
    volatile T z = Value<T>(c[lane]);
    T result;
    if constexpr (sizeof(T) == 4) {
      if ((inst.flags & kFtz) != 0) {
        result = FlushF32(
            Compute<T>(op, FlushF32(x), FlushF32(y), FlushF32(z), inst.flags));
      } else {
        result = Compute<T>(op, x, y, z, inst.flags);
      }
    } else {
      result = Compute<T>(op, x, y, z, inst.flags);
    }
    d[lane] = Bits(Saturate(result, inst.flags));
  });
  if (round != 0) std::fesetround(FE_TONEAREST);
  return Step::kNext;
}

// Two f32 in a 64-bit register (PTX ISA 9.7.3, .f32x2).
Step PairF32(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  const uint64_t* b = warp.Reg(inst.op[2]);
  const uint64_t* c = warp.Reg(inst.op[3]);
  const FloatOp op = static_cast<FloatOp>(inst.kind);
  ForLanes(mask, [&](int lane) {
    uint64_t out = 0;
    for (int half = 0; half < 2; ++half) {
      int shift = 32 * half;
      float result = Compute(op, Value<float>(a[lane] >> shift),
                             Value<float>(b[lane] >> shift),
                             Value<float>(c[lane] >> shift), inst.flags);
      out |= Bits(Saturate(result, inst.flags)) << shift;
    }
    d[lane] = out;
  });
  return Step::kNext;
}

// f16 and bf16, one or two in a register.
template <Format kFormat, int kCount>
Step HalfLanes(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  const uint64_t* b = warp.Reg(inst.op[2]);
  const uint64_t* c = warp.Reg(inst.op[3]);
  const FloatOp op = static_cast<FloatOp>(inst.kind);
  ForLanes(mask, [&](int lane) {
    uint64_t out = 0;
    for (int i = 0; i < kCount; ++i) {
      int shift = 16 * i;
      double x = Decode(kFormat, (a[lane] >> shift) & 0xFFFF);
      double y = Decode(kFormat, (b[lane] >> shift) & 0xFFFF);
      double z = Decode(kFormat, (c[lane] >> shift) & 0xFFFF);
      double result = op == FloatOp::kFma ? FusedToOdd(x, y, z)
                                          : Compute(op, x, y, z, inst.flags);
      result = Saturate(result, inst.flags);
      out |= static_cast<uint64_t>(Encode(kFormat, result, EncodeOptions{}) &
                                   0xFFFF)
             << shift;
    }
    d[lane] = out;
  });
  return Step::kNext;
}

template <FloatOp kOp>
Handler PlainF32(int sources) {
  if (sources == 1) return &UnaryLanes<float, PlainOp<kOp>>;
  if (sources == 2) return &BinaryLanes<float, PlainOp<kOp>>;
  return &TernaryLanes<float, PlainOp<kOp>>;
}

Handler PickPlainF32(FloatOp op) {
  switch (op) {
    case FloatOp::kAdd:
      return PlainF32<FloatOp::kAdd>(2);
    case FloatOp::kSub:
      return PlainF32<FloatOp::kSub>(2);
    case FloatOp::kMul:
      return PlainF32<FloatOp::kMul>(2);
    case FloatOp::kFma:
      return PlainF32<FloatOp::kFma>(3);
    case FloatOp::kDiv:
      return PlainF32<FloatOp::kDiv>(2);
    case FloatOp::kMin:
      return PlainF32<FloatOp::kMin>(2);
    case FloatOp::kMax:
      return PlainF32<FloatOp::kMax>(2);
    case FloatOp::kAbs:
      return PlainF32<FloatOp::kAbs>(1);
    case FloatOp::kNeg:
      return PlainF32<FloatOp::kNeg>(1);
  }
  return nullptr;
}

}  // namespace

bool DecodeFloatArithmetic(DecodeContext& context, Modifiers& modifiers,
                           Inst* inst, FloatOp op, Type type) {
  // Mixed precision (PTX ISA 9.7.5): add.f32.bf16 and friends.
  if (!modifiers.empty() && modifiers.TakeType() != Type::kNone) {
    return context.Fail("mixed-precision arithmetic is not supported");
  }
  if (modifiers.Take("ftz")) inst->flags |= kFtz;
  if (modifiers.Take("sat")) inst->flags |= kSat;
  if (modifiers.Take("relu")) inst->flags |= kRelu;
  if (modifiers.Take("NaN")) inst->flags |= kNan;
  if (modifiers.Take("xorsign")) inst->flags |= kXorSign;
  modifiers.Take("abs");
  modifiers.Take("rn");
  modifiers.Take("approx");
  modifiers.Take("full");
  if (modifiers.Take("rz")) inst->flags |= 1u << kRoundShift;
  if (modifiers.Take("rm")) inst->flags |= 2u << kRoundShift;
  if (modifiers.Take("rp")) inst->flags |= 3u << kRoundShift;
  inst->kind = static_cast<uint8_t>(op);
  int sources = 2;
  if (op == FloatOp::kFma) sources = 3;
  if (op == FloatOp::kAbs || op == FloatOp::kNeg) sources = 1;
  switch (type) {
    case Type::kF32:
      inst->handler =
          inst->flags == 0 ? PickPlainF32(op) : &ModifiedLanes<float>;
      break;
    case Type::kF64:
      inst->handler = &ModifiedLanes<double>;
      break;
    case Type::kF32x2:
      if ((inst->flags & kRoundMask) != 0) {
        return context.Fail("only .rn is supported for .f32x2");
      }
      inst->handler = &PairF32;
      break;
    case Type::kF16:
      inst->handler = &HalfLanes<Format::kF16, 1>;
      break;
    case Type::kF16x2:
      inst->handler = &HalfLanes<Format::kF16, 2>;
      break;
    case Type::kBf16:
      inst->handler = &HalfLanes<Format::kBf16, 1>;
      break;
    case Type::kBf16x2:
      inst->handler = &HalfLanes<Format::kBf16, 2>;
      break;
    default:
      return false;
  }
  bool three_input_minmax = (op == FloatOp::kMin || op == FloatOp::kMax) &&
                            context.OperandCount() == 4;
  if (three_input_minmax) {
    return context.Fail("three-input min/max is not supported");
  }
  if (!context.Operands(static_cast<size_t>(sources) + 1) ||
      !context.Dest(0, &inst->op[0])) {
    return false;
  }
  for (int i = 1; i <= sources; ++i) {
    if (!context.Source(static_cast<size_t>(i), type, &inst->op[i])) {
      return false;
    }
  }
  return true;
}

}  // namespace tiletune::emulator
