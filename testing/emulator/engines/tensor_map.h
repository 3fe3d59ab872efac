// What: the emulated 128-byte tensor map (CUtensorMap): its fields, the rules
//   of cuTensorMapEncodeTiled, the encoding and `tensormap.replace`.
// When: a program creates a tensor map, a kernel edits one, or TMA reads one.
//
// Example:
//   TensorMap map;                       // fill rank, address, dims, box ...
//   const Findings errors = CheckTensorMap(map);
//   uint8_t bytes[kTensorMapBytes];
//   if (errors.empty()) EncodeTensorMap(map, bytes);
//   TensorMap back;
//   if (!DecodeTensorMap(bytes, &back)) { /* not a map: garbage bytes */ }

#ifndef TILETUNE_TESTING_EMULATOR_ENGINES_TENSOR_MAP_H_
#define TILETUNE_TESTING_EMULATOR_ENGINES_TENSOR_MAP_H_

#include <array>
#include <cstdint>

#include "testing/emulator/engines/findings.h"
#include "testing/emulator/engines/swizzle.h"

namespace tiletune::emulator {

constexpr int kTensorMapBytes = 128;
constexpr int kTensorMapMaxRank = 5;

// Values and order of CUtensorMapDataType in the CUDA driver API. (The
// `.elemtype` numbers of tensormap.replace differ: see ReplaceElementType.)
enum class TensorMapType : uint8_t {
  kU8,
  kU16,
  kU32,
  kS32,
  kU64,
  kS64,
  kF16,
  kF32,
  kF64,
  kBf16,
  kF32Ftz,
  kTf32,
  kTf32Ftz,
  k16U4Align8B,   // .b4x16: 16 nibbles in 8 bytes on both sides
  k16U4Align16B,  // .b4x16_p64: 8 bytes in global, 8 + 8 padding in shared
  k16U6Align16B,  // .b6x16_p32: 12 bytes in global, 12 + 4 padding in shared
};

// Values of CUtensorMapInterleave.
enum class TensorMapInterleave : uint8_t { kNone, k16B, k32B };

// Values of CUtensorMapL2promotion.
enum class TensorMapL2Promotion : uint8_t { kNone, k64B, k128B, k256B };

// Values of CUtensorMapFloatOOBfill.
enum class TensorMapFill : uint8_t { kZero, kNan };

// A tiled tensor map. Index 0 of every array is the innermost dimension.
struct TensorMap {
  TensorMapType type = TensorMapType::kU8;
  int rank = 1;
  uint64_t address = 0;                                      // bytes
  std::array<uint64_t, kTensorMapMaxRank> dims = {};         // elements
  std::array<uint64_t, kTensorMapMaxRank - 1> strides = {};  // bytes, dim 1 up
  std::array<uint32_t, kTensorMapMaxRank> box = {};          // elements
  std::array<uint32_t, kTensorMapMaxRank> element_strides = {1, 1, 1, 1, 1};
  TensorMapInterleave interleave = TensorMapInterleave::kNone;
  Swizzle swizzle = Swizzle::kNone;
  TensorMapL2Promotion l2_promotion = TensorMapL2Promotion::kNone;
  TensorMapFill fill = TensorMapFill::kZero;
};

// Bits of one element in global memory: 4, 6, 8, 16, 32 or 64.
int TensorMapElementBits(TensorMapType type);

// Bytes that 16 elements take in shared memory: 8 for k16U4Align8B, 16 for
// the two padded types, 2 * bits otherwise.
int TensorMapSharedBytesPer16(TensorMapType type);

// True for the three packed 4- and 6-bit types.
bool IsSubByte(TensorMapType type);

// True for the two of them that get padding in shared memory.
bool IsPadded(TensorMapType type);

// The PTX spelling, e.g. "bf16" or "b4x16_p64".
const char* TensorMapTypeName(TensorMapType type);

// Maps the CUtensorMapSwizzle enumerators 0..6 to Swizzle; false if unknown.
bool SwizzleFromDriver(uint32_t value, Swizzle* swizzle);

// The rules of cuTensorMapEncodeTiled (CUDA driver API, Tensor Map Object
// Management) and PTX ISA 9.7.9.25.5.1. Interleaved layouts are reported as
// not modelled.
Findings CheckTensorMap(const TensorMap& map);

// What an im2col map gets: one sentence saying that it is not modelled.
Findings Im2colNotModelled();

// Writes the emulator's own encoding: a magic number, a version and the
// fields; nothing of the hardware's opaque format.
void EncodeTensorMap(const TensorMap& map, uint8_t bytes[kTensorMapBytes]);

// Reads it back. False if the bytes were not written by EncodeTensorMap (or by
// ReplaceTensorMapField on such bytes). Does not check legality: call
// CheckTensorMap, because tensormap.replace can produce illegal combinations.
bool DecodeTensorMap(const uint8_t bytes[kTensorMapBytes], TensorMap* map);

// The `.field` qualifiers of tensormap.replace (PTX ISA 9.7.9.28).
enum class TensorMapField : uint8_t {
  kGlobalAddress,
  kRank,  // new value is rank - 1
  kBoxDim,
  kGlobalDim,
  kGlobalStride,
  kElementStride,
  kElementType,       // numbers of PTX ISA Table 33
  kInterleaveLayout,  // Table 33
  kSwizzleMode,       // Table 33: 0 none, 1 32B, 2 64B, 3 128B, 4 96B
  kSwizzleAtomicity,  // Table 33: 0 16B, 1 32B, 2 32B + 8B flip, 3 64B
  kFillMode,          // Table 33
};

// tensormap.replace: changes one field of an encoded map in place. `ordinal`
// is the dimension (kBoxDim, kGlobalDim, kGlobalStride, kElementStride; a
// stride's ordinal 0 is the stride of dimension 1) and ignored otherwise.
// A finding, and no change, for bytes that are no map, an ordinal or a value
// out of range.
Findings ReplaceTensorMapField(TensorMapField field, int ordinal,
                               uint64_t new_value,
                               uint8_t bytes[kTensorMapBytes]);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_ENGINES_TENSOR_MAP_H_
