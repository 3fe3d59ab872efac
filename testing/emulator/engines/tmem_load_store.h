// What: the register fragments of tcgen05.ld and tcgen05.st: which thread and
//   register meets which lane and column, packing, and lane ownership.
// When: you execute or check tcgen05.ld / tcgen05.st.
//
// Example:
//   TmemAccess access{TmemShape::k32x32b, /*num=*/32};
//   const int registers = RegisterCount(access);            // 32
//   for (int t = 0; t < 32; ++t)
//     for (int r = 0; r < registers; ++r)
//       reg[t][r] = LoadRegister(access, base, t, r, tmem);

#ifndef TILETUNE_TESTING_EMULATOR_ENGINES_TMEM_LOAD_STORE_H_
#define TILETUNE_TESTING_EMULATOR_ENGINES_TMEM_LOAD_STORE_H_

#include <cstdint>

#include "testing/emulator/engines/findings.h"
#include "testing/emulator/engines/tmem_layout.h"

namespace tiletune::emulator {

// The `.shape` qualifiers (PTX ISA 9.7.16.2.3).
enum class TmemShape : uint8_t {
  k32x32b,
  k16x64b,
  k16x128b,
  k16x256b,
  k16x32bx2
};

struct TmemAccess {
  TmemShape shape = TmemShape::k32x32b;
  int num = 1;                // N of .xN: 1, 2, 4, ... 128
  bool packed = false;        // ld .pack::16b, st .unpack::16b
  int half_split_offset = 0;  // immHalfSplitoff in columns, k16x32bx2 only
};

// Registers of each thread, 1..128; 0 for the combinations that PTX ISA
// Tables 49 and 50 list as NA.
int RegisterCount(const TmemAccess& access);

// Lanes (16 or 32) and columns the access covers from its base on; columns
// double when packed. For k16x32bx2 the columns of one half.
int AccessLanes(const TmemAccess& access);
int AccessColumns(const TmemAccess& access);

// The word (offset from the base address) that `thread` (0..31) holds in
// register `reg`. When packed: the word of the low half; the high half is in
// the next column.
struct TmemOffset {
  int lane;
  int column;
};
TmemOffset FragmentOffset(const TmemAccess& access, int thread, int reg);

// One register of one thread, with pack/unpack applied. The caller has
// checked the bounds with CheckTmemAccess.
uint32_t LoadRegister(const TmemAccess& access, TmemAddress base, int thread,
                      int reg, const uint32_t* tmem);
// unpack::16b writes zero to the upper half of both words (ISA: silent).
void StoreRegister(const TmemAccess& access, TmemAddress base, int thread,
                   int reg, uint32_t value, uint32_t* tmem);

// First lane that a warp may touch: 32 * (warp_in_cta % 4) (PTX ISA
// 9.7.16.8.1).
constexpr int FirstOwnedLane(int warp_in_cta) { return 32 * (warp_in_cta % 4); }

// Legal shape and num, lane window of the warp, lane alignment (32, or 16 for
// the 16-lane shapes), columns within 512.
Findings CheckTmemAccess(const TmemAccess& access, TmemAddress base,
                         int warp_in_cta);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_ENGINES_TMEM_LOAD_STORE_H_
