#include "testing/emulator/engines/wgmma.h"

#include <string>

namespace tiletune::emulator {
namespace {

bool IsFp8(Format format) {
  return format == Format::kE4m3 || format == Format::kE5m2;
}

bool IsInteger(Format format) {
  return format == Format::kU8 || format == Format::kS8;
}

// K of the instruction: 32 bytes of A in each row.
int RequiredK(Format format) { return 256 / FormatBits(format); }

bool LegalAccumulator(const WgmmaInstruction& w) {
  switch (w.a_format) {
    case Format::kF16:
    case Format::kE4m3:
    case Format::kE5m2:
      return w.d_format != AccumulatorFormat::kS32;
    case Format::kBf16:
    case Format::kTf32:
      return w.d_format == AccumulatorFormat::kF32;
    default:
      return w.d_format == AccumulatorFormat::kS32;
  }
}

bool LegalN(const WgmmaInstruction& w) {
  if (w.n < 8 || w.n > 256 || w.n % 8 != 0) return false;
  if (!IsInteger(w.a_format)) return true;
  return w.n <= 32 || w.n % 16 == 0;
}

}  // namespace

Findings CheckWgmma(const WgmmaInstruction& w) {
  Findings findings;
  if (w.sparse) {
    findings.push_back("Sparse wgmma (wgmma.mma_async.sp) is not modelled.");
  }
  const std::string a = FormatName(w.a_format);
  const std::string b = FormatName(w.b_format);
  const bool floating = w.a_format == Format::kF16 ||
                        w.a_format == Format::kBf16 ||
                        w.a_format == Format::kTf32;
  const bool pair = (floating && w.b_format == w.a_format) ||
                    (IsFp8(w.a_format) && IsFp8(w.b_format)) ||
                    (IsInteger(w.a_format) && IsInteger(w.b_format));
  if (!pair) {
    findings.push_back("wgmma has no form for A of type " + a +
                       " and B of type " + b + ".");
    return findings;
  }
  if (!LegalAccumulator(w)) {
    findings.push_back("wgmma on " + a + " does not have this D type.");
  }
  if (w.k != RequiredK(w.a_format)) {
    findings.push_back("wgmma on " + a +
                       " has K = " + std::to_string(RequiredK(w.a_format)) +
                       ", not " + std::to_string(w.k) + ".");
  }
  if (!LegalN(w)) {
    findings.push_back("wgmma on " + a + " has no N = " + std::to_string(w.n) +
                       ".");
  }
  const bool transposed =
      (w.a_majorness == Majorness::kMn) || (w.b_majorness == Majorness::kMn);
  if (transposed && FormatBits(w.a_format) != 16) {
    findings.push_back("wgmma transposes A and B only of types f16 and bf16.");
  }
  if (w.a_in_registers && w.a_majorness == Majorness::kMn) {
    findings.push_back("wgmma cannot transpose an A in registers.");
  }
  return findings;
}

int WgmmaAccumulatorElements(int n) { return n / 2; }

MatrixCell WgmmaAccumulatorCell(int thread, int index) {
  const int warp = thread / 32;
  const int lane = thread % 32;
  return {16 * warp + lane / 4 + 8 * (index / 2 % 2),
          8 * (index / 4) + 2 * (lane % 4) + index % 2};
}

int WgmmaOperandElements(int element_bits) { return 128 / element_bits; }

MatrixCell WgmmaOperandCell(int element_bits, int thread, int index) {
  const int per_register = 32 / element_bits;
  const int reg = index / per_register;
  const int warp = thread / 32;
  const int lane = thread % 32;
  return {16 * warp + lane / 4 + 8 * (reg % 2),
          per_register * (lane % 4) + index % per_register +
              4 * per_register * (reg / 2)};
}

}  // namespace tiletune::emulator
