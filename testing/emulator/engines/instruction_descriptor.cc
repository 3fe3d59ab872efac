#include "testing/emulator/engines/instruction_descriptor.h"

#include <string>

namespace tiletune::emulator {
namespace {

uint32_t Field(uint32_t bits, int low, int count) {
  return (bits >> low) & ((1u << count) - 1);
}

bool IsMxf4(MmaKind kind) {
  return kind == MmaKind::kMxf4 || kind == MmaKind::kMxf4nvf4;
}

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

std::string Kind(MmaKind kind) {
  return std::string("kind::") + MmaKindName(kind);
}

void CheckZero(uint32_t bits, int low, int count, Findings* findings) {
  if (Field(bits, low, count) == 0) return;
  std::string range = std::to_string(low);
  if (count > 1) range += "-" + std::to_string(low + count - 1);
  findings->push_back("Reserved bits " + range +
                      " of the instruction descriptor are not 0.");
}

void CheckReserved(MmaKind kind, uint32_t bits, Findings* findings) {
  CheckZero(bits, 6, 1, findings);
  if (!IsBlockScaled(kind)) {
    CheckZero(bits, 23, 1, findings);
    CheckZero(bits, 29, 1, findings);
    return;
  }
  CheckZero(bits, 0, 2, findings);
  CheckZero(bits, 3, 1, findings);
  CheckZero(bits, 24, 3, findings);
  if (IsMxf4(kind)) {
    CheckZero(bits, 12, 1, findings);
  } else {
    CheckZero(bits, 31, 1, findings);
  }
}

void CheckTypes(MmaKind kind, const InstructionDescriptor& d, uint32_t bits,
                Findings* findings) {
  if (!d.a_format_valid) {
    findings->push_back("The type code of A is reserved for " + Kind(kind) +
                        ".");
  }
  if (!d.b_format_valid) {
    findings->push_back("The type code of B is reserved for " + Kind(kind) +
                        ".");
  }
  if (IsBlockScaled(kind)) return;
  const uint32_t d_code = Field(bits, 4, 2);
  bool legal = false;
  switch (kind) {
    case MmaKind::kF16:
    case MmaKind::kF8f6f4:
      legal = d_code <= 1;
      break;
    case MmaKind::kTf32:
      legal = d_code == 1;
      break;
    default:
      legal = d_code == 2;
      break;
  }
  if (!legal) {
    findings->push_back("The D type code " + std::to_string(d_code) +
                        " is not allowed for " + Kind(kind) + ".");
  }
  const bool bf16 = d.a_format == Format::kBf16 || d.b_format == Format::kBf16;
  if (kind == MmaKind::kF16 && d_code == 0 && bf16) {
    findings->push_back("A D of type f16 needs A and B of type f16, not bf16.");
  }
  if (d.saturate && kind != MmaKind::kI8) {
    findings->push_back("Saturation is only for kind::i8.");
  }
  if (kind == MmaKind::kI8 && (d.negate_a || d.negate_b)) {
    findings->push_back("kind::i8 cannot negate A or B.");
  }
}

void CheckTranspose(MmaKind kind, const InstructionDescriptor& d,
                    const MmaQualifiers& qualifiers, Findings* findings) {
  const bool a = d.a_majorness == Majorness::kMn;
  const bool b = d.b_majorness == Majorness::kMn;
  if (IsMxf4(kind) && (a || b)) {
    findings->push_back(Kind(kind) + " cannot transpose A or B.");
    return;
  }
  if (a && qualifiers.a_in_tmem) {
    findings->push_back(
        "A in Tensor Memory is K-major; it cannot be "
        "transposed.");
  }
  if (b && FormatBits(d.b_format) == 8) {
    const int step = qualifiers.cta_group == 2 ? 32 : 16;
    if (d.n < step || d.n % step != 0) {
      findings->push_back(
          "A transposed 8-bit B needs an N that is a multiple "
          "of " +
          std::to_string(step) + ", not " + std::to_string(d.n) + ".");
    }
  }
}

bool LegalM(MmaKind kind, const InstructionDescriptor& d,
            const MmaQualifiers& qualifiers) {
  if (qualifiers.weight_stationary) {
    return d.m == 32 || d.m == 64 || d.m == 128;
  }
  const bool scaled = IsBlockScaled(kind);
  if (qualifiers.cta_group == 1) return d.m == 128 || (d.m == 64 && !scaled);
  // Table 39: sparse and K = 96 block-scaled forms exist for M = 256 only.
  if (scaled && (d.sparse || d.k == 96)) return d.m == 256;
  return d.m == 128 || d.m == 256;
}

bool LegalN(MmaKind kind, const InstructionDescriptor& d,
            const MmaQualifiers& qualifiers) {
  const int n = d.n;
  if (qualifiers.weight_stationary) {
    return n == 64 || n == 128 || (n == 256 && !d.sparse);
  }
  if (n < 8 || n > 256) return false;
  if (kind == MmaKind::kI8) {
    if (qualifiers.cta_group == 2) return n % 32 == 0;
    return n == 8 || n == 24 || n % 16 == 0;
  }
  return n % (qualifiers.cta_group == 2 ? 16 : 8) == 0;
}

void CheckShape(MmaKind kind, const InstructionDescriptor& d,
                const MmaQualifiers& qualifiers, Findings* findings) {
  const std::string where =
      Kind(kind) + (d.sparse ? " sparse" : "") +
      (qualifiers.weight_stationary ? " .ws" : "") +
      " with cta_group::" + std::to_string(qualifiers.cta_group);
  if (qualifiers.cta_group != 1 && qualifiers.cta_group != 2) {
    findings->push_back("cta_group must be 1 or 2.");
    return;
  }
  if (qualifiers.weight_stationary &&
      (IsBlockScaled(kind) || qualifiers.cta_group == 2)) {
    findings->push_back(where + " does not exist.");
    return;
  }
  if (!LegalM(kind, d, qualifiers)) {
    findings->push_back("M = " + std::to_string(d.m) + " is not legal for " +
                        where + ".");
  }
  if (!LegalN(kind, d, qualifiers)) {
    findings->push_back("N = " + std::to_string(d.n) + " is not legal for " +
                        where + ".");
  }
  if (!qualifiers.weight_stationary && d.max_shift != 0) {
    findings->push_back("The maximum shift is only for .ws.");
  }
  if (d.k == 96) {
    if (d.sparse) findings->push_back("K = 96 cannot be sparse.");
    if (qualifiers.target != 103 || qualifiers.family) {
      findings->push_back("K = 96 needs the target sm_103a.");
    } else if (qualifiers.cta_group == 1) {
      findings->push_back("K = 96 is listed for cta_group::2 only.");
    }
  }
  if (kind == MmaKind::kI8 && (qualifiers.family || qualifiers.target == 103)) {
    findings->push_back("kind::i8 needs the target sm_100a or sm_110a.");
  }
}

void CheckScales(MmaKind kind, const InstructionDescriptor& d,
                 const MmaQualifiers& qualifiers, Findings* findings) {
  const ScaleVector vector = qualifiers.scale_vector;
  if (!IsBlockScaled(kind)) {
    if (vector != ScaleVector::kDefault) {
      findings->push_back(Kind(kind) + " takes no scale_vec or block size.");
    }
    return;
  }
  if (kind == MmaKind::kMxf4nvf4 && vector == ScaleVector::kDefault) {
    findings->push_back(
        "kind::mxf4nvf4 must say scale_vec::2X or 4X, or block16 or block32.");
    return;
  }
  const int block = ScaleBlock(kind, vector);
  if (block == 0) {
    findings->push_back("This scale vector size is not allowed for " +
                        Kind(kind) + ".");
    return;
  }
  const bool named_x = vector == ScaleVector::k1X ||
                       vector == ScaleVector::k2X || vector == ScaleVector::k4X;
  if (named_x && qualifiers.family) {
    findings->push_back(
        "scale_vec::NX needs an architecture-specific target; family targets "
        "take block16 and block32.");
  }
  if (named_x && d.k == 96) {
    findings->push_back("K = 96 takes block16 or block32.");
  }
  if (kind != MmaKind::kMxf4nvf4 && d.scale_format != Format::kUe8m0) {
    findings->push_back(Kind(kind) + " needs ue8m0 scale factors.");
  }
  if (kind == MmaKind::kMxf4nvf4 && block == 32 &&
      d.scale_format != Format::kUe8m0) {
    findings->push_back("ue4m3 scale factors need scale_vec::4X or block16.");
  }
  // 9.7.16.10.7.2: the id is the byte (1 factor, or 3 with K = 96), the
  // half-word (2 factors, or 6) or nothing (4 factors).
  const int count = ScaleCount(kind, vector, d.sparse ? d.k / 2 : d.k);
  const auto legal_id = [count](int id) {
    if (count == 4) return id == 0;
    if (count == 2 || count == 6) return id == 0 || id == 2;
    return true;
  };
  if (!legal_id(d.scale_a_id) || !legal_id(d.scale_b_id)) {
    findings->push_back("The scale-factor ids " + std::to_string(d.scale_a_id) +
                        " (A) and " + std::to_string(d.scale_b_id) +
                        " (B) do not fit " + std::to_string(count) +
                        " factors a row.");
  }
}

}  // namespace

const char* MmaKindName(MmaKind kind) {
  constexpr const char* kNames[] = {"f16",      "tf32", "f8f6f4",  "i8",
                                    "mxf8f6f4", "mxf4", "mxf4nvf4"};
  return kNames[static_cast<int>(kind)];
}

bool IsBlockScaled(MmaKind kind) {
  return kind == MmaKind::kMxf8f6f4 || IsMxf4(kind);
}

InstructionDescriptor DecodeInstructionDescriptor(MmaKind kind, uint32_t bits) {
  InstructionDescriptor d;
  const bool scaled = IsBlockScaled(kind);
  d.sparse = Field(bits, 2, 1) != 0;
  d.a_format_valid = FormatFromCode(kind, Field(bits, 7, 3), &d.a_format);
  d.b_format_valid =
      FormatFromCode(kind, Field(bits, 10, IsMxf4(kind) ? 2 : 3), &d.b_format);
  d.negate_a = Field(bits, 13, 1) != 0;
  d.negate_b = Field(bits, 14, 1) != 0;
  d.a_majorness = Field(bits, 15, 1) != 0 ? Majorness::kMn : Majorness::kK;
  d.b_majorness = Field(bits, 16, 1) != 0 ? Majorness::kMn : Majorness::kK;
  d.n = static_cast<int>(Field(bits, 17, 6)) << 3;
  d.k = DenseK(kind) * (d.sparse ? 2 : 1);
  if (!scaled) {
    d.sparsity_selector = static_cast<int>(Field(bits, 0, 2));
    d.saturate = Field(bits, 3, 1) != 0;
    d.d_format = static_cast<AccumulatorFormat>(Field(bits, 4, 2) % 3);
    d.m = static_cast<int>(Field(bits, 24, 5)) << 4;
    const uint32_t shift = Field(bits, 30, 2);
    d.max_shift = shift == 0 ? 0 : 4 << shift;
    return d;
  }
  d.d_format = AccumulatorFormat::kF32;
  d.scale_b_id = static_cast<int>(Field(bits, 4, 2));
  d.scale_format = Field(bits, 23, 1) != 0 ? Format::kUe8m0 : Format::kUe4m3;
  d.m = static_cast<int>(Field(bits, 27, 2)) << 7;
  d.scale_a_id = static_cast<int>(Field(bits, 29, 2));
  if (IsMxf4(kind) && Field(bits, 31, 1) != 0) d.k = 96;
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

Findings CheckInstructionDescriptor(MmaKind kind, uint32_t bits,
                                    const MmaQualifiers& qualifiers) {
  const InstructionDescriptor d = DecodeInstructionDescriptor(kind, bits);
  Findings findings;
  CheckReserved(kind, bits, &findings);
  if (d.sparse != qualifiers.sparse) {
    findings.push_back(
        qualifiers.sparse
            ? "tcgen05.mma.sp with an instruction descriptor that says dense."
            : "tcgen05.mma with an instruction descriptor that says sparse.");
  }
  if (!d.sparse && d.sparsity_selector != 0) {
    findings.push_back("The sparsity selector of a dense MMA is not 0.");
  }
  CheckTypes(kind, d, bits, &findings);
  CheckTranspose(kind, d, qualifiers, &findings);
  CheckShape(kind, d, qualifiers, &findings);
  CheckScales(kind, d, qualifiers, &findings);
  return findings;
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
