#include "testing/emulator/engines/smem_descriptor.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace tiletune::emulator {
namespace {

constexpr uint32_t kAddressMask = 0x3FFFF;  // 18 bits
constexpr uint32_t kChunkBytes = 16;

uint32_t Field(uint64_t bits, int low, int count) {
  return static_cast<uint32_t>((bits >> low) & ((uint64_t{1} << count) - 1));
}

// The 3-bit code of tcgen05 (Table 40) and the 2-bit one of wgmma.
bool SwizzleFromCode(DescriptorKind kind, uint64_t bits, Swizzle* swizzle) {
  if (kind == DescriptorKind::kWgmma) {
    constexpr Swizzle kWgmma[] = {Swizzle::kNone, Swizzle::k128, Swizzle::k64,
                                  Swizzle::k32};
    *swizzle = kWgmma[Field(bits, 62, 2)];
    return true;
  }
  switch (Field(bits, 61, 3)) {
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

// Physical address of the chunk that holds K chunk `column` of `row`.
uint32_t ChunkKMajor(const SmemDescriptor& d, uint32_t row, uint32_t column) {
  uint32_t linear = d.start_address + (row / 8) * d.stride_bytes;
  if (d.swizzle == Swizzle::kNone) {
    linear += (row % 8) * kChunkBytes + column * d.leading_bytes;
    return linear & kAddressMask;
  }
  const uint32_t span = SwizzleSpanBytes(d.swizzle);
  const uint32_t in_row = (d.start_address % span) + column * kChunkBytes;
  if (d.leading_is_absolute && in_row >= span) {
    // The rest of the row is in a second buffer with the same row stride.
    linear = d.leading_bytes + (row / 8) * d.stride_bytes + (in_row - span);
  } else {
    linear += column * kChunkBytes;
  }
  linear += (row % 8) * span;
  return SwizzleAddress(d.swizzle, linear & kAddressMask,
                        static_cast<uint32_t>(d.base_offset));
}

// Physical address of the chunk that holds chunk `column` along M or N at K
// index `k`.
uint32_t ChunkMnMajor(const SmemDescriptor& d, uint32_t column, uint32_t k) {
  if (d.swizzle == Swizzle::kNone) {
    return (d.start_address + column * d.stride_bytes +
            (k / 8) * d.leading_bytes + (k % 8) * kChunkBytes) &
           kAddressMask;
  }
  // The swizzle atom is `span` bytes along M or N and 8 K deep, but 4 deep with
  // 32-byte atoms (Table 55).
  const uint32_t span = SwizzleSpanBytes(d.swizzle);
  const uint32_t columns = span / kChunkBytes;
  const uint32_t depth = d.swizzle == Swizzle::k128Atom32 ? 4 : 8;
  const uint32_t linear = d.start_address +
                          (column / columns) * d.leading_bytes +
                          (column % columns) * kChunkBytes +
                          (k / depth) * d.stride_bytes + (k % depth) * span;
  return SwizzleAddress(d.swizzle, linear & kAddressMask,
                        static_cast<uint32_t>(d.base_offset));
}

// Calls visit(chunk address, row, k) for every chunk, with the row and K index
// of the chunk's first element.
template <typename Visit>
void ForEachChunk(const OperandView& view, Visit visit) {
  const int step = view.element.per_chunk;
  if (view.majorness == Majorness::kK) {
    for (int row = 0; row < view.rows; ++row) {
      for (int k = 0; k < view.depth; k += step) {
        visit(ChunkKMajor(view.descriptor, static_cast<uint32_t>(row),
                          static_cast<uint32_t>(k / step)),
              row, k);
      }
    }
    return;
  }
  for (int k = 0; k < view.depth; ++k) {
    for (int row = 0; row < view.rows; row += step) {
      visit(ChunkMnMajor(view.descriptor, static_cast<uint32_t>(row / step),
                         static_cast<uint32_t>(k)),
            row, k);
    }
  }
}

// The elements of one chunk; `values` has room for 32.
void DecodeChunk(const OperandElement& element, const uint8_t* chunk,
                 float* values) {
  switch (element.bits) {
    case 32:
      for (int i = 0; i < 4; ++i) {
        uint32_t word;
        std::memcpy(&word, chunk + 4 * i, 4);
        values[i] = Decode(element.format, word);
      }
      return;
    case 16: {
      uint16_t halves[8];
      std::memcpy(halves, chunk, sizeof(halves));
      if (element.format == Format::kBf16) {
        for (int i = 0; i < 8; ++i) values[i] = DecodeBf16(halves[i]);
      } else {
        for (int i = 0; i < 8; ++i) values[i] = DecodeF16(halves[i]);
      }
      return;
    }
    case 8: {
      const float* table = DecodeTable(element.format);
      for (int i = 0; i < 16; ++i) values[i] = table[chunk[i]];
      return;
    }
    default: {  // 4 or 6 bits, packed from the start of the chunk
      const float* table = DecodeTable(element.format);
      const uint32_t mask = (1u << element.bits) - 1;
      for (int i = 0; i < element.per_chunk; ++i) {
        const int position = i * element.bits;
        const int byte = position / 8;
        uint32_t two = chunk[byte];
        if (byte + 1 < 16) two |= static_cast<uint32_t>(chunk[byte + 1]) << 8;
        values[i] = table[(two >> (position % 8)) & mask];
      }
      return;
    }
  }
}

std::string Hex(uint64_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[value % 16]);
    value /= 16;
  } while (value != 0);
  return "0x" + text;
}

void CheckTcgen05(uint64_t bits, const SmemDescriptor& d, Majorness majorness,
                  const OperandElement& element, Findings* findings) {
  if (Field(bits, 46, 3) != 1) {
    findings->push_back("Bits 46-48 of the matrix descriptor are " +
                        std::to_string(Field(bits, 46, 3)) +
                        ", not the fixed value 1.");
  }
  if (Field(bits, 53, 8) != 0) {
    findings->push_back("Bits 53-60 of the matrix descriptor are " +
                        Hex(Field(bits, 53, 8)) + ", not 0.");
  }
  Swizzle swizzle;
  if (!SwizzleFromCode(DescriptorKind::kTcgen05, bits, &swizzle)) {
    findings->push_back("Swizzle mode " + std::to_string(Field(bits, 61, 3)) +
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
  d.start_address = Field(bits, 0, 14) << 4;
  d.leading_bytes = Field(bits, 16, 14) << 4;
  d.stride_bytes = Field(bits, 32, 14) << 4;
  d.base_offset = static_cast<int>(Field(bits, 49, 3));
  d.leading_is_absolute =
      kind == DescriptorKind::kTcgen05 && Field(bits, 52, 1) != 0;
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

ElementLocation LocateElement(const OperandView& view, int row, int k) {
  const OperandElement& element = view.element;
  if (view.majorness == Majorness::kK) {
    return {ChunkKMajor(view.descriptor, static_cast<uint32_t>(row),
                        static_cast<uint32_t>(k / element.per_chunk)),
            (k % element.per_chunk) * element.bits};
  }
  return {ChunkMnMajor(view.descriptor,
                       static_cast<uint32_t>(row / element.per_chunk),
                       static_cast<uint32_t>(k)),
          (row % element.per_chunk) * element.bits};
}

Findings CheckOperand(const OperandView& view, uint32_t shared_bytes) {
  Findings findings;
  const SmemDescriptor& d = view.descriptor;
  if (view.majorness == Majorness::kK && d.swizzle != Swizzle::kNone &&
      !d.leading_is_absolute) {
    const uint32_t span = SwizzleSpanBytes(d.swizzle);
    const uint32_t chunks = static_cast<uint32_t>(
        (view.depth + view.element.per_chunk - 1) / view.element.per_chunk);
    const uint32_t end = d.start_address % span + chunks * kChunkBytes;
    if (end > span) {
      findings.push_back("The operand's K extent starts at byte " +
                         std::to_string(d.start_address % span) + " of its " +
                         std::to_string(span) +
                         "-byte swizzle span and runs over the end of it.");
    }
  }
  uint32_t highest = 0;
  ForEachChunk(view, [&highest](uint32_t address, int, int) {
    highest = std::max(highest, address);
  });
  if (highest + kChunkBytes > shared_bytes) {
    findings.push_back("The operand reads shared address " + Hex(highest) +
                       ", but shared memory has " +
                       std::to_string(shared_bytes) + " bytes.");
  }
  return findings;
}

void TouchedRanges(const OperandView& view, std::vector<ByteRange>* ranges) {
  ranges->clear();
  ForEachChunk(view, [ranges](uint32_t address, int, int) {
    ranges->push_back({address, address + kChunkBytes});
  });
  std::sort(ranges->begin(), ranges->end(),
            [](ByteRange a, ByteRange b) { return a.begin < b.begin; });
  size_t kept = 0;
  for (size_t i = 1; i < ranges->size(); ++i) {
    const ByteRange next = (*ranges)[i];
    if (next.begin <= (*ranges)[kept].end) {
      (*ranges)[kept].end = std::max((*ranges)[kept].end, next.end);
    } else {
      (*ranges)[++kept] = next;
    }
  }
  if (!ranges->empty()) ranges->resize(kept + 1);
}

bool LoadOperand(const OperandView& view, const uint8_t* shared,
                 uint32_t shared_bytes, float* values) {
  bool inside = true;
  ForEachChunk(view, [&](uint32_t address, int row, int k) {
    if (address + kChunkBytes > shared_bytes) {
      inside = false;
      return;
    }
    float chunk[32];
    DecodeChunk(view.element, shared + address, chunk);
    if (view.majorness == Majorness::kK) {
      const int count = std::min(view.element.per_chunk, view.depth - k);
      std::memcpy(values + static_cast<size_t>(row) * view.depth + k, chunk,
                  static_cast<size_t>(count) * sizeof(float));
    } else {
      const int count = std::min(view.element.per_chunk, view.rows - row);
      for (int i = 0; i < count; ++i) {
        values[static_cast<size_t>(row + i) * view.depth + k] = chunk[i];
      }
    }
  });
  return inside;
}

bool LoadChunks(const SmemDescriptor& descriptor, int rows, int columns,
                const uint8_t* shared, uint32_t shared_bytes, uint8_t* bytes) {
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const uint32_t address =
          ChunkKMajor(descriptor, static_cast<uint32_t>(row),
                      static_cast<uint32_t>(column));
      if (address + kChunkBytes > shared_bytes) return false;
      std::memcpy(bytes, shared + address, kChunkBytes);
      bytes += kChunkBytes;
    }
  }
  return true;
}

}  // namespace tiletune::emulator
