#include "testing/emulator/machine/atomic_op.h"

#include <algorithm>

#include "testing/emulator/engines/formats.h"
#include "testing/emulator/machine/types.h"

namespace tiletune::emulator {
namespace {

template <typename T>
T Apply(AtomicOp op, T old, T b, T c) {
  switch (op) {
    case AtomicOp::kAdd:
      return static_cast<T>(old + b);
    case AtomicOp::kMin:
      return std::min(old, b);
    case AtomicOp::kMax:
      return std::max(old, b);
    case AtomicOp::kExch:
      return b;
    case AtomicOp::kCas:
      return old == b ? c : old;
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (op) {
      case AtomicOp::kInc:
        return old >= b ? T{0} : static_cast<T>(old + 1);
      case AtomicOp::kDec:
        return old == 0 || old > b ? b : static_cast<T>(old - 1);
      case AtomicOp::kAnd:
        return old & b;
      case AtomicOp::kOr:
        return old | b;
      case AtomicOp::kXor:
        return old ^ b;
      default:
        break;
    }
  }
  return old;
}

template <typename T>
uint64_t ApplyBits(AtomicOp op, uint64_t old, uint64_t b, uint64_t c) {
  if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
    if (op == AtomicOp::kAdd) {  // wraps
      using U = std::make_unsigned_t<T>;
      return Bits(Apply<U>(op, Value<U>(old), Value<U>(b), Value<U>(c)));
    }
  }
  return Bits(Apply<T>(op, Value<T>(old), Value<T>(b), Value<T>(c)));
}

template <Format kFormat>
uint64_t ApplyHalf(AtomicOp op, uint64_t old, uint64_t b, int count) {
  uint64_t out = 0;
  for (int i = 0; i < count; ++i) {
    double x = Decode(kFormat, (old >> (16 * i)) & 0xFFFF);
    double y = Decode(kFormat, (b >> (16 * i)) & 0xFFFF);
    uint64_t bits = Encode(kFormat, Apply(op, x, y, y), EncodeOptions{});
    out |= (bits & 0xFFFF) << (16 * i);
  }
  return out;
}

}  // namespace

bool TakeAtomicOp(Modifiers& modifiers, AtomicOp* op) {
  static constexpr const char* kNames[] = {"add", "min", "max", "inc",  "dec",
                                           "and", "or",  "xor", "exch", "cas"};
  bool found = false;
  for (uint8_t i = 0; i < 10; ++i) {
    if (!modifiers.Take(kNames[i])) continue;
    *op = static_cast<AtomicOp>(i);
    found = true;
  }
  return found;
}

uint64_t ApplyAtomic(Type type, AtomicOp op, uint64_t old, uint64_t b,
                     uint64_t c) {
  switch (type) {
    case Type::kB16:
      return ApplyBits<uint16_t>(op, old, b, c);
    case Type::kB32:
    case Type::kU32:
      return ApplyBits<uint32_t>(op, old, b, c);
    case Type::kS32:
      return ApplyBits<int32_t>(op, old, b, c);
    case Type::kB64:
    case Type::kU64:
      return ApplyBits<uint64_t>(op, old, b, c);
    case Type::kS64:
      return ApplyBits<int64_t>(op, old, b, c);
    case Type::kF32:
      return ApplyBits<float>(op, old, b, c);
    case Type::kF64:
      return ApplyBits<double>(op, old, b, c);
    case Type::kF16:
      return ApplyHalf<Format::kF16>(op, old, b, 1);
    case Type::kF16x2:
      return ApplyHalf<Format::kF16>(op, old, b, 2);
    case Type::kBf16:
      return ApplyHalf<Format::kBf16>(op, old, b, 1);
    case Type::kBf16x2:
      return ApplyHalf<Format::kBf16>(op, old, b, 2);
    default:
      return old;
  }
}

}  // namespace tiletune::emulator
