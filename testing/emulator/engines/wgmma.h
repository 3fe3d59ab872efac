// What: wgmma.mma_async (sm_90a): legal shapes and types, and the register
//   fragments of A and D.
// When: you execute or check wgmma.mma_async.
//
// Example:
//   WgmmaInstruction w;                  // m64n8k16 f32 += bf16 * bf16
//   w.n = 256;
//   if (!CheckWgmma(w).empty()) return;
//   const MatrixCell cell = WgmmaAccumulatorCell(thread, index);
//   // D element `index` of warpgroup thread 0..127

#ifndef TILETUNE_TESTING_EMULATOR_ENGINES_WGMMA_H_
#define TILETUNE_TESTING_EMULATOR_ENGINES_WGMMA_H_

#include "testing/emulator/engines/findings.h"
#include "testing/emulator/engines/formats.h"
#include "testing/emulator/engines/fragment.h"
#include "testing/emulator/engines/instruction_descriptor.h"
#include "testing/emulator/engines/smem_descriptor.h"

namespace tiletune::emulator {

struct WgmmaInstruction {
  AccumulatorFormat d_format = AccumulatorFormat::kF32;
  Format a_format = Format::kBf16;
  Format b_format = Format::kBf16;
  int n = 8;
  int k = 16;
  bool a_in_registers = false;
  Majorness a_majorness = Majorness::kK;
  Majorness b_majorness = Majorness::kK;
  bool sparse = false;
};

// Types, shapes and transposes (PTX ISA 9.7.15.2, 9.7.15.5.2). Sparse and
// single-bit forms are reported as not modelled.
Findings CheckWgmma(const WgmmaInstruction& instruction);

// Elements of D that one thread holds: n / 2. With f16 two share a register,
// the even index in the low half.
int WgmmaAccumulatorElements(int n);

// Row (0..63) and column of D element `index` of `thread` (0..127 in the
// warpgroup) (PTX ISA Figures 149, 151, 153).
MatrixCell WgmmaAccumulatorCell(int thread, int index);

// Elements of A that one thread holds in its four registers: 128 / bits.
int WgmmaOperandElements(int element_bits);

// Row (0..63) and K of A element `index`, low bits of register 0 first
// (Figures 148, 150, 152).
MatrixCell WgmmaOperandCell(int element_bits, int thread, int index);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_ENGINES_WGMMA_H_
