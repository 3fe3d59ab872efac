#include <algorithm>
#include <cstring>
#include <string>

#include "testing/emulator/engines/smem_descriptor.h"

namespace tiletune::emulator {
namespace {

constexpr uint32_t kAddressMask = 0x3FFFF;  // 18 bits
constexpr uint32_t kChunkBytes = 16;

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

}  // namespace

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
  // Padding is not read: TMA does not write it either.
  const uint32_t bytes =
      static_cast<uint32_t>(view.element.per_chunk * view.element.bits) / 8;
  ForEachChunk(view, [ranges, bytes](uint32_t address, int, int) {
    ranges->push_back({address, address + bytes});
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
