#include "testing/emulator/machine/types.h"

namespace tiletune::emulator {
namespace {

struct Entry {
  const char* name;
  Type type;
  int bytes;
};

constexpr Entry kTypes[] = {
    {"pred", Type::kPred, 0},     {"b8", Type::kB8, 1},
    {"b16", Type::kB16, 2},       {"b32", Type::kB32, 4},
    {"b64", Type::kB64, 8},       {"b128", Type::kB128, 16},
    {"u8", Type::kU8, 1},         {"u16", Type::kU16, 2},
    {"u32", Type::kU32, 4},       {"u64", Type::kU64, 8},
    {"s8", Type::kS8, 1},         {"s16", Type::kS16, 2},
    {"s32", Type::kS32, 4},       {"s64", Type::kS64, 8},
    {"f16", Type::kF16, 2},       {"f16x2", Type::kF16x2, 4},
    {"bf16", Type::kBf16, 2},     {"bf16x2", Type::kBf16x2, 4},
    {"f32", Type::kF32, 4},       {"f32x2", Type::kF32x2, 8},
    {"f64", Type::kF64, 8},       {"tf32", Type::kTf32, 4},
    {"e4m3x2", Type::kE4m3x2, 2}, {"e5m2x2", Type::kE5m2x2, 2},
    {"e2m1x2", Type::kE2m1x2, 1}, {"e2m3x2", Type::kE2m3x2, 2},
    {"e3m2x2", Type::kE3m2x2, 2}, {"ue8m0x2", Type::kUe8m0x2, 2},
    {"e4m3", Type::kE4m3, 1},     {"e5m2", Type::kE5m2, 1},
    {"e2m1", Type::kE2m1, 1},     {"e2m3", Type::kE2m3, 1},
    {"e3m2", Type::kE3m2, 1},
};

}  // namespace

Type ParseType(std::string_view name) {
  for (const Entry& entry : kTypes) {
    if (name == entry.name) return entry.type;
  }
  return Type::kNone;
}

int TypeBytes(Type type) {
  for (const Entry& entry : kTypes) {
    if (type == entry.type) return entry.bytes;
  }
  return 0;
}

bool IsSigned(Type type) {
  return type == Type::kS8 || type == Type::kS16 || type == Type::kS32 ||
         type == Type::kS64;
}

bool IsFloat(Type type) {
  return type == Type::kF16 || type == Type::kF16x2 || type == Type::kBf16 ||
         type == Type::kBf16x2 || type == Type::kF32 || type == Type::kF32x2 ||
         type == Type::kF64 || type == Type::kTf32;
}

}  // namespace tiletune::emulator
