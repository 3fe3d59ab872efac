// What: mma.sync: legal m16n8kK shapes and the register fragments of A, B
//   and C/D.
// When: you execute mma.sync.
//
// Example:
//   MmaSyncInstruction mma;              // m16n8k16 f32 += f16 * f16
//   if (!CheckMmaSync(mma).empty()) return;
//   for (int i = 0; i < MmaSyncAElements(mma.k); ++i)
//     cell = MmaSyncACell(/*bits=*/16, lane, i);   // row, k
//   cell = MmaSyncBCell(16, lane, i);              // row = k, column = n

#ifndef TILETUNE_TESTING_EMULATOR_ENGINES_MMA_SYNC_H_
#define TILETUNE_TESTING_EMULATOR_ENGINES_MMA_SYNC_H_

#include <cstdint>

#include "testing/emulator/engines/findings.h"
#include "testing/emulator/engines/formats.h"
#include "testing/emulator/engines/fragment.h"
#include "testing/emulator/engines/instruction_descriptor.h"

namespace tiletune::emulator {

struct MmaSyncInstruction {
  AccumulatorFormat d_format = AccumulatorFormat::kF32;
  Format a_format = Format::kF16;
  Format b_format = Format::kF16;
  int k = 16;  // m is 16, n is 8
  bool sparse = false;
};

// f16 and bf16 k8, k16; tf32 k4, k8; e4m3 and e5m2 k16, k32; e2m3, e3m2 and
// e2m1 (kind::f8f6f4) k32; s8 and u8 k16, k32 (PTX ISA 9.7.14.1, 9.7.14.5).
// f64, 4-bit integer, single-bit, m8n8k4 and sparse forms are not modelled.
Findings CheckMmaSync(const MmaSyncInstruction& instruction);

// Elements of A, of B and of C/D in one thread.
int MmaSyncAElements(int k);
int MmaSyncBElements(int k);
constexpr int kMmaSyncAccumulatorElements = 4;

// Row (0..15) and K of A element i; K (as row) and N (as column) of B element
// i; row and column of C/D element i (PTX ISA 9.7.14.5.7 to 9.7.14.5.10).
// `container_bits` is 8 for the 4- and 6-bit formats.
MatrixCell MmaSyncACell(int container_bits, int lane, int i);
MatrixCell MmaSyncBCell(int container_bits, int lane, int i);
MatrixCell MmaSyncAccumulatorCell(int lane, int i);

// The value of an element in its container: e2m1 sits in bits 5-2 of the
// byte, 6-bit formats in bits 5-0 (PTX ISA 9.7.14.2), others fill it.
float DecodeMmaSyncElement(Format format, uint32_t container);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_ENGINES_MMA_SYNC_H_
