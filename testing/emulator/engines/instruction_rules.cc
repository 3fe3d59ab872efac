#include <string>

#include "testing/emulator/engines/bits.h"
#include "testing/emulator/engines/instruction_descriptor.h"

namespace tiletune::emulator {
namespace {

std::string Kind(MmaKind kind) {
  return std::string("kind::") + MmaKindName(kind);
}

void CheckZero(uint32_t bits, int low, int count, Findings* findings) {
  if (BitField(bits, low, count) == 0) return;
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
  const uint32_t d_code = BitField(bits, 4, 2);
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

}  // namespace tiletune::emulator
