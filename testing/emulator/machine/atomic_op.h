// The operations of atom, red and red.async on one element (PTX ISA 9.7.13.5,
// 9.7.13.7, 9.7.13.8). Private to this folder.
//
//   AtomicOp op;
//   if (!TakeAtomicOp(modifiers, &op)) return false;
//   uint64_t sum = ApplyAtomic(Type::kU32, AtomicOp::kAdd, old, b, 0);
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_ATOMIC_OP_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_ATOMIC_OP_H_

#include <cstdint>

#include "testing/emulator/machine/decode_context.h"

namespace tiletune::emulator {

enum class AtomicOp : uint8_t {
  kAdd,
  kMin,
  kMax,
  kInc,
  kDec,
  kAnd,
  kOr,
  kXor,
  kExch,
  kCas,
};

// Takes .add and so on; false if there is none.
bool TakeAtomicOp(Modifiers& modifiers, AtomicOp* op);

// What memory holds after the operation on an element that held `old`; `c` is
// the new value of kCas. Types that the ISA does not list leave it unchanged.
uint64_t ApplyAtomic(Type type, AtomicOp op, uint64_t old, uint64_t b,
                     uint64_t c);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_ATOMIC_OP_H_
