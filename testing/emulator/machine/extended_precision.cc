// Extended-precision integer arithmetic (PTX ISA 9.7.2): add.cc, addc, sub.cc,
// subc, mad.cc, madc, and the carry flag that they share.
#include "testing/emulator/machine/arithmetic.h"
#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"
#include "testing/emulator/machine/machine.h"

namespace tiletune::emulator {
namespace {

using Wide = unsigned __int128;

// Inst::flags.
constexpr uint32_t kCarryIn = 1;
constexpr uint32_t kCarryOut = 2;
constexpr uint32_t kHigh = 4;    // of a product
constexpr uint32_t kSigned = 8;  // product

// The half of a * b that `inst` asks for, in its lower bits.
uint64_t Product(const Inst& inst, uint64_t a, uint64_t b) {
  const int bits = 8 * inst.bytes;
  Wide product = static_cast<Wide>(a) * b;
  if ((inst.flags & kSigned) != 0) {
    const int shift = 64 - bits;
    product = static_cast<Wide>(
        static_cast<__int128>(static_cast<int64_t>(a << shift) >> shift) *
        static_cast<__int128>(static_cast<int64_t>(b << shift) >> shift));
  }
  return static_cast<uint64_t>((inst.flags & kHigh) != 0 ? product >> bits
                                                         : product);
}

// kind: ExtendedOp; bytes: of the operands.
Step Extended(Warp& warp, const Inst& inst, uint32_t mask) {
  const ExtendedOp op = static_cast<ExtendedOp>(inst.kind);
  const int bits = 8 * inst.bytes;
  const uint64_t keep = ~uint64_t{0} >> (64 - bits);
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  const uint64_t* b = warp.Reg(inst.op[2]);
  const uint64_t* c = warp.Reg(inst.op[3]);
  ForLanes(mask, [&](int lane) {
    const uint64_t carry =
        (inst.flags & kCarryIn) != 0 ? warp.carry >> lane & 1 : 0;
    uint64_t x = a[lane] & keep;
    uint64_t y = b[lane] & keep;
    if (op == ExtendedOp::kMad) {
      x = Product(inst, x, y) & keep;
      y = c[lane] & keep;
    }
    // A borrow leaves ones above the operands' bits.
    const Wide result = op == ExtendedOp::kSub
                            ? static_cast<Wide>(x) - y - carry
                            : static_cast<Wide>(x) + y + carry;
    d[lane] = static_cast<uint64_t>(result) & keep;
    if ((inst.flags & kCarryOut) != 0) {
      const uint32_t out = static_cast<uint32_t>(result >> bits) & 1;
      warp.carry = (warp.carry & ~(1u << lane)) | out << lane;
    }
  });
  return Step::kNext;
}

}  // namespace

bool DecodeExtended(DecodeContext& context, Modifiers& modifiers, Inst* inst,
                    ExtendedOp op, bool carry_in) {
  inst->handler = &Extended;
  inst->kind = static_cast<uint8_t>(op);
  if (carry_in) inst->flags |= kCarryIn;
  if (modifiers.Take("cc")) inst->flags |= kCarryOut;
  const Type type = modifiers.TakeType();
  if (type != Type::kU32 && type != Type::kS32 && type != Type::kU64 &&
      type != Type::kS64) {
    return false;
  }
  inst->bytes = static_cast<uint8_t>(TypeBytes(type));
  size_t sources = 2;
  if (op == ExtendedOp::kMad) {
    sources = 3;
    if (IsSigned(type)) inst->flags |= kSigned;
    if (modifiers.Take("hi")) {
      inst->flags |= kHigh;
    } else if (!modifiers.Take("lo")) {
      return false;
    }
  }
  if (!context.Operands(1 + sources) || !context.Dest(0, &inst->op[0])) {
    return false;
  }
  for (size_t i = 1; i <= sources; ++i) {
    if (!context.Source(i, type, &inst->op[i])) return false;
  }
  return true;
}

namespace {

bool DecodeAddc(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  return DecodeExtended(context, modifiers, inst, ExtendedOp::kAdd, true);
}
bool DecodeSubc(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  return DecodeExtended(context, modifiers, inst, ExtendedOp::kSub, true);
}
bool DecodeMadc(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  return DecodeExtended(context, modifiers, inst, ExtendedOp::kMad, true);
}

}  // namespace

void RegisterExtendedPrecision(DecoderTable* table) {
  (*table)["addc"] = &DecodeAddc;
  (*table)["subc"] = &DecodeSubc;
  (*table)["madc"] = &DecodeMadc;
}

}  // namespace tiletune::emulator
