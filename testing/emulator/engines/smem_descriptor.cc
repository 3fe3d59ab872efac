#include "testing/emulator/engines/smem_descriptor.h"

#include <string>

#include "testing/emulator/engines/bits.h"

namespace tiletune::emulator {
namespace {

constexpr uint32_t kAddressMask = 0x3FFFF;  // 18 bits

// The 3-bit code of tcgen05 (Table 40) and the 2-bit one of wgmma.
bool SwizzleFromCode(DescriptorKind kind, uint64_t bits, Swizzle* swizzle) {
  if (kind == DescriptorKind::kWgmma) {
    constexpr Swizzle kWgmma[] = {Swizzle::kNone, Swizzle::k128, Swizzle::k64,
                                  Swizzle::k32};
    *swizzle = kWgmma[BitField(bits, 62, 2)];
    return true;
  }
  switch (BitField(bits, 61, 3)) {
    case 0:
      *swizzle = Swizzle::kNone;
      return true;
    case 1:
      *swizzle = Swizzle::k128Atom32;
      return true;
    case 2:
      *swizzle = Swizzle::k128;
      return true;
    case 4:
      *swizzle = Swizzle::k64;
      return true;
    case 6:
      *swizzle = Swizzle::k32;
      return true;
    default:
      return false;
  }
}

void CheckTcgen05(uint64_t bits, const SmemDescriptor& d, Majorness majorness,
                  const OperandElement& element, Findings* findings) {
  if (BitField(bits, 46, 3) != 1) {
    findings->push_back("Bits 46-48 of the matrix descriptor are " +
                        std::to_string(BitField(bits, 46, 3)) +
                        ", not the fixed value 1.");
  }
  if (BitField(bits, 53, 8) != 0) {
    findings->push_back("Bits 53-60 of the matrix descriptor are not 0.");
  }
  Swizzle swizzle;
  if (!SwizzleFromCode(DescriptorKind::kTcgen05, bits, &swizzle)) {
    findings->push_back("Swizzle mode " +
                        std::to_string(BitField(bits, 61, 3)) +
                        " of the matrix descriptor is invalid.");
  }
  if (d.leading_is_absolute &&
      (d.swizzle != Swizzle::k128 || majorness != Majorness::kK ||
       d.base_offset != 0)) {
    findings->push_back(
        "The absolute leading-dimension address needs the 128-byte swizzle "
        "with 16-byte atoms, a K-major matrix and base offset 0.");
  }
  if (majorness == Majorness::kK) return;
  const bool atom32 = d.swizzle == Swizzle::k128Atom32;
  if (element.bits == 32 && !atom32) {
    findings->push_back(
        "A 32-bit MN-major (transposed) matrix needs the 128-byte swizzle "
        "with 32-byte atoms.");
  }
  if (element.bits != 32 && atom32) {
    findings->push_back(
        "An MN-major (transposed) matrix of elements below 32 bits cannot use "
        "the 128-byte swizzle with 32-byte atoms.");
  }
  if (element.bits == 4 && element.per_chunk == 32) {
    findings->push_back(
        "Packed 4-bit matrices (kind::mxf4, kind::mxf4nvf4) must be K-major.");
  }
}

void CheckWgmmaDescriptor(const SmemDescriptor& d, Majorness majorness,
                          const OperandElement& element, Findings* findings) {
  if (d.swizzle == Swizzle::kNone && d.base_offset != 0) {
    findings->push_back("Base offset " + std::to_string(d.base_offset) +
                        " is only valid with a swizzle.");
  }
  if (majorness == Majorness::kMn && element.bits != 16) {
    findings->push_back(
        "wgmma supports MN-major (transposed) matrices only for f16 and bf16, "
        "not for " +
        std::string(FormatName(element.format)) + ".");
  }
}

}  // namespace

SmemDescriptor DecodeSmemDescriptor(DescriptorKind kind, uint64_t bits) {
  SmemDescriptor d;
  d.kind = kind;
  d.start_address = BitField(bits, 0, 14) << 4;
  d.leading_bytes = BitField(bits, 16, 14) << 4;
  d.stride_bytes = BitField(bits, 32, 14) << 4;
  d.base_offset = static_cast<int>(BitField(bits, 49, 3));
  d.leading_is_absolute =
      kind == DescriptorKind::kTcgen05 && BitField(bits, 52, 1) != 0;
  if (!SwizzleFromCode(kind, bits, &d.swizzle)) d.swizzle = Swizzle::kNone;
  return d;
}

uint64_t EncodeSmemDescriptor(const SmemDescriptor& d) {
  const auto encode = [](uint32_t bytes) {
    return static_cast<uint64_t>((bytes & kAddressMask) >> 4);
  };
  uint64_t bits = encode(d.start_address) | encode(d.leading_bytes) << 16 |
                  encode(d.stride_bytes) << 32 |
                  static_cast<uint64_t>(d.base_offset & 7) << 49;
  const bool wgmma = d.kind == DescriptorKind::kWgmma;
  if (!wgmma) {
    bits |= uint64_t{1} << 46;
    if (d.leading_is_absolute) bits |= uint64_t{1} << 52;
  }
  uint64_t code = 0;
  switch (d.swizzle) {
    case Swizzle::k32:
      code = wgmma ? 3 : 6;
      break;
    case Swizzle::k64:
      code = wgmma ? 2 : 4;
      break;
    case Swizzle::k128:
      code = wgmma ? 1 : 2;
      break;
    case Swizzle::k128Atom32:
      code = wgmma ? 0 : 1;
      break;
    default:
      break;
  }
  return bits | code << (wgmma ? 62 : 61);
}

OperandElement ElementOf(Format format) {
  const int bits = FormatBits(format);
  return {format, bits, 128 / bits};
}

OperandElement PaddedElementOf(Format format) {
  OperandElement element = ElementOf(format);
  if (element.bits < 8) element.per_chunk = 16;
  return element;
}

Findings CheckSmemDescriptor(DescriptorKind kind, uint64_t bits,
                             Majorness majorness,
                             const OperandElement& element) {
  Findings findings;
  const SmemDescriptor d = DecodeSmemDescriptor(kind, bits);
  if (kind == DescriptorKind::kTcgen05) {
    CheckTcgen05(bits, d, majorness, element, &findings);
  } else {
    CheckWgmmaDescriptor(d, majorness, element, &findings);
  }
  return findings;
}

}  // namespace tiletune::emulator
