#include <cstring>

#include "testing/emulator/engines/tma.h"
#include "testing/emulator/engines/tma_pieces.h"

namespace tiletune::emulator {
namespace {

// What a load does to the words of tf32 types: rounds to nearest even at 10
// mantissa bits, as `cvt.rn.tf32` does. The .ftz types flush nothing on a load
// (both seen on an H200).
void ConvertWords(TensorMapType type, uint8_t* words, uint32_t bytes) {
  if (type != TensorMapType::kTf32 && type != TensorMapType::kTf32Ftz) return;
  for (uint32_t i = 0; i + 4 <= bytes; i += 4) {
    uint32_t word;
    std::memcpy(&word, words + i, 4);
    const uint32_t magnitude = word & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u) {
      word = 0x7FFFE000u;  // NaN
    } else if (magnitude < 0x7F800000u) {
      word += 0xFFFu + ((word >> 13) & 1u);
      word &= ~0x1FFFu;
    }
    std::memcpy(words + i, &word, 4);
  }
}

// Writes the out-of-bounds pattern (PTX ISA 5.5.3.3) over one piece. All
// pieces start at a multiple of the element size.
void Fill(const TensorMap& map, uint8_t* destination, uint32_t bytes) {
  if (map.fill == TensorMapFill::kZero) {
    std::memset(destination, 0, bytes);
    return;
  }
  // The same halves whatever the type, as an H200 writes them; the ISA does not
  // give the bits.
  for (uint32_t i = 0; i < bytes; ++i) {
    destination[i] = i % 2 == 0 ? 0xF7 : 0x7F;
  }
}

// Sixteen 8-bit containers to twelve packed bytes (.b6p2x16, PTX ISA
// 5.5.1.1.1).
void PackSixBit(const uint8_t* containers, uint8_t* packed) {
  std::memset(packed, 0, 12);
  for (int i = 0; i < 16; ++i) {
    for (int bit = 0; bit < 6; ++bit) {
      if ((containers[i] >> bit) & 1) {
        const int position = 6 * i + bit;
        packed[position / 8] |= static_cast<uint8_t>(1 << (position % 8));
      }
    }
  }
}

}  // namespace

void LoadRow(const TensorMap& map, const TmaRow& row, const uint8_t* global,
             uint8_t* shared) {
  if (IsPadded(map.type)) {
    const PaddedChunk chunk = PaddedChunkOf(map.type, TmaDirection::kLoad);
    for (uint32_t at = 0; at < row.shared_bytes; at += chunk.shared_step) {
      uint8_t* destination =
          shared + SwizzleAddress(map.swizzle, row.shared_address + at);
      if (row.inside_bytes == 0) {
        std::memset(destination, 0, chunk.shared_bytes);
      } else {
        std::memcpy(destination, global, chunk.global_bytes);
        global += chunk.global_bytes;
      }
    }
    return;
  }
  const auto fill = [&](uint32_t a, uint32_t size) {
    Fill(map, shared + SwizzleAddress(map.swizzle, a), size);
  };
  const auto copy = [&](uint32_t a, uint32_t size) {
    uint8_t* destination = shared + SwizzleAddress(map.swizzle, a);
    std::memcpy(destination, global, size);
    ConvertWords(map.type, destination, size);
    global += size;
  };
  const uint32_t start = row.shared_address + row.inside_offset;
  const uint32_t end = start + row.inside_bytes;
  ForEachPiece(map.swizzle, row.shared_address, row.inside_offset, fill);
  ForEachPiece(map.swizzle, start, row.inside_bytes, copy);
  ForEachPiece(map.swizzle, end,
               row.shared_bytes - row.inside_offset - row.inside_bytes, fill);
}

void StoreRow(const TensorMap& map, const TmaRow& row, const uint8_t* shared,
              uint8_t* global) {
  if (row.inside_bytes == 0) return;
  if (map.type == TensorMapType::k16U6Align16B) {
    for (uint32_t at = 0; at < row.shared_bytes; at += 16) {
      const uint8_t* source =
          shared + SwizzleAddress(map.swizzle, row.shared_address + at);
      PackSixBit(source, global);
      global += 12;
    }
    return;
  }
  ForEachPiece(map.swizzle, row.shared_address + row.inside_offset,
               row.inside_bytes, [&](uint32_t a, uint32_t size) {
                 std::memcpy(global, shared + SwizzleAddress(map.swizzle, a),
                             size);
                 global += size;
               });
}

void ReduceRow(const TensorMap& map, const TmaRow& row, ReduceOp op,
               ReduceType type, const uint8_t* shared, uint8_t* global) {
  ForEachPiece(map.swizzle, row.shared_address + row.inside_offset,
               row.inside_bytes, [&](uint32_t a, uint32_t size) {
                 Reduce(op, type, shared + SwizzleAddress(map.swizzle, a),
                        global, size);
                 global += size;
               });
}

}  // namespace tiletune::emulator
