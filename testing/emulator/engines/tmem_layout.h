// What: which Tensor Memory lane and column holds which element of the
//   accumulator D, of A in TMEM, and of the scale factors of tcgen05.mma.
// When: you execute tcgen05.mma.
//
// Example:
//   DataPathLayout layout;
//   ChooseLayout(/*m=*/128, /*cta_group=*/1, /*ws=*/false, /*sparse=*/false,
//                &layout);                              // kD
//   for (const TmemBlock& b : LayoutBlocks(layout, n, lane, column)) {
//     uint32_t* d = tmem + b.lane * kTmemColumns + b.column;  // b.rows x ...
//   }

#ifndef TILETUNE_TESTING_EMULATOR_ENGINES_TMEM_LAYOUT_H_
#define TILETUNE_TESTING_EMULATOR_ENGINES_TMEM_LAYOUT_H_

#include <cstdint>
#include <vector>

#include "testing/emulator/engines/findings.h"
#include "testing/emulator/engines/formats.h"
#include "testing/emulator/engines/instruction_descriptor.h"

namespace tiletune::emulator {

// PTX ISA 9.7.16.1. TMEM words are stored lane-major everywhere in the
// engines: word (lane, column) is tmem[lane * kTmemColumns + column].
constexpr int kTmemLanes = 128;
constexpr int kTmemColumns = 512;

struct TmemAddress {
  int lane;    // bits 31-16
  int column;  // bits 15-0
};

constexpr TmemAddress SplitTmemAddress(uint32_t address) {
  return {static_cast<int>(address >> 16), static_cast<int>(address & 0xFFFF)};
}

// "Layout ID" of PTX ISA 9.7.16.10.5.
enum class DataPathLayout : uint8_t { kA, kB, kC, kD, kE, kF, kG };

// The layout of an MMA; false if the table has no such row.
bool ChooseLayout(int m, int cta_group, bool weight_stationary, bool sparse,
                  DataPathLayout* layout);

// 'A' to 'G'.
char LayoutName(DataPathLayout layout);

// Rows of D that one CTA holds: 128 (A, D), 64 (B, C, E, F) or 32 (G). With
// cta_group::2 the even CTA holds the first half of M, the odd the second.
int LayoutRows(DataPathLayout layout);

// TMEM columns that D takes for an N: N, N/2 (B, E) or N/4 (G).
int LayoutColumns(DataPathLayout layout, int n);

// The cell of D element (row, n) of one CTA, with D based at `base`. `row` is
// CTA-local, 0 <= row < LayoutRows.
TmemAddress AccumulatorCell(DataPathLayout layout, int n_extent,
                            TmemAddress base, int row, int n);

// A rectangle of D whose element (row + i, n + j) is at (lane + i, column + j).
struct TmemBlock {
  int row;
  int rows;
  int n;
  int columns;
  int lane;
  int column;
};

// D of one CTA as rectangles; what an MMA writes.
std::vector<TmemBlock> LayoutBlocks(DataPathLayout layout, int n_extent,
                                    TmemAddress base);

// Lane alignment (0; 0 or 16 for C and F) and column bounds of D at `base`.
Findings CheckAccumulator(DataPathLayout layout, int n_extent,
                          TmemAddress base);

// TMEM columns that `depth` K elements of A take (PTX ISA 9.7.16.10.4): tf32
// one element a word, f16 and bf16 two, f8f6f4 and mxf8f6f4 four 8-bit
// containers, mxf4 and mxf4nvf4 eight.
int TmemOperandColumns(MmaKind kind, int depth);

// A from TMEM for one CTA: values[row * depth + k], LayoutRows rows. A row
// sits in the lane of D's row (layouts B, E, G: of the first N part). e2m1 in
// an 8-bit container is in bits 5-2, 6-bit formats in bits 5-0 (PTX ISA
// 9.7.14.2 says so for mma.sync; for TMEM see README.md). False if
// the operand leaves TMEM.
bool LoadTmemOperand(MmaKind kind, Format format, DataPathLayout layout,
                     TmemAddress base, int depth, const uint32_t* tmem,
                     float* values);

// Scale factors of `rows` rows of A (or columns of B), `count` for each row
// (1, 2 or 4; see ScaleCount), from the byte `id` of the words on. Row r is in
// lane r % 32, column base.column + r / 32, byte id + i (PTX ISA 9.7.16.10.7;
// the four 32-lane partitions hold copies, `base.lane` picks the first).
// values[r * count + i]. False for K = 96 (counts 3 and 6, not modelled), an
// id that does not fit, or an operand that leaves TMEM.
bool LoadScaleFactors(Format scale_format, int rows, int count, int id,
                      TmemAddress base, const uint32_t* tmem, float* values);

// True if the four 32-lane partitions agree on the words that
// LoadScaleFactors reads; a kernel that forgot warpx4 fails this.
bool ScaleFactorsAreReplicated(int rows, TmemAddress base,
                               const uint32_t* tmem);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_ENGINES_TMEM_LAYOUT_H_
