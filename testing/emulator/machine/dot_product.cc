// dp4a and dp2a (PTX ISA 9.7.1.23, 9.7.1.24).
#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"
#include "testing/emulator/machine/machine.h"

namespace tiletune::emulator {
namespace {

// Inst::flags.
constexpr uint32_t kSignedA = 1;
constexpr uint32_t kSignedB = 2;
constexpr uint32_t kWords = 4;  // dp2a: A has two 16-bit values
constexpr uint32_t kHigh = 8;   // dp2a.hi: the upper two bytes of B

// Element i of `bits` bits, sign- or zero-extended.
int64_t Element(uint64_t word, int i, int bits, bool is_signed) {
  const int64_t shifted = static_cast<int64_t>(word << (64 - bits * (i + 1)));
  return is_signed ? shifted >> (64 - bits)
                   : static_cast<int64_t>(static_cast<uint64_t>(shifted) >>
                                          (64 - bits));
}

Step DotProduct(Warp& warp, const Inst& inst, uint32_t mask) {
  const bool words = (inst.flags & kWords) != 0;
  const int first_b = (inst.flags & kHigh) != 0 ? 2 : 0;
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  const uint64_t* b = warp.Reg(inst.op[2]);
  const uint64_t* c = warp.Reg(inst.op[3]);
  ForLanes(mask, [&](int lane) {
    int64_t sum = static_cast<int64_t>(c[lane]);
    for (int i = 0; i < (words ? 2 : 4); ++i) {
      sum += Element(a[lane], i, words ? 16 : 8, (inst.flags & kSignedA) != 0) *
             Element(b[lane], first_b + i, 8, (inst.flags & kSignedB) != 0);
    }
    d[lane] = static_cast<uint32_t>(sum);
  });
  return Step::kNext;
}

bool DecodeDotProduct(DecodeContext& context, Modifiers& modifiers, Inst* inst,
                      bool words) {
  inst->handler = &DotProduct;
  if (words) {
    inst->flags |= kWords;
    if (modifiers.Take("hi")) {
      inst->flags |= kHigh;
    } else if (!modifiers.Take("lo")) {
      return false;
    }
  }
  // The types of A and of B, in this order.
  const Type a = modifiers.TakeType();
  const Type b = modifiers.TakeType();
  for (Type type : {a, b}) {
    if (type != Type::kU32 && type != Type::kS32) return false;
  }
  if (a == Type::kS32) inst->flags |= kSignedA;
  if (b == Type::kS32) inst->flags |= kSignedB;
  return context.Operands(4) && context.Dest(0, &inst->op[0]) &&
         context.Source(1, Type::kB32, &inst->op[1]) &&
         context.Source(2, Type::kB32, &inst->op[2]) &&
         context.Source(3, Type::kB32, &inst->op[3]);
}

bool DecodeDp4a(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  return DecodeDotProduct(context, modifiers, inst, false);
}
bool DecodeDp2a(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  return DecodeDotProduct(context, modifiers, inst, true);
}

}  // namespace

void RegisterDotProduct(DecoderTable* table) {
  (*table)["dp4a"] = &DecodeDp4a;
  (*table)["dp2a"] = &DecodeDp2a;
}

}  // namespace tiletune::emulator
