// What: ldmatrix and stmatrix: which lane gives which row address, and which
//   memory element each register byte is.
// When: you execute ldmatrix or stmatrix.
//
// Example:
//   MatrixAccess access{MatrixShape::kM8N8B16, /*num=*/4, /*transposed=*/true};
//   const MatrixSource s = MatrixElement(access, lane, /*reg=*/2,
//   /*element=*/0);
//   // 2 bytes at row_address[s.address_lane] + s.byte_offset

#ifndef TILETUNE_TESTING_EMULATOR_ENGINES_MATRIX_LOAD_STORE_H_
#define TILETUNE_TESTING_EMULATOR_ENGINES_MATRIX_LOAD_STORE_H_

#include <cstdint>

#include "testing/emulator/engines/findings.h"

namespace tiletune::emulator {

enum class MatrixShape : uint8_t {
  kM8N8B16,   // ldmatrix, stmatrix: 8x8 of 16 bits
  kM16N16B8,  // ldmatrix.trans: 16x16 of 8 bits, two registers a matrix
  kM8N16,     // ldmatrix .b8x16.{b6x16_p32,b4x16_p64}: 8x16 containers
  kM16N8B8,   // stmatrix.trans: 16x8 of 8 bits
};

struct MatrixAccess {
  MatrixShape shape = MatrixShape::kM8N8B16;
  int num = 1;  // matrices: 1, 2 or 4 (kM16N16B8: 1 or 2)
  bool transposed = false;
};

// Legal num and mandatory or forbidden .trans (PTX ISA 9.7.14.5.15, .16).
Findings CheckMatrixAccess(const MatrixAccess& access, bool is_store);

// Registers of each thread.
int MatrixRegisters(const MatrixAccess& access);

// Elements in one register: 2 of 16 bits or 4 of 8 bits.
int MatrixElementsPerRegister(const MatrixAccess& access);

// Lanes 0 .. this - 1 provide row addresses; each row is 16 bytes in memory.
int MatrixAddressLanes(const MatrixAccess& access);

// kM8N8B16 and kM8N16 follow the text and figures of PTX ISA 9.7.14.5.15. For
// kM16N16B8 and kM16N8B8 the ISA has figures only; the maps are those of CuTe's
// SM100_U8x8_LDSM_T and SM100_U8x4_STSM_T traits (NVIDIA/cutlass).
//
// Memory element of `element` (low bits first) of register `reg` of `lane`:
// its row address comes from `address_lane`, and it lies `byte_offset` bytes
// behind it. For decompressing loads the offset is that of the container
// after Decompress.
struct MatrixSource {
  int address_lane;
  int byte_offset;
};
MatrixSource MatrixElement(const MatrixAccess& access, int lane, int reg,
                           int element);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_ENGINES_MATRIX_LOAD_STORE_H_
