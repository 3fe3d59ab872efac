#include "testing/emulator/engines/bulk_reduce.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "testing/emulator/engines/formats.h"

namespace tiletune::emulator {
namespace {

template <typename T, typename Operation>
void ForEach(const uint8_t* source, uint8_t* destination, uint32_t bytes,
             Operation operation) {
  for (uint32_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
    T s, d;
    std::memcpy(&s, source + i, sizeof(T));
    std::memcpy(&d, destination + i, sizeof(T));
    d = operation(d, s);
    std::memcpy(destination + i, &d, sizeof(T));
  }
}

// T is unsigned for and, or, xor, inc, dec and for wrapping addition.
template <typename T>
T Integer(ReduceOp op, T d, T s) {
  switch (op) {
    case ReduceOp::kAdd:
      return static_cast<T>(static_cast<uint64_t>(d) +
                            static_cast<uint64_t>(s));
    case ReduceOp::kMin:
      return std::min(d, s);
    case ReduceOp::kMax:
      return std::max(d, s);
    case ReduceOp::kInc:
      return d >= s ? T{0} : static_cast<T>(d + 1);
    case ReduceOp::kDec:
      return d == 0 || d > s ? s : static_cast<T>(d - 1);
    case ReduceOp::kAnd:
      return d & s;
    case ReduceOp::kOr:
      return d | s;
    case ReduceOp::kXor:
      return d ^ s;
  }
  return d;
}

uint16_t Half(ReduceOp op, Format format, uint16_t d, uint16_t s) {
  const double a = Decode(format, d);
  const double b = Decode(format, s);
  if (op == ReduceOp::kAdd) {
    return static_cast<uint16_t>(Encode(format, a + b, EncodeOptions{}));
  }
  if (std::isnan(a) && std::isnan(b)) return 0x7FFF;
  if (std::isnan(a)) return s;
  if (std::isnan(b)) return d;
  // -0 is less than +0, as in `min` and `max` (PTX ISA 9.7.4).
  const bool d_first = a < b || (a == b && std::signbit(a) && !std::signbit(b));
  return (op == ReduceOp::kMin) == d_first ? d : s;
}

}  // namespace

int ReduceElementBytes(ReduceType type) {
  switch (type) {
    case ReduceType::kF16:
    case ReduceType::kBf16:
      return 2;
    case ReduceType::kU64:
    case ReduceType::kS64:
    case ReduceType::kF64:
    case ReduceType::kB64:
      return 8;
    default:
      return 4;
  }
}

bool ReduceTypeOf(TensorMapType type, ReduceOp op, ReduceType* reduce_type,
                  std::string* why) {
  const bool bitwise =
      op == ReduceOp::kAnd || op == ReduceOp::kOr || op == ReduceOp::kXor;
  // An H200 stops with "illegal instruction" on s64, not on u64 and s32.
  if (bitwise && !IsSubByte(type) && type != TensorMapType::kS64) {
    const int bits = TensorMapElementBits(type);
    if (bits == 32 || bits == 64) {
      *reduce_type = bits == 32 ? ReduceType::kB32 : ReduceType::kB64;
      return true;
    }
  }
  const bool add = op == ReduceOp::kAdd;
  const bool min_max = op == ReduceOp::kMin || op == ReduceOp::kMax;
  switch (type) {
    case TensorMapType::kU32:
      *reduce_type = ReduceType::kU32;
      if (!bitwise) return true;
      break;
    case TensorMapType::kS32:
      *reduce_type = ReduceType::kS32;
      if (add || min_max) return true;
      break;
    case TensorMapType::kU64:
      *reduce_type = ReduceType::kU64;
      if (add || min_max) return true;
      break;
    case TensorMapType::kS64:
      *reduce_type = ReduceType::kS64;
      if (min_max) return true;
      break;
    case TensorMapType::kF32:
    case TensorMapType::kF32Ftz:
      *reduce_type =
          type == TensorMapType::kF32 ? ReduceType::kF32 : ReduceType::kF32Ftz;
      if (add) return true;
      break;
    case TensorMapType::kF16:
    case TensorMapType::kBf16:
      *reduce_type =
          type == TensorMapType::kF16 ? ReduceType::kF16 : ReduceType::kBf16;
      if (add || min_max) return true;
      break;
    default:
      break;
  }
  constexpr const char* kOps[] = {"add", "min", "max", "inc",
                                  "dec", "and", "or",  "xor"};
  *why = std::string("cp.reduce.async.bulk.tensor has no .") +
         kOps[static_cast<int>(op)] + " for elements of type " +
         TensorMapTypeName(type) + ".";
  return false;
}

void Reduce(ReduceOp op, ReduceType type, const uint8_t* source,
            uint8_t* destination, uint32_t bytes) {
  switch (type) {
    case ReduceType::kU32:
    case ReduceType::kB32:
      ForEach<uint32_t>(
          source, destination, bytes,
          [op](uint32_t d, uint32_t s) { return Integer(op, d, s); });
      break;
    case ReduceType::kS32:
      ForEach<int32_t>(source, destination, bytes, [op](int32_t d, int32_t s) {
        return Integer(op, d, s);
      });
      break;
    case ReduceType::kU64:
    case ReduceType::kB64:
      ForEach<uint64_t>(
          source, destination, bytes,
          [op](uint64_t d, uint64_t s) { return Integer(op, d, s); });
      break;
    case ReduceType::kS64:
      ForEach<int64_t>(source, destination, bytes, [op](int64_t d, int64_t s) {
        return Integer(op, d, s);
      });
      break;
    case ReduceType::kF16:
      ForEach<uint16_t>(source, destination, bytes,
                        [op](uint16_t d, uint16_t s) {
                          return Half(op, Format::kF16, d, s);
                        });
      break;
    case ReduceType::kBf16:
      ForEach<uint16_t>(source, destination, bytes,
                        [op](uint16_t d, uint16_t s) {
                          return Half(op, Format::kBf16, d, s);
                        });
      break;
    case ReduceType::kF32:
      ForEach<float>(source, destination, bytes,
                     [](float d, float s) { return CanonicalNan(d + s); });
      break;
    case ReduceType::kF32Ftz:
      ForEach<float>(source, destination, bytes, [](float d, float s) {
        return CanonicalNan(
            FlushSubnormal(FlushSubnormal(d) + FlushSubnormal(s)));
      });
      break;
    case ReduceType::kF64:
      ForEach<double>(source, destination, bytes,
                      [](double d, double s) { return d + s; });
      break;
  }
}

}  // namespace tiletune::emulator
