// The floating-point side of the arithmetic opcodes. Private to this folder.
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

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_ARITHMETIC_H_
