// What: the 32-bit instruction descriptor of tcgen05.mma: decoding, and every
//   rule on kinds, types, shapes, transposes and scale factors.
// When: you execute or check a tcgen05.mma.
//
// Example:
//   const InstructionDescriptor d =
//       DecodeInstructionDescriptor(MmaKind::kF16, 0x08400490);
//   // d.m == 128, d.n == 256, d.k == 16, d.a_format == Format::kBf16
//   MmaQualifiers qualifiers;          // cta_group, .ws, .sp, scale_vec,
//   target for (const std::string& s : CheckInstructionDescriptor(
//            MmaKind::kF16, 0x08400490, qualifiers)) std::cerr << s << "\n";

#ifndef TILETUNE_TESTING_EMULATOR_ENGINES_INSTRUCTION_DESCRIPTOR_H_
#define TILETUNE_TESTING_EMULATOR_ENGINES_INSTRUCTION_DESCRIPTOR_H_

#include <cstdint>

#include "testing/emulator/engines/findings.h"
#include "testing/emulator/engines/formats.h"
#include "testing/emulator/engines/smem_descriptor.h"

namespace tiletune::emulator {

// The `.kind` qualifiers of tcgen05.mma.
enum class MmaKind : uint8_t {
  kF16,
  kTf32,
  kF8f6f4,
  kI8,
  kMxf8f6f4,
  kMxf4,
  kMxf4nvf4,
};

// The PTX spelling, e.g. "f8f6f4".
const char* MmaKindName(MmaKind kind);

// True for mxf4 and mxf4nvf4, whose operands are packed nibbles.
bool IsMxf4(MmaKind kind);

// True for mxf8f6f4, mxf4 and mxf4nvf4.
bool IsBlockScaled(MmaKind kind);

// Accumulator element in TMEM.
enum class AccumulatorFormat : uint8_t { kF16, kF32, kS32 };

// PTX ISA Tables 42, 43, 44.
struct InstructionDescriptor {
  bool sparse = false;
  int sparsity_selector = 0;
  bool saturate = false;  // kind::i8
  AccumulatorFormat d_format = AccumulatorFormat::kF32;
  Format a_format = Format::kBf16;
  Format b_format = Format::kBf16;
  bool a_format_valid = true;  // false: a reserved type code
  bool b_format_valid = true;
  bool negate_a = false;
  bool negate_b = false;
  Majorness a_majorness = Majorness::kK;
  Majorness b_majorness = Majorness::kK;
  int m = 0;  // of the whole MMA; with cta_group::2 half of it per CTA
  int n = 0;
  int k = 0;          // elements, twice the stored A elements if sparse
  int max_shift = 0;  // .ws only: 0, 8, 16 or 32
  // Block-scaled kinds only.
  Format scale_format = Format::kUe8m0;
  int scale_a_id = 0;
  int scale_b_id = 0;
};

InstructionDescriptor DecodeInstructionDescriptor(MmaKind kind, uint32_t bits);

// The inverse for legal fields, for tests and for building descriptors.
uint32_t EncodeInstructionDescriptor(MmaKind kind,
                                     const InstructionDescriptor& descriptor);

// `.scale_vec::NX` / `.blockN`; kDefault where the qualifier is absent.
enum class ScaleVector : uint8_t {
  kDefault,
  k1X,
  k2X,
  k4X,
  kBlock16,
  kBlock32,
};

// What the instruction says beside the descriptor.
struct MmaQualifiers {
  int cta_group = 1;
  bool weight_stationary = false;  // .ws
  bool sparse = false;             // tcgen05.mma.sp
  bool a_in_tmem = false;
  ScaleVector scale_vector = ScaleVector::kDefault;
  // Targets as numbers: 100, 103, 110; `family` for the f variants.
  int target = 100;
  bool family = false;
};

// PTX ISA Tables 39, 42-44, 51, 52, 56, 57 and target notes.
Findings CheckInstructionDescriptor(MmaKind kind, uint32_t bits,
                                    const MmaQualifiers& qualifiers);

// K elements that share one scale factor: 16 or 32; 0 for kinds without
// scales or an illegal combination. mxf4's default is 32.
int ScaleBlock(MmaKind kind, ScaleVector scale_vector);

// Scale factors per row of A (or column of B): k / ScaleBlock, with the k of a
// dense MMA (a sparse MMA has as many factors for twice the k).
int ScaleCount(MmaKind kind, ScaleVector scale_vector, int k);

// How A and B elements of this kind sit in shared memory.
OperandElement SmemElement(MmaKind kind, Format format);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_ENGINES_INSTRUCTION_DESCRIPTOR_H_
