// What: the arithmetic of every matrix instruction, on float matrices.
// When: you have loaded A and B (LoadOperand, fragments) and want D.
//
// Example:
//   MmaOperands operands{a.data(), b.data(), 128, 256, 16};
//   MmaAccumulation options;                    // fp32, D = A * B^T + D
//   options.accumulate = enable_input_d;
//   MultiplyAccumulate(operands, options, tmem + column, kTmemColumns);

#ifndef TILETUNE_TESTING_EMULATOR_ENGINES_MMA_H_
#define TILETUNE_TESTING_EMULATOR_ENGINES_MMA_H_

#include <cstddef>
#include <cstdint>

#include "testing/emulator/engines/instruction_descriptor.h"

namespace tiletune::emulator {

// a[i * k + l], 0 <= i < m; b[j * k + l], 0 <= j < n: both K-contiguous, as
// LoadOperand writes them. Integer operands are floats with integer values.
struct MmaOperands {
  const float* a;
  const float* b;
  int m;
  int n;
  int k;
};

struct MmaAccumulation {
  AccumulatorFormat format = AccumulatorFormat::kF32;
  bool accumulate = true;  // false: D = A * B, D is not read
  int input_d_shift = 0;   // scale-input-d: D is multiplied by 2^-shift first
  bool saturate = false;   // kS32: clamp instead of wrapping
};

// d[i * d_stride + j] holds one accumulator in a 32-bit word: fp32 bits, f16
// bits in the low half (written with a zero upper half), or s32.
//
// fp32: D + a0*b0, then + a1*b1, ... in ascending k, each sum rounded to
// nearest even. Products of two operands of at most 11 significant bits are
// exact in fp32, so it makes no difference whether the machine fuses them
// (below 2^-126 it may). The hardware's order and rounding are unspecified
// (PTX ISA 9.7.15.5.2); integers below 2^24 are exact in any order.
// f16: summed as fp32, rounded once at the end. s32: exact; k <= 256.
void MultiplyAccumulate(const MmaOperands& operands,
                        const MmaAccumulation& options, uint32_t* d,
                        ptrdiff_t d_stride);

// operand[r * depth + k] *= scales[r * count + k / (depth / count)]: block
// scaling, applied to A and B before the multiply (PTX ISA 9.7.16.10.7).
void ApplyScales(float* operand, int rows, int depth, const float* scales,
                 int count);

// operand[i] = -operand[i] for the negate bits and imm-scale -1.
void Negate(float* operand, size_t count);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_ENGINES_MMA_H_
