#include "testing/emulator/engines/tma.h"

#include <algorithm>
#include <string>

#include "testing/emulator/engines/tma_pieces.h"

namespace tiletune::emulator {
namespace {

bool IsGatherOrScatter(TmaMode mode) { return mode != TmaMode::kTile; }

// Elements that the box really visits along a dimension: the traversal stride
// skips the others (cuTensorMapEncodeTiled, elementStrides). Dimension 0 has
// no stride without interleaving.
uint32_t Visited(const TensorMap& map, int dimension) {
  const uint32_t box = map.box[dimension];
  if (dimension == 0) return box;
  const uint32_t stride = std::max(1u, map.element_strides[dimension]);
  return (box + stride - 1) / stride;
}

uint32_t RowsInBox(const TensorMap& map, TmaMode mode) {
  if (IsGatherOrScatter(mode)) return 4;
  uint32_t rows = 1;
  for (int i = 1; i < map.rank; ++i) rows *= Visited(map, i);
  return rows;
}

uint32_t RowSharedBytes(const TensorMap& map) {
  return map.box[0] *
         static_cast<uint32_t>(TensorMapSharedBytesPer16(map.type)) / 16;
}

// Rows narrower than the swizzle lie a whole span apart (seen on an H200; the
// ISA is silent).
uint32_t RowPitch(const TensorMap& map) {
  return map.swizzle == Swizzle::kNone ? RowSharedBytes(map)
                                       : SwizzleSpanBytes(map.swizzle);
}

uint32_t RowGlobalBytes(const TensorMap& map) {
  return map.box[0] * static_cast<uint32_t>(TensorMapElementBits(map.type)) / 8;
}

// The part of an innermost row that lies inside the tensor, relative to the
// row's start. Every row of a box shares it. Stores and reductions write whole
// 16-byte units: a row that ends inside one takes the rest from the box, too
// (seen on an H200; the ISA is silent).
TmaRow InnerRow(const TensorMap& map, TmaDirection direction, int64_t first) {
  const int64_t dim = static_cast<int64_t>(map.dims[0]);
  const int64_t low = std::clamp<int64_t>(first, 0, dim);
  const int64_t high =
      std::clamp<int64_t>(first + static_cast<int64_t>(map.box[0]), 0, dim);
  const int shared_per_16 = TensorMapSharedBytesPer16(map.type);
  const int bits = TensorMapElementBits(map.type);
  TmaRow row = {};
  row.shared_bytes = RowSharedBytes(map);
  if (high <= low) return row;
  row.inside_offset = static_cast<uint32_t>((low - first) * shared_per_16 / 16);
  row.inside_bytes = static_cast<uint32_t>((high - low) * shared_per_16 / 16);
  row.global_bytes = static_cast<uint32_t>((high - low) * bits / 8);
  row.global_address = map.address + static_cast<uint64_t>(low) *
                                         static_cast<uint64_t>(bits) / 8;
  const bool writes =
      direction == TmaDirection::kStore || direction == TmaDirection::kReduce;
  if (writes && !IsSubByte(map.type)) {
    const uint32_t end = row.inside_offset + row.inside_bytes;
    row.inside_bytes += (16 - end % 16) % 16;
    row.global_bytes = row.inside_bytes;
  }
  return row;
}

void CheckCoordinates(const TensorMap& map, const TmaRequest& request,
                      Findings* findings) {
  const int32_t first = request.coordinates[0];
  if (IsPadded(map.type) && first % 128 != 0) {
    findings->push_back("The first coordinate " + std::to_string(first) +
                        " is not a multiple of 128, which " +
                        TensorMapTypeName(map.type) + " needs.");
  }
  if (map.type == TensorMapType::k16U4Align8B && first % 2 != 0) {
    findings->push_back("The first coordinate " + std::to_string(first) +
                        " starts in the middle of a byte of b4x16.");
  }
  const int64_t first_bits = int64_t{first} * TensorMapElementBits(map.type);
  if (!IsPadded(map.type) && first_bits % 128 != 0) {
    // The box's address is 16-byte aligned (PTX ISA 5.5.3.1); an H200 stops
    // with "illegal instruction" otherwise, though the driver takes the map. It
    // has no b4x16, which is held to the same sentence of the ISA.
    findings->push_back("The first coordinate " + std::to_string(first) +
                        " is " + std::to_string(first_bits / 8) +
                        " bytes, not a multiple of 16: an illegal "
                        "instruction.");
  }
  const bool writes = request.direction == TmaDirection::kStore ||
                      request.direction == TmaDirection::kReduce;
  const int count = IsGatherOrScatter(request.mode) ? 5 : map.rank;
  for (int i = 0; writes && i < count; ++i) {
    if (request.coordinates[i] < 0) {
      findings->push_back("Coordinate " + std::to_string(i) +
                          " of a store is " +
                          std::to_string(request.coordinates[i]) +
                          "; starting coordinates of stores must not be "
                          "negative.");
    }
  }
}

void CheckMode(const TensorMap& map, const TmaRequest& request,
               Findings* findings) {
  if (!IsGatherOrScatter(request.mode)) return;
  const bool gather = request.mode == TmaMode::kGather4;
  const char* name = gather ? "tile::gather4" : "tile::scatter4";
  const bool fits = gather ? request.direction == TmaDirection::kLoad ||
                                 request.direction == TmaDirection::kPrefetch
                           : request.direction == TmaDirection::kStore;
  if (!fits) {
    findings->push_back(std::string(name) + " is only for " +
                        (gather ? "loads and prefetches." : "stores."));
  }
  if (map.rank != 2) {
    findings->push_back(std::string(name) + " needs a tensor of rank 2, not " +
                        std::to_string(map.rank) + ".");
  } else if (map.box[1] != 1) {
    findings->push_back(std::string(name) + " needs a box of one row, not " +
                        std::to_string(map.box[1]) + ".");
  }
}

void CheckDirection(const TensorMap& map, const TmaRequest& request,
                    Findings* findings) {
  const TmaDirection direction = request.direction;
  if (direction == TmaDirection::kReduce && IsSubByte(map.type)) {
    findings->push_back(std::string("Reductions do not support the type ") +
                        TensorMapTypeName(map.type) + ".");
  }
  if (direction == TmaDirection::kStore) {
    if (map.type == TensorMapType::k16U4Align16B) {
      findings->push_back("b4x16_p64 cannot be stored, only loaded.");
    }
    if (map.swizzle == Swizzle::k128Atom32Flip8) {
      findings->push_back(
          "The 128-byte swizzle with 32-byte atoms and 8-byte flip is only "
          "for loads.");
    }
  }
  if (direction == TmaDirection::kLoad &&
      map.type == TensorMapType::k16U6Align16B &&
      map.swizzle == Swizzle::k128Atom64) {
    findings->push_back(
        "6-bit elements support the 64-byte swizzle atom only in stores.");
  }
}

}  // namespace

Findings CheckTma(const TensorMap& map, const TmaRequest& request) {
  Findings findings;
  CheckMode(map, request, &findings);
  CheckDirection(map, request, &findings);
  CheckCoordinates(map, request, &findings);
  if (request.direction != TmaDirection::kPrefetch &&
      request.shared_address % 128 != 0) {
    findings.push_back("The shared-memory address " +
                       std::to_string(request.shared_address) +
                       " of a tensor copy is not aligned to 128 bytes.");
  }
  return findings;
}

uint32_t TmaSharedBytes(const TensorMap& map, TmaMode mode) {
  return RowsInBox(map, mode) * RowPitch(map);
}

uint32_t TmaTransactionBytes(const TensorMap& map, TmaMode mode) {
  return RowsInBox(map, mode) * RowGlobalBytes(map);
}

void WalkRows(const TensorMap& map, const TmaRequest& request,
              std::vector<TmaRow>* rows) {
  const TmaRow inner = InnerRow(map, request.direction, request.coordinates[0]);
  const uint32_t count = RowsInBox(map, request.mode);
  const uint32_t pitch = RowPitch(map);
  rows->clear();
  rows->reserve(count);

  const bool gather = IsGatherOrScatter(request.mode);
  // index[i]: position of the current row along dimension i, in visits.
  std::array<uint32_t, kTensorMapMaxRank> index = {};
  for (uint32_t r = 0; r < count; ++r) {
    TmaRow row = inner;
    row.shared_address = request.shared_address + r * pitch;
    bool inside = inner.inside_bytes != 0;
    for (int i = 1; i < map.rank; ++i) {
      const int64_t coordinate =
          gather ? request.coordinates[1 + r]
                 : static_cast<int64_t>(request.coordinates[i]) +
                       static_cast<int64_t>(index[i]) *
                           std::max(1u, map.element_strides[i]);
      if (coordinate < 0 || coordinate >= static_cast<int64_t>(map.dims[i])) {
        inside = false;
        break;
      }
      row.global_address +=
          static_cast<uint64_t>(coordinate) * map.strides[i - 1];
    }
    if (!inside) {
      row.global_address = 0;
      row.inside_offset = row.inside_bytes = row.global_bytes = 0;
    }
    rows->push_back(row);
    for (int i = 1; i < map.rank; ++i) {
      if (++index[i] < Visited(map, i)) break;
      index[i] = 0;
    }
  }
}

void AppendRuns(const TensorMap& map, TmaDirection direction, const TmaRow& row,
                std::vector<TmaRun>* runs) {
  if (IsPadded(map.type)) {  // such rows are inside or outside as a whole
    const PaddedChunk chunk = PaddedChunkOf(map.type, direction);
    uint64_t global = row.global_address;
    for (uint32_t at = 0; at < row.shared_bytes; at += chunk.shared_step) {
      runs->push_back(
          {global, SwizzleAddress(map.swizzle, row.shared_address + at),
           chunk.shared_bytes, chunk.global_bytes, row.inside_bytes != 0});
      global += chunk.global_bytes;
    }
    return;
  }
  const auto append = [&](uint32_t offset, uint32_t bytes, bool inside) {
    const uint32_t start = row.shared_address + offset;
    ForEachPiece(map.swizzle, start, bytes, [&](uint32_t a, uint32_t size) {
      const uint64_t global = inside ? row.global_address + (a - start) : 0;
      runs->push_back(
          {global, SwizzleAddress(map.swizzle, a), size, size, inside});
    });
  };
  const uint32_t inside_end = row.inside_offset + row.inside_bytes;
  append(0, row.inside_offset, false);
  append(row.inside_offset, row.inside_bytes, true);
  append(inside_end, row.shared_bytes - inside_end, false);
}

void WalkRuns(const TensorMap& map, const TmaRequest& request,
              std::vector<TmaRun>* runs) {
  std::vector<TmaRow> rows;
  WalkRows(map, request, &rows);
  runs->clear();
  for (const TmaRow& row : rows) {
    AppendRuns(map, request.direction, row, runs);
  }
}

}  // namespace tiletune::emulator
