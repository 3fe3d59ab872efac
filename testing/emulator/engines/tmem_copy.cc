#include "testing/emulator/engines/tmem_copy.h"

#include <cstring>
#include <string>

namespace tiletune::emulator {
namespace {

constexpr int kChunkBytes = 16;
constexpr int kWordsPerChunk = 4;

// The lanes, relative to the base lane, that receive source row `row`.
std::vector<int> DestinationLanes(const TmemCopy& copy, int row) {
  if (copy.shape == TmemCopyShape::k4x256b) return {32 * row};
  switch (copy.multicast) {
    case TmemMulticast::kNone:
      return {row};
    case TmemMulticast::kWarpx2_02_13:  // warps 0 and 2, 1 and 3 are alike
      return {row, row + 64};
    case TmemMulticast::kWarpx2_01_23: {  // warps 0 and 1, 2 and 3 are alike
      const int lane = row / 32 * 64 + row % 32;
      return {lane, lane + 32};
    }
    case TmemMulticast::kWarpx4:
      return {row, row + 32, row + 64, row + 96};
  }
  return {};
}

}  // namespace

int CopyRows(TmemCopyShape shape) {
  switch (shape) {
    case TmemCopyShape::k4x256b:
      return 4;
    case TmemCopyShape::k64x128b:
      return 64;
    case TmemCopyShape::k32x128b:
      return 32;
    default:
      return 128;
  }
}

int CopyChunks(TmemCopyShape shape) {
  return shape == TmemCopyShape::k128x256b || shape == TmemCopyShape::k4x256b
             ? 2
             : 1;
}

Findings CheckTmemCopy(const TmemCopy& copy, TmemAddress base) {
  Findings findings;
  const bool x2 = copy.multicast == TmemMulticast::kWarpx2_02_13 ||
                  copy.multicast == TmemMulticast::kWarpx2_01_23;
  const bool x4 = copy.multicast == TmemMulticast::kWarpx4;
  if ((copy.shape == TmemCopyShape::k64x128b) != x2) {
    findings.push_back(
        "The shape 64x128b and the qualifiers warpx2::02_13 and warpx2::01_23 "
        "need each other.");
  }
  if ((copy.shape == TmemCopyShape::k32x128b) != x4) {
    findings.push_back(
        "The shape 32x128b and the qualifier warpx4 need each other.");
  }
  const int lanes = copy.shape == TmemCopyShape::k4x256b ? 32 : 1;
  if (base.lane < 0 || base.lane >= lanes) {
    findings.push_back("tcgen05.cp to lane " + std::to_string(base.lane) +
                       " leaves Tensor Memory or is not modelled.");
  }
  const int columns = CopyChunks(copy.shape) * kWordsPerChunk;
  if (base.column + columns > kTmemColumns) {
    findings.push_back("tcgen05.cp to columns " + std::to_string(base.column) +
                       " to " + std::to_string(base.column + columns - 1) +
                       " leaves Tensor Memory.");
  }
  return findings;
}

std::vector<TmemMove> CopyMoves(const TmemCopy& copy) {
  std::vector<TmemMove> moves;
  for (int row = 0; row < CopyRows(copy.shape); ++row) {
    for (int chunk = 0; chunk < CopyChunks(copy.shape); ++chunk) {
      for (int lane : DestinationLanes(copy, row)) {
        moves.push_back({row, chunk, lane, chunk * kWordsPerChunk});
      }
    }
  }
  return moves;
}

void Decompress(Decompression decompression, const uint8_t source[16],
                uint8_t destination[16]) {
  if (decompression == Decompression::kNone) {
    std::memcpy(destination, source, kChunkBytes);
    return;
  }
  const int bits = decompression == Decompression::kB4x16P64 ? 4 : 6;
  for (int i = 0; i < 16; ++i) {
    const int position = i * bits;
    const uint32_t two = source[position / 8] |
                         static_cast<uint32_t>(source[position / 8 + 1]) << 8;
    destination[i] =
        static_cast<uint8_t>((two >> (position % 8)) & ((1u << bits) - 1));
  }
}

void DecompressToTmem(Decompression decompression, const uint8_t source[16],
                      uint8_t destination[16]) {
  Decompress(decompression, source, destination);
  if (decompression != Decompression::kB4x16P64) return;
  for (int i = 0; i < 16; ++i) {
    destination[i] = static_cast<uint8_t>(destination[i] << 2);
  }
}

bool RunTmemCopy(const TmemCopy& copy, const SmemDescriptor& descriptor,
                 TmemAddress base, const uint8_t* shared, uint32_t shared_bytes,
                 uint32_t* tmem) {
  const int rows = CopyRows(copy.shape);
  const int chunks = CopyChunks(copy.shape);
  std::vector<uint8_t> source(static_cast<size_t>(rows * chunks) * kChunkBytes);
  if (!LoadChunks(descriptor, rows, chunks, shared, shared_bytes,
                  source.data())) {
    return false;
  }
  for (const TmemMove& move : CopyMoves(copy)) {
    uint8_t bytes[kChunkBytes];
    DecompressToTmem(
        copy.decompression,
        &source[static_cast<size_t>(move.row * chunks + move.chunk) *
                kChunkBytes],
        bytes);
    uint32_t* words = tmem + (base.lane + move.lane) * kTmemColumns +
                      base.column + move.column;
    std::memcpy(words, bytes, kChunkBytes);
  }
  return true;
}

}  // namespace tiletune::emulator
