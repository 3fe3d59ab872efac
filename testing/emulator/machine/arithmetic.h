// The floating-point and the extended-precision side of the arithmetic
// opcodes. Private to this folder.
//
//   Type type = modifiers.TakeType();
//   if (IsFloat(type))
//     return DecodeFloatArithmetic(context, modifiers, inst, FloatOp::kAdd,
//                                  type);
//   inst->handler = PickBinaryInt<AddOp>(type);
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_ARITHMETIC_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_ARITHMETIC_H_

#include "testing/emulator/machine/decode_context.h"

namespace tiletune::emulator {

enum class FloatOp {
  kAdd,
  kSub,
  kMul,
  kFma,
  kDiv,
  kMin,
  kMax,
  kAbs,
  kNeg,
};

// f32, f64, f32x2, f16, bf16 and their packed pairs; rounding, .ftz, .sat,
// .relu, .NaN and .xorsign modifiers.
bool DecodeFloatArithmetic(DecodeContext& context, Modifiers& modifiers,
                           Inst* inst, FloatOp op, Type type);

enum class ExtendedOp : uint8_t { kAdd, kSub, kMad };

// add.cc, addc and so on, from the modifiers after the first word; `carry_in`
// for addc, subc, madc.
bool DecodeExtended(DecodeContext& context, Modifiers& modifiers, Inst* inst,
                    ExtendedOp op, bool carry_in);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_ARITHMETIC_H_
