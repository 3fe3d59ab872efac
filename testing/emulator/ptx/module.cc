#include "testing/emulator/ptx/module.h"

#include <cstring>

namespace tiletune::emulator::ptx {

int TypeBytes(const std::string& type) {
  struct Entry {
    const char* name;
    int bytes;
  };
  static constexpr Entry kTypes[] = {
      {"b8", 1},     {"u8", 1},     {"s8", 1},     {"b16", 2},    {"u16", 2},
      {"s16", 2},    {"f16", 2},    {"bf16", 2},   {"b32", 4},    {"u32", 4},
      {"s32", 4},    {"f32", 4},    {"f16x2", 4},  {"bf16x2", 4}, {"tf32", 4},
      {"b64", 8},    {"u64", 8},    {"s64", 8},    {"f64", 8},    {"b128", 16},
      {"e4m3x2", 2}, {"e5m2x2", 2}, {"e4m3x4", 4}, {"e5m2x4", 4}, {"f32x2", 8},
  };
  for (const Entry& entry : kTypes) {
    if (type == entry.name) return entry.bytes;
  }
  return 0;
}

}  // namespace tiletune::emulator::ptx
