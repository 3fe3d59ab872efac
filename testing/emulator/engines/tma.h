// What: the walk of a tensor-map box: which global bytes meet which shared
//   bytes in a TMA load, store, reduce or prefetch.
// When: you execute cp.async.bulk.tensor, cp.reduce.async.bulk.tensor or
//   cp.async.bulk.prefetch.tensor.
//
// Example:
//   TmaRequest request;
//   request.direction = TmaDirection::kLoad;
//   request.coordinates = {k, row};
//   request.shared_address = destination;
//   std::vector<TmaRow> rows;
//   if (CheckTma(map, request).empty()) WalkRows(map, request, &rows);
//   for (const TmaRow& row : rows) LoadRow(map, row, global, shared);

#ifndef TILETUNE_TESTING_EMULATOR_ENGINES_TMA_H_
#define TILETUNE_TESTING_EMULATOR_ENGINES_TMA_H_

#include <array>
#include <cstdint>
#include <vector>

#include "testing/emulator/engines/bulk_reduce.h"
#include "testing/emulator/engines/findings.h"
#include "testing/emulator/engines/tensor_map.h"

namespace tiletune::emulator {

enum class TmaDirection : uint8_t { kLoad, kStore, kReduce, kPrefetch };

enum class TmaMode : uint8_t {
  kTile,
  kGather4,   // load or prefetch: {column, row0, row1, row2, row3}
  kScatter4,  // store: the same coordinates
};

struct TmaRequest {
  TmaDirection direction = TmaDirection::kLoad;
  TmaMode mode = TmaMode::kTile;
  // Elements, innermost first; `rank` of them, five for gather4/scatter4.
  std::array<int32_t, 5> coordinates = {};
  // Shared-memory byte address (CTA window, i.e. the offset that the swizzle
  // XOR sees) of the box's first byte. Ignored for a prefetch.
  uint32_t shared_address = 0;
};

// Alignment, coordinate, type and direction rules (PTX ISA 9.7.9.25.5.1,
// 5.5.3.4, 5.5.7). Does not repeat CheckTensorMap.
Findings CheckTma(const TensorMap& map, const TmaRequest& request);

// Bytes the box takes in shared memory, with the gaps behind rows that are
// narrower than the swizzle span.
uint32_t TmaSharedBytes(const TensorMap& map, TmaMode mode);

// Bytes that the mbarrier's complete_tx counts for a load. Out-of-bounds
// elements count like all others. For the padded sub-byte types the ISA does
// not say whether padding counts; see README.md for what was chosen.
uint32_t TmaTransactionBytes(const TensorMap& map, TmaMode mode);

// One innermost row of the box. Linear shared bytes [shared_address,
// shared_address + shared_bytes) before the swizzle; the elements that lie
// inside the tensor are contiguous in global memory and in the row.
struct TmaRow {
  uint64_t global_address;  // of the first element inside the tensor
  uint32_t shared_address;  // linear, of the row's first element
  uint32_t shared_bytes;    // whole row
  uint32_t inside_offset;   // shared bytes before the first inside element
  uint32_t inside_bytes;    // shared bytes of the inside elements, 0 if none
  uint32_t global_bytes;    // global bytes of the inside elements
};

// All rows of the box, outermost dimension slowest. Replaces *rows. The map has
// passed CheckTensorMap: an illegal box may be of any size.
void WalkRows(const TensorMap& map, const TmaRequest& request,
              std::vector<TmaRow>* rows);

// One contiguous piece after the swizzle: at most 16 bytes when swizzled, a
// whole row otherwise. The two byte counts differ only when 6-bit elements are
// stored (16 containers become 12 bytes). A padded sub-byte load writes 8 or 12
// bytes of each 16: its padding is in no run, because it stays uninitialised
// (PTX ISA 5.5.1.1.1).
struct TmaRun {
  uint64_t global_address;  // meaningless if !inside
  uint32_t shared_address;  // physical
  uint32_t shared_bytes;
  uint32_t global_bytes;
  bool inside;  // false: outside the tensor; loads fill, stores skip
};

// All runs of the box, in row order. Replaces *runs. This is the precise form
// for race and initialisation checks; WalkRows with LoadRow/StoreRow is the
// fast form for moving data. Both describe the same bytes.
void WalkRuns(const TensorMap& map, const TmaRequest& request,
              std::vector<TmaRun>* runs);

// Splits one row into runs and appends them to *runs.
void AppendRuns(const TensorMap& map, TmaDirection direction, const TmaRow& row,
                std::vector<TmaRun>* runs);

// Moves one row from global into shared memory, swizzled and filled. `global`
// points at the bytes of row.global_address (unused if inside_bytes is 0);
// `shared` is the byte at shared address 0; the 128-byte lines that the row
// touches must exist, since a swizzle permutes within a line. The tf32 types
// round to nearest even at 10 mantissa bits (ISA: silent, see README.md).
void LoadRow(const TensorMap& map, const TmaRow& row, const uint8_t* global,
             uint8_t* shared);

// Moves the inside part of one row from shared into global memory.
void StoreRow(const TensorMap& map, const TmaRow& row, const uint8_t* shared,
              uint8_t* global);

// The inside part of one row, reduced into global memory.
void ReduceRow(const TensorMap& map, const TmaRow& row, ReduceOp op,
               ReduceType type, const uint8_t* shared, uint8_t* global);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_ENGINES_TMA_H_
