// Masks and extensions of a number of bits given at run time: bmsk and szext
// (PTX ISA 9.7.1.21 and 9.7.1.22).
#include <cstdint>

#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"

namespace tiletune::emulator {
namespace {

constexpr uint32_t kBits = 32;

uint32_t MaskOf(uint32_t position, uint32_t width) {
  if (position >= kBits || width == 0) return 0;
  const uint32_t from_position = ~0u << position;
  if (width >= kBits - position) return from_position;
  return from_position & ~(~0u << (position + width));
}

struct MaskClampOp {
  static uint32_t Run(uint32_t a, uint32_t b) { return MaskOf(a, b); }
};
struct MaskWrapOp {
  static uint32_t Run(uint32_t a, uint32_t b) {
    return MaskOf(a % kBits, b % kBits);
  }
};

uint32_t Extend(uint32_t value, uint32_t bits, bool is_signed) {
  if (bits == 0) return 0;
  if (bits >= kBits) return value;
  const uint32_t above = ~0u << bits;
  const bool negative = is_signed && (value >> (bits - 1) & 1) != 0;
  return negative ? value | above : value & ~above;
}

template <bool kSigned>
struct ExtendClampOp {
  static uint32_t Run(uint32_t a, uint32_t b) { return Extend(a, b, kSigned); }
};
template <bool kSigned>
struct ExtendWrapOp {
  static uint32_t Run(uint32_t a, uint32_t b) {
    return Extend(a, b % kBits, kSigned);
  }
};

// Takes .clamp or .wrap; false if it is neither.
bool TakeMode(Modifiers& modifiers, bool* wrap) {
  *wrap = modifiers.Take("wrap");
  return *wrap || modifiers.Take("clamp");
}

bool Operands(DecodeContext& context, Inst* inst) {
  return context.Operands(3) && context.Dest(0, &inst->op[0]) &&
         context.Source(1, Type::kB32, &inst->op[1]) &&
         context.Source(2, Type::kB32, &inst->op[2]);
}

bool DecodeMask(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  bool wrap = false;
  if (!TakeMode(modifiers, &wrap) || modifiers.TakeType() != Type::kB32) {
    return false;
  }
  inst->handler = wrap ? &BinaryLanes<uint32_t, MaskWrapOp>
                       : &BinaryLanes<uint32_t, MaskClampOp>;
  return Operands(context, inst);
}

bool DecodeExtend(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  bool wrap = false;
  if (!TakeMode(modifiers, &wrap)) return false;
  const Type type = modifiers.TakeType();
  if (type == Type::kU32) {
    inst->handler = wrap ? &BinaryLanes<uint32_t, ExtendWrapOp<false>>
                         : &BinaryLanes<uint32_t, ExtendClampOp<false>>;
  } else if (type == Type::kS32) {
    inst->handler = wrap ? &BinaryLanes<uint32_t, ExtendWrapOp<true>>
                         : &BinaryLanes<uint32_t, ExtendClampOp<true>>;
  } else {
    return false;
  }
  return Operands(context, inst);
}

}  // namespace

void RegisterBitMask(DecoderTable* table) {
  (*table)["bmsk"] = &DecodeMask;
  (*table)["szext"] = &DecodeExtend;
}

}  // namespace tiletune::emulator
