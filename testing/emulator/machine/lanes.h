// Handlers for instructions that compute each lane on its own: an operation
// with a static Run, and the type of its operands.
//
//   struct AddOp { template <typename T> static T Run(T a, T b) {...} };
//   inst->handler = &BinaryLanes<uint32_t, AddOp>;
//   inst->op[0] = d; inst->op[1] = a; inst->op[2] = b;
//   // d[lane] = AddOp::Run(a[lane], b[lane]) for the active lanes
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_LANES_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_LANES_H_

#include <cstdint>

#include "testing/emulator/machine/program.h"
#include "testing/emulator/machine/types.h"
#include "testing/emulator/machine/warp.h"

namespace tiletune::emulator {

// T is the type of the operands; the result type is whatever Run returns.
template <typename T, typename Op>
Step UnaryLanes(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  ForLanes(mask, [&](int lane) { d[lane] = Bits(Op::Run(Value<T>(a[lane]))); });
  return Step::kNext;
}

template <typename T, typename Op>
Step BinaryLanes(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  const uint64_t* b = warp.Reg(inst.op[2]);
  ForLanes(mask, [&](int lane) {
    d[lane] = Bits(Op::Run(Value<T>(a[lane]), Value<T>(b[lane])));
  });
  return Step::kNext;
}

template <typename T, typename Op>
Step TernaryLanes(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  const uint64_t* a = warp.Reg(inst.op[1]);
  const uint64_t* b = warp.Reg(inst.op[2]);
  const uint64_t* c = warp.Reg(inst.op[3]);
  ForLanes(mask, [&](int lane) {
    d[lane] =
        Bits(Op::Run(Value<T>(a[lane]), Value<T>(b[lane]), Value<T>(c[lane])));
  });
  return Step::kNext;
}

// Handlers for the integer widths, or null for another type.
template <typename Op>
Handler PickUnaryInt(Type type) {
  switch (type) {
    case Type::kB16:
    case Type::kU16:
      return &UnaryLanes<uint16_t, Op>;
    case Type::kB32:
    case Type::kU32:
      return &UnaryLanes<uint32_t, Op>;
    case Type::kB64:
    case Type::kU64:
      return &UnaryLanes<uint64_t, Op>;
    case Type::kS16:
      return &UnaryLanes<int16_t, Op>;
    case Type::kS32:
      return &UnaryLanes<int32_t, Op>;
    case Type::kS64:
      return &UnaryLanes<int64_t, Op>;
    default:
      return nullptr;
  }
}

template <typename Op>
Handler PickBinaryInt(Type type) {
  switch (type) {
    case Type::kB16:
    case Type::kU16:
      return &BinaryLanes<uint16_t, Op>;
    case Type::kB32:
    case Type::kU32:
      return &BinaryLanes<uint32_t, Op>;
    case Type::kB64:
    case Type::kU64:
      return &BinaryLanes<uint64_t, Op>;
    case Type::kS16:
      return &BinaryLanes<int16_t, Op>;
    case Type::kS32:
      return &BinaryLanes<int32_t, Op>;
    case Type::kS64:
      return &BinaryLanes<int64_t, Op>;
    default:
      return nullptr;
  }
}

template <typename Op>
Handler PickTernaryInt(Type type) {
  switch (type) {
    case Type::kB16:
    case Type::kU16:
      return &TernaryLanes<uint16_t, Op>;
    case Type::kB32:
    case Type::kU32:
      return &TernaryLanes<uint32_t, Op>;
    case Type::kB64:
    case Type::kU64:
      return &TernaryLanes<uint64_t, Op>;
    case Type::kS16:
      return &TernaryLanes<int16_t, Op>;
    case Type::kS32:
      return &TernaryLanes<int32_t, Op>;
    case Type::kS64:
      return &TernaryLanes<int64_t, Op>;
    default:
      return nullptr;
  }
}

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_LANES_H_
