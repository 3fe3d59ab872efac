// What: the 64-bit shared-memory matrix descriptors of wgmma (sm_90) and
//   tcgen05 (sm_100): decoding, rules, element addresses, operand loading.
// When: you execute wgmma.mma_async, tcgen05.mma or tcgen05.cp.
//
// Example:
//   const SmemDescriptor a = DecodeSmemDescriptor(DescriptorKind::kTcgen05, d);
//   const OperandView view{a, Majorness::kK, ElementOf(Format::kBf16), 128,
//   16}; std::vector<float> values(view.rows * view.depth); if
//   (!LoadOperand(view, shared, shared_bytes, values.data())) {
//     /* the operand leaves shared memory */
//   }

#ifndef TILETUNE_TESTING_EMULATOR_ENGINES_SMEM_DESCRIPTOR_H_
#define TILETUNE_TESTING_EMULATOR_ENGINES_SMEM_DESCRIPTOR_H_

#include <cstdint>
#include <vector>

#include "testing/emulator/engines/findings.h"
#include "testing/emulator/engines/formats.h"
#include "testing/emulator/engines/swizzle.h"

namespace tiletune::emulator {

enum class DescriptorKind : uint8_t { kWgmma, kTcgen05 };

// kK: consecutive K elements are contiguous ("not transposed"). kMn:
// consecutive M (or N) elements are contiguous ("transposed").
enum class Majorness : uint8_t { kK, kMn };

// PTX ISA 9.7.15.5.1.2.2 (wgmma) and Table 40 (tcgen05).
struct SmemDescriptor {
  DescriptorKind kind = DescriptorKind::kTcgen05;
  uint32_t start_address = 0;        // bytes, 18 bits, 16-byte aligned
  uint32_t leading_bytes = 0;        // LBO; an address if leading_is_absolute
  uint32_t stride_bytes = 0;         // SBO
  int base_offset = 0;               // 0..7
  bool leading_is_absolute = false;  // tcgen05 bit 52 (sm_103a, K of 48 bytes)
  Swizzle swizzle = Swizzle::kNone;  // kNone, k32, k64, k128, k128Atom32
};

// Fields of any bit pattern; invalid swizzle codes decode as kNone (and are
// reported by CheckSmemDescriptor).
SmemDescriptor DecodeSmemDescriptor(DescriptorKind kind, uint64_t bits);

// The inverse, for tests and for building descriptors in examples.
uint64_t EncodeSmemDescriptor(const SmemDescriptor& descriptor);

// How elements sit in the 16-byte chunks a descriptor addresses.
struct OperandElement {
  Format format = Format::kBf16;
  int bits = 16;      // 4, 6, 8, 16 or 32
  int per_chunk = 8;  // elements in 16 bytes: 128 / bits, 16 if padded
};

// Packed elements: 128 / FormatBits(format) in a chunk.
OperandElement ElementOf(Format format);

// The 4- and 6-bit elements of kind::f8f6f4 and mxf8f6f4: 16 elements at the
// start of each 16-byte chunk, padding after them (PTX ISA 9.7.16.10.4.4).
// 8-bit formats give the same as ElementOf.
OperandElement PaddedElementOf(Format format);

// Reserved bits, swizzle code, base offset, LBO mode, and whether majorness,
// element size and swizzle may be combined (PTX ISA Tables 40, 51, 54;
// 9.7.15.5.1.2, 9.7.15.5.2). The target of the absolute LBO mode (sm_103a) is
// the caller's to check.
Findings CheckSmemDescriptor(DescriptorKind kind, uint64_t bits,
                             Majorness majorness,
                             const OperandElement& element);

// One operand of one MMA: `rows` along M or N, `depth` along K.
struct OperandView {
  SmemDescriptor descriptor;
  Majorness majorness = Majorness::kK;
  OperandElement element;
  int rows = 0;
  int depth = 0;
};

struct ElementLocation {
  uint32_t chunk_address;  // physical shared address of the 16-byte chunk
  int bit_offset;          // of the element in the chunk, LSB first
};

// Where element (row, k) lies (PTX ISA 9.7.16.3.3 canonical layouts, XOR of
// 5.5.7 on the absolute address, base offset taken off the line number).
ElementLocation LocateElement(const OperandView& view, int row, int k);

// What one MMA adds to CheckSmemDescriptor: the operand lies inside the
// `shared_bytes` of shared memory, and a K-major row does not run over the end
// of its swizzle span (unless the LBO is absolute, which exists for that).
Findings CheckOperand(const OperandView& view, uint32_t shared_bytes);

// Half-open range of shared byte addresses.
struct ByteRange {
  uint32_t begin;
  uint32_t end;
};

// Bytes the MMA reads, as 16-byte chunks merged where adjacent, sorted.
// Replaces *ranges.
void TouchedRanges(const OperandView& view, std::vector<ByteRange>* ranges);

// Reads the operand as values[row * depth + k]. `shared` is the byte at shared
// address 0, of which `shared_bytes` exist. False, with *values unspecified,
// if any chunk lies outside.
bool LoadOperand(const OperandView& view, const uint8_t* shared,
                 uint32_t shared_bytes, float* values);

// Reads 16-byte chunks for tcgen05.cp: chunk (row, column) of a K-major matrix
// of `rows` rows and `columns` chunks, to bytes[(row * columns + column) * 16].
// False if any chunk lies outside.
bool LoadChunks(const SmemDescriptor& descriptor, int rows, int columns,
                const uint8_t* shared, uint32_t shared_bytes, uint8_t* bytes);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_ENGINES_SMEM_DESCRIPTOR_H_
