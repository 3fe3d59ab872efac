#include "testing/emulator/engines/mma_sync.h"

#include <string>

namespace tiletune::emulator {
namespace {

bool IsFp8(Format format) {
  return format == Format::kE4m3 || format == Format::kE5m2;
}

bool IsFp8OrBelow(Format format) {
  return IsFp8(format) || format == Format::kE2m3 || format == Format::kE3m2 ||
         format == Format::kE2m1;
}

bool IsInteger(Format format) {
  return format == Format::kU8 || format == Format::kS8;
}

bool LegalPair(Format a, Format b) {
  switch (a) {
    case Format::kF16:
    case Format::kBf16:
    case Format::kTf32:
      return a == b;
    default:
      return (IsInteger(a) && IsInteger(b)) ||
             (IsFp8OrBelow(a) && IsFp8OrBelow(b));
  }
}

bool LegalK(const MmaSyncInstruction& mma) {
  switch (mma.a_format) {
    case Format::kF16:
    case Format::kBf16:
      return mma.k == 8 || mma.k == 16;
    case Format::kTf32:
      return mma.k == 4 || mma.k == 8;
    default:
      break;
  }
  const bool only_8_bit =
      FormatBits(mma.a_format) == 8 && FormatBits(mma.b_format) == 8;
  return mma.k == 32 || (mma.k == 16 && only_8_bit);
}

bool LegalAccumulator(const MmaSyncInstruction& mma) {
  if (IsInteger(mma.a_format)) {
    return mma.d_format == AccumulatorFormat::kS32;
  }
  if (mma.a_format == Format::kBf16 || mma.a_format == Format::kTf32) {
    return mma.d_format == AccumulatorFormat::kF32;
  }
  return mma.d_format != AccumulatorFormat::kS32;
}

}  // namespace

Findings CheckMmaSync(const MmaSyncInstruction& mma) {
  Findings findings;
  if (mma.sparse) findings.push_back("Sparse mma.sync is not modelled.");
  const std::string types = std::string(FormatName(mma.a_format)) + " and " +
                            FormatName(mma.b_format);
  if (!LegalPair(mma.a_format, mma.b_format)) {
    findings.push_back("mma.sync on " + types +
                       " does not exist or is not "
                       "modelled.");
    return findings;
  }
  if (!LegalK(mma)) {
    findings.push_back("mma.sync m16n8 on " + types +
                       " with K = " + std::to_string(mma.k) +
                       " does not exist or is not modelled.");
  }
  if (!LegalAccumulator(mma)) {
    findings.push_back("mma.sync on " + types + " does not have this D type.");
  }
  return findings;
}

int MmaSyncAElements(int k) { return 16 * k / 32; }

int MmaSyncBElements(int k) { return 8 * k / 32; }

MatrixCell MmaSyncACell(int container_bits, int lane, int i) {
  const int per_register = 32 / container_bits;
  const int reg = i / per_register;
  return {lane / 4 + 8 * (reg % 2), per_register * (lane % 4) +
                                        i % per_register +
                                        4 * per_register * (reg / 2)};
}

MatrixCell MmaSyncBCell(int container_bits, int lane, int i) {
  const int per_register = 32 / container_bits;
  return {per_register * (lane % 4) + i % per_register +
              4 * per_register * (i / per_register),
          lane / 4};
}

MatrixCell MmaSyncAccumulatorCell(int lane, int i) {
  return {lane / 4 + 8 * (i / 2), 2 * (lane % 4) + i % 2};
}

float DecodeMmaSyncElement(Format format, uint32_t container) {
  return Decode(format, format == Format::kE2m1 ? container >> 2 : container);
}

}  // namespace tiletune::emulator
