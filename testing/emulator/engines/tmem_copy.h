// What: tcgen05.cp: which 16-byte chunk of shared memory goes to which lanes
//   and columns of Tensor Memory, and the decompression of 4- and 6-bit data.
// When: you execute tcgen05.cp (scale factors travel this way).
//
// Example:
//   TmemCopy copy{TmemCopyShape::k32x128b, TmemMulticast::kWarpx4};
//   if (!CheckTmemCopy(copy, base).empty()) return;
//   for (const TmemMove& move : CopyMoves(copy))
//     ;  // chunk (move.row, move.chunk) -> lane move.lane, 4 columns
//   RunTmemCopy(copy, descriptor, base, shared, shared_bytes, tmem);

#ifndef TILETUNE_TESTING_EMULATOR_ENGINES_TMEM_COPY_H_
#define TILETUNE_TESTING_EMULATOR_ENGINES_TMEM_COPY_H_

#include <cstdint>
#include <vector>

#include "testing/emulator/engines/findings.h"
#include "testing/emulator/engines/smem_descriptor.h"
#include "testing/emulator/engines/tmem_layout.h"

namespace tiletune::emulator {

enum class TmemCopyShape : uint8_t {
  k128x256b,
  k4x256b,
  k128x128b,
  k64x128b,
  k32x128b,
};

enum class TmemMulticast : uint8_t {
  kNone,
  kWarpx2_02_13,
  kWarpx2_01_23,
  kWarpx4
};

// `.b8x16.b4x16_p64` and `.b8x16.b6x16_p32`.
enum class Decompression : uint8_t { kNone, kB4x16P64, kB6x16P32 };

struct TmemCopy {
  TmemCopyShape shape = TmemCopyShape::k128x256b;
  TmemMulticast multicast = TmemMulticast::kNone;
  Decompression decompression = Decompression::kNone;
};

// Rows of the source matrix and 16-byte chunks in a row.
int CopyRows(TmemCopyShape shape);
int CopyChunks(TmemCopyShape shape);

// Shape and multicast fit together (PTX ISA 9.7.16.9.2), base lane 0 (silent
// ISA: other lanes are reported), columns within 512.
Findings CheckTmemCopy(const TmemCopy& copy, TmemAddress base);

// One destination of one source chunk: 16 bytes to four words of one lane.
struct TmemMove {
  int row;     // of the source matrix
  int chunk;   // 16-byte chunk in the row
  int lane;    // offset from the base lane
  int column;  // offset from the base column of the first of four words
};

// Every move of the copy; a multicast chunk appears once for each copy.
std::vector<TmemMove> CopyMoves(const TmemCopy& copy);

// 16 source bytes to 16 containers of 8 bits (PTX ISA 9.7.16.9.1): element i
// in the low 4 or 6 bits of byte i, upper bits zero, as ldmatrix delivers them.
// kNone copies.
void Decompress(Decompression decompression, const uint8_t source[16],
                uint8_t destination[16]);

// The same for tcgen05.cp, which puts 4-bit elements in bits 5-2, where the
// MMA expects them in Tensor Memory (see README.md).
void DecompressToTmem(Decompression decompression, const uint8_t source[16],
                      uint8_t destination[16]);

// The whole copy for one CTA. False, with TMEM unspecified, if the source
// leaves shared memory.
bool RunTmemCopy(const TmemCopy& copy, const SmemDescriptor& descriptor,
                 TmemAddress base, const uint8_t* shared, uint32_t shared_bytes,
                 uint32_t* tmem);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_ENGINES_TMEM_COPY_H_
