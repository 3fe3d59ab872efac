// Reciprocals, roots and transcendental functions (PTX ISA 9.7.3). The .approx
// forms are computed accurately here: hardware's last bits differ.
#include <cmath>

#include "testing/emulator/engines/formats.h"
#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"

namespace tiletune::emulator {
namespace {

enum class MathOp : uint8_t {
  kRcp,
  kSqrt,
  kRsqrt,
  kSin,
  kCos,
  kLg2,
  kEx2,
  kTanh,
};

constexpr uint32_t kFtz = 1;

double Compute(MathOp op, double x) {
  switch (op) {
    case MathOp::kRcp:
      return 1.0 / x;
    case MathOp::kSqrt:
      return std::sqrt(x);
    case MathOp::kRsqrt:
      return 1.0 / std::sqrt(x);
    case MathOp::kSin:
      return std::sin(x);
    case MathOp::kCos:
      return std::cos(x);
    case MathOp::kLg2:
      return std::log2(x);
    case MathOp::kEx2:
      return std::exp2(x);
    case MathOp::kTanh:
      return std::tanh(x);
  }
  return x;
}

float Flush(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

Step MathF32(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  const MathOp op = static_cast<MathOp>(inst.kind);
  const bool ftz = (inst.flags & kFtz) != 0;
  ForLanes(mask, [&](int lane) {
    float x = Value<float>(a[lane]);
    if (ftz) x = Flush(x);
    float result = static_cast<float>(Compute(op, x));
    d[lane] = Bits(ftz ? Flush(result) : result);
  });
  return Step::kNext;
}

Step MathF64(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  const MathOp op = static_cast<MathOp>(inst.kind);
  ForLanes(mask, [&](int lane) {
    d[lane] = Bits(Compute(op, Value<double>(a[lane])));
  });
  return Step::kNext;
}

template <Format kFormat, int kCount>
Step MathHalf(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  const MathOp op = static_cast<MathOp>(inst.kind);
  ForLanes(mask, [&](int lane) {
    uint64_t out = 0;
    for (int i = 0; i < kCount; ++i) {
      double x = Decode(kFormat, (a[lane] >> (16 * i)) & 0xFFFF);
      uint64_t bits = Encode(kFormat, Compute(op, x), EncodeOptions{}) & 0xFFFF;
      out |= bits << (16 * i);
    }
    d[lane] = out;
  });
  return Step::kNext;
}

template <MathOp kOp>
bool DecodeMath(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  inst->kind = static_cast<uint8_t>(kOp);
  if (modifiers.Take("ftz")) inst->flags |= kFtz;
  modifiers.Take("approx");
  modifiers.Take("rn");
  Type type = modifiers.TakeType();
  switch (type) {
    case Type::kF32:
      inst->handler = &MathF32;
      break;
    case Type::kF64:
      inst->handler = &MathF64;
      break;
    case Type::kF16:
      inst->handler = &MathHalf<Format::kF16, 1>;
      break;
    case Type::kF16x2:
      inst->handler = &MathHalf<Format::kF16, 2>;
      break;
    case Type::kBf16:
      inst->handler = &MathHalf<Format::kBf16, 1>;
      break;
    case Type::kBf16x2:
      inst->handler = &MathHalf<Format::kBf16, 2>;
      break;
    default:
      return false;
  }
  return context.Operands(2) && context.Dest(0, &inst->op[0]) &&
         context.Source(1, type, &inst->op[1]);
}

// d = |a| with the sign of b... copysign d, a, b: sign of a, value of b.
struct CopySignOp {
  template <typename T>
  static T Run(T a, T b) {
    return std::copysign(b, a);
  }
};

bool DecodeCopySign(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  Type type = modifiers.TakeType();
  if (type == Type::kF32) {
    inst->handler = &BinaryLanes<float, CopySignOp>;
  } else if (type == Type::kF64) {
    inst->handler = &BinaryLanes<double, CopySignOp>;
  } else {
    return false;
  }
  return context.Operands(3) && context.Dest(0, &inst->op[0]) &&
         context.Source(1, type, &inst->op[1]) &&
         context.Source(2, type, &inst->op[2]);
}

}  // namespace

void RegisterFloat(DecoderTable* table) {
  (*table)["rcp"] = &DecodeMath<MathOp::kRcp>;
  (*table)["sqrt"] = &DecodeMath<MathOp::kSqrt>;
  (*table)["rsqrt"] = &DecodeMath<MathOp::kRsqrt>;
  (*table)["sin"] = &DecodeMath<MathOp::kSin>;
  (*table)["cos"] = &DecodeMath<MathOp::kCos>;
  (*table)["lg2"] = &DecodeMath<MathOp::kLg2>;
  (*table)["ex2"] = &DecodeMath<MathOp::kEx2>;
  (*table)["tanh"] = &DecodeMath<MathOp::kTanh>;
  (*table)["copysign"] = &DecodeCopySign;
}

}  // namespace tiletune::emulator
