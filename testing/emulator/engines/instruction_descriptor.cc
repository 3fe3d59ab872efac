#include "testing/emulator/engines/instruction_descriptor.h"

#include "testing/emulator/engines/bits.h"

namespace tiletune::emulator {
namespace {

// The element type behind a 3-bit code; false for reserved codes.
bool FormatFromCode(MmaKind kind, uint32_t code, Format* format) {
  switch (kind) {
    case MmaKind::kF16:
      *format = code == 0 ? Format::kF16 : Format::kBf16;
      return code <= 1;
    case MmaKind::kTf32:
      *format = Format::kTf32;
      return code == 2;
    case MmaKind::kI8:
      *format = code == 0 ? Format::kU8 : Format::kS8;
      return code <= 1;
    case MmaKind::kMxf4:
    case MmaKind::kMxf4nvf4:
      *format = Format::kE2m1;
      return code == 1;
    case MmaKind::kF8f6f4:
    case MmaKind::kMxf8f6f4:
      break;
  }
  constexpr Format kFormats[] = {Format::kE4m3, Format::kE5m2, Format::kE4m3,
                                 Format::kE2m3, Format::kE3m2, Format::kE2m1,
                                 Format::kE4m3, Format::kE4m3};
  *format = kFormats[code];
  return code != 2 && code <= 5;
}

uint32_t CodeFromFormat(MmaKind kind, Format format) {
  switch (format) {
    case Format::kBf16:
    case Format::kE5m2:
    case Format::kS8:
      return 1;
    case Format::kTf32:
      return 2;
    case Format::kE2m3:
      return 3;
    case Format::kE3m2:
      return 4;
    case Format::kE2m1:
      return IsMxf4(kind) ? 1 : 5;
    default:
      return 0;
  }
}

int DenseK(MmaKind kind) {
  switch (kind) {
    case MmaKind::kF16:
      return 16;
    case MmaKind::kTf32:
      return 8;
    case MmaKind::kMxf4:
    case MmaKind::kMxf4nvf4:
      return 64;
    default:
      return 32;
  }
}

}  // namespace

const char* MmaKindName(MmaKind kind) {
  constexpr const char* kNames[] = {"f16",      "tf32", "f8f6f4",  "i8",
                                    "mxf8f6f4", "mxf4", "mxf4nvf4"};
  return kNames[static_cast<int>(kind)];
}

bool IsMxf4(MmaKind kind) {
  return kind == MmaKind::kMxf4 || kind == MmaKind::kMxf4nvf4;
}

bool IsBlockScaled(MmaKind kind) {
  return kind == MmaKind::kMxf8f6f4 || IsMxf4(kind);
}

InstructionDescriptor DecodeInstructionDescriptor(MmaKind kind, uint32_t bits) {
  InstructionDescriptor d;
  const bool scaled = IsBlockScaled(kind);
  d.sparse = BitField(bits, 2, 1) != 0;
  d.a_format_valid = FormatFromCode(kind, BitField(bits, 7, 3), &d.a_format);
  d.b_format_valid = FormatFromCode(
      kind, BitField(bits, 10, IsMxf4(kind) ? 2 : 3), &d.b_format);
  d.negate_a = BitField(bits, 13, 1) != 0;
  d.negate_b = BitField(bits, 14, 1) != 0;
  d.a_majorness = BitField(bits, 15, 1) != 0 ? Majorness::kMn : Majorness::kK;
  d.b_majorness = BitField(bits, 16, 1) != 0 ? Majorness::kMn : Majorness::kK;
  d.n = static_cast<int>(BitField(bits, 17, 6)) << 3;
  d.k = DenseK(kind) * (d.sparse ? 2 : 1);
  if (!scaled) {
    d.sparsity_selector = static_cast<int>(BitField(bits, 0, 2));
    d.saturate = BitField(bits, 3, 1) != 0;
    d.d_format = static_cast<AccumulatorFormat>(BitField(bits, 4, 2) % 3);
    d.m = static_cast<int>(BitField(bits, 24, 5)) << 4;
    const uint32_t shift = BitField(bits, 30, 2);
    d.max_shift = shift == 0 ? 0 : 4 << shift;
    return d;
  }
  d.d_format = AccumulatorFormat::kF32;
  d.scale_b_id = static_cast<int>(BitField(bits, 4, 2));
  d.scale_format = BitField(bits, 23, 1) != 0 ? Format::kUe8m0 : Format::kUe4m3;
  d.m = static_cast<int>(BitField(bits, 27, 2)) << 7;
  d.scale_a_id = static_cast<int>(BitField(bits, 29, 2));
  if (IsMxf4(kind) && BitField(bits, 31, 1) != 0) d.k = 96;
  return d;
}

uint32_t EncodeInstructionDescriptor(MmaKind kind,
                                     const InstructionDescriptor& d) {
  const auto field = [](int value, int low) {
    return static_cast<uint32_t>(value) << low;
  };
  uint32_t bits =
      field(d.sparse, 2) | CodeFromFormat(kind, d.a_format) << 7 |
      CodeFromFormat(kind, d.b_format) << 10 | field(d.negate_a, 13) |
      field(d.negate_b, 14) | field(d.a_majorness == Majorness::kMn, 15) |
      field(d.b_majorness == Majorness::kMn, 16) | field(d.n >> 3, 17);
  if (!IsBlockScaled(kind)) {
    int shift = 0;
    while (shift < 3 && d.max_shift >= 8 << shift) ++shift;
    return bits | field(d.sparsity_selector, 0) | field(d.saturate, 3) |
           field(static_cast<int>(d.d_format), 4) | field(d.m >> 4, 24) |
           field(shift, 30);
  }
  return bits | field(d.scale_b_id, 4) |
         field(d.scale_format == Format::kUe8m0, 23) | field(d.m >> 7, 27) |
         field(d.scale_a_id, 29) | field(d.k == 96, 31);
}

int ScaleBlock(MmaKind kind, ScaleVector scale_vector) {
  switch (kind) {
    case MmaKind::kMxf8f6f4:
      return scale_vector == ScaleVector::kDefault ||
                     scale_vector == ScaleVector::k1X ||
                     scale_vector == ScaleVector::kBlock32
                 ? 32
                 : 0;
    case MmaKind::kMxf4:
      return scale_vector == ScaleVector::kDefault ||
                     scale_vector == ScaleVector::k2X ||
                     scale_vector == ScaleVector::kBlock32
                 ? 32
                 : 0;
    case MmaKind::kMxf4nvf4:
      if (scale_vector == ScaleVector::k2X ||
          scale_vector == ScaleVector::kBlock32) {
        return 32;
      }
      return scale_vector == ScaleVector::k4X ||
                     scale_vector == ScaleVector::kBlock16
                 ? 16
                 : 0;
    default:
      return 0;
  }
}

int ScaleCount(MmaKind kind, ScaleVector scale_vector, int k) {
  const int block = ScaleBlock(kind, scale_vector);
  return block == 0 ? 0 : k / block;
}

OperandElement SmemElement(MmaKind kind, Format format) {
  const bool padded = kind == MmaKind::kF8f6f4 || kind == MmaKind::kMxf8f6f4;
  return padded ? PaddedElementOf(format) : ElementOf(format);
}

}  // namespace tiletune::emulator
