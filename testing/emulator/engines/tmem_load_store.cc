#include "testing/emulator/engines/tmem_load_store.h"

#include <string>

namespace tiletune::emulator {
namespace {

bool IsPowerOfTwo(int x) { return x > 0 && (x & (x - 1)) == 0; }

// Registers that one repetition (.x1) takes in each thread.
int RegistersPerRepeat(TmemShape shape) {
  switch (shape) {
    case TmemShape::k16x128b:
      return 2;
    case TmemShape::k16x256b:
      return 4;
    default:
      return 1;
  }
}

// Columns that one repetition covers, unpacked.
int ColumnsPerRepeat(TmemShape shape) {
  switch (shape) {
    case TmemShape::k16x64b:
      return 2;
    case TmemShape::k16x128b:
      return 4;
    case TmemShape::k16x256b:
      return 8;
    default:
      return 1;
  }
}

// Lane and column in units of register-wide cells (PTX ISA Figures 183-187).
TmemOffset Cell(TmemShape shape, int thread, int reg) {
  const int group = thread >> 2;
  const int member = thread & 3;
  switch (shape) {
    case TmemShape::k32x32b:
      return {thread, reg};
    case TmemShape::k16x64b:
      return {group + 8 * (thread & 1), ((thread >> 1) & 1) + 2 * reg};
    case TmemShape::k16x128b:
      return {group + 8 * (reg & 1), member + 4 * (reg >> 1)};
    case TmemShape::k16x256b:
      return {group + 8 * ((reg >> 1) & 1),
              2 * member + (reg & 1) + 8 * (reg >> 2)};
    case TmemShape::k16x32bx2:
      return {thread % 16, reg};
  }
  return {0, 0};
}

}  // namespace

int RegisterCount(const TmemAccess& access) {
  if (!IsPowerOfTwo(access.num) || access.num > 128) return 0;
  const int registers = access.num * RegistersPerRepeat(access.shape);
  return registers <= 128 ? registers : 0;
}

int AccessLanes(const TmemAccess& access) {
  return access.shape == TmemShape::k32x32b ? 32 : 16;
}

int AccessColumns(const TmemAccess& access) {
  return access.num * ColumnsPerRepeat(access.shape) * (access.packed ? 2 : 1);
}

TmemOffset FragmentOffset(const TmemAccess& access, int thread, int reg) {
  TmemOffset offset = Cell(access.shape, thread, reg);
  if (access.packed) offset.column *= 2;
  if (access.shape == TmemShape::k16x32bx2 && thread >= 16) {
    offset.column += access.half_split_offset;
  }
  return offset;
}

uint32_t LoadRegister(const TmemAccess& access, TmemAddress base, int thread,
                      int reg, const uint32_t* tmem) {
  const TmemOffset offset = FragmentOffset(access, thread, reg);
  const uint32_t* word = tmem + (base.lane + offset.lane) * kTmemColumns +
                         base.column + offset.column;
  if (!access.packed) return word[0];
  return (word[0] & 0xFFFF) | word[1] << 16;
}

void StoreRegister(const TmemAccess& access, TmemAddress base, int thread,
                   int reg, uint32_t value, uint32_t* tmem) {
  const TmemOffset offset = FragmentOffset(access, thread, reg);
  uint32_t* word = tmem + (base.lane + offset.lane) * kTmemColumns +
                   base.column + offset.column;
  if (!access.packed) {
    word[0] = value;
    return;
  }
  word[0] = value & 0xFFFF;
  word[1] = value >> 16;
}

Findings CheckTmemAccess(const TmemAccess& access, TmemAddress base,
                         int warp_in_cta) {
  Findings findings;
  if (RegisterCount(access) == 0) {
    findings.push_back("tcgen05.ld/st does not have .x" +
                       std::to_string(access.num) + " for this shape.");
    return findings;
  }
  const int first = FirstOwnedLane(warp_in_cta);
  const int lanes = AccessLanes(access);
  if (base.lane < first || base.lane + lanes > first + 32) {
    findings.push_back("Warp " + std::to_string(warp_in_cta) +
                       " may access lanes " + std::to_string(first) + " to " +
                       std::to_string(first + 31) +
                       " of Tensor Memory, but the access covers lanes " +
                       std::to_string(base.lane) + " to " +
                       std::to_string(base.lane + lanes - 1) + ".");
  } else if (base.lane % lanes != 0) {
    findings.push_back("The base lane " + std::to_string(base.lane) +
                       " is not a multiple of " + std::to_string(lanes) + ".");
  }
  const int columns = AccessColumns(access);
  const int split =
      access.shape == TmemShape::k16x32bx2 ? access.half_split_offset : 0;
  const int low = base.column + (split < 0 ? split : 0);
  const int high = base.column + (split > 0 ? split : 0) + columns;
  if (low < 0 || high > kTmemColumns) {
    findings.push_back("The access covers columns " + std::to_string(low) +
                       " to " + std::to_string(high - 1) +
                       ", but Tensor Memory has columns 0 to 511.");
  }
  return findings;
}

}  // namespace tiletune::emulator
