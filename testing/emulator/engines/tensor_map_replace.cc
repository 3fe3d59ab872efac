#include <string>

#include "testing/emulator/engines/tensor_map.h"

namespace tiletune::emulator {
namespace {

// The `.elemtype` numbers of PTX ISA Table 33, in order.
constexpr TensorMapType kReplaceTypes[] = {
    TensorMapType::kU8,           TensorMapType::kU16,
    TensorMapType::kU32,          TensorMapType::kS32,
    TensorMapType::kU64,          TensorMapType::kS64,
    TensorMapType::kF16,          TensorMapType::kF32,
    TensorMapType::kF32Ftz,       TensorMapType::kF64,
    TensorMapType::kBf16,         TensorMapType::kTf32,
    TensorMapType::kTf32Ftz,      TensorMapType::k16U4Align8B,
    TensorMapType::k16U4Align16B, TensorMapType::k16U6Align16B};

bool Is128(Swizzle swizzle) {
  return swizzle == Swizzle::k128 || swizzle == Swizzle::k128Atom32 ||
         swizzle == Swizzle::k128Atom32Flip8 || swizzle == Swizzle::k128Atom64;
}

// Applies one replacement to decoded fields; a sentence if it cannot.
std::string Replace(TensorMapField field, int ordinal, uint64_t value,
                    TensorMap* map) {
  const std::string bad_value =
      "tensormap.replace: new value " + std::to_string(value);
  const uint32_t word = static_cast<uint32_t>(value);
  const bool per_dimension = field == TensorMapField::kBoxDim ||
                             field == TensorMapField::kGlobalDim ||
                             field == TensorMapField::kGlobalStride ||
                             field == TensorMapField::kElementStride;
  const int ordinals = field == TensorMapField::kGlobalStride
                           ? kTensorMapMaxRank - 1
                           : kTensorMapMaxRank;
  if (per_dimension && (ordinal < 0 || ordinal >= ordinals)) {
    return "tensormap.replace: ordinal " + std::to_string(ordinal) +
           " names no dimension of a tensor map.";
  }
  switch (field) {
    case TensorMapField::kGlobalAddress:
      map->address = value;
      return "";
    case TensorMapField::kRank:
      if (value >= kTensorMapMaxRank) {
        return bad_value + " is no rank: it must be the rank minus one, 0..4.";
      }
      map->rank = static_cast<int>(value) + 1;
      return "";
    case TensorMapField::kBoxDim:
      map->box[ordinal] = word;
      return "";
    case TensorMapField::kGlobalDim:
      map->dims[ordinal] = value;
      return "";
    case TensorMapField::kGlobalStride:
      map->strides[ordinal] = value;
      return "";
    case TensorMapField::kElementStride:
      if (value > 255) return bad_value + " is no element stride.";
      map->element_strides[ordinal] = word;
      return "";
    case TensorMapField::kElementType:
      if (value > 15) return bad_value + " is no element type (0..15).";
      map->type = kReplaceTypes[value];
      return "";
    case TensorMapField::kInterleaveLayout:
      if (value > 2) return bad_value + " is no interleave layout (0..2).";
      map->interleave = static_cast<TensorMapInterleave>(value);
      return "";
    case TensorMapField::kSwizzleMode: {
      constexpr Swizzle kModes[] = {Swizzle::kNone, Swizzle::k32, Swizzle::k64,
                                    Swizzle::k128, Swizzle::k96};
      if (value > 4) return bad_value + " is no swizzle mode (0..4).";
      const bool keep_atom = value == 3 && Is128(map->swizzle);
      if (!keep_atom) map->swizzle = kModes[value];
      return "";
    }
    case TensorMapField::kSwizzleAtomicity: {
      constexpr Swizzle kAtoms[] = {Swizzle::k128, Swizzle::k128Atom32,
                                    Swizzle::k128Atom32Flip8,
                                    Swizzle::k128Atom64};
      if (value > 3) return bad_value + " is no swizzle atomicity (0..3).";
      if (Is128(map->swizzle)) {
        map->swizzle = kAtoms[value];
      } else if (value != 0) {
        return bad_value +
               " of swizzle_atomicity needs the 128-byte swizzle mode; set "
               "swizzle_mode first.";
      }
      return "";
    }
    case TensorMapField::kFillMode:
      if (value > 1) return bad_value + " is no fill mode (0 or 1).";
      map->fill = static_cast<TensorMapFill>(value);
      return "";
  }
  return "tensormap.replace: unknown field.";
}

}  // namespace

Findings ReplaceTensorMapField(TensorMapField field, int ordinal,
                               uint64_t new_value,
                               uint8_t bytes[kTensorMapBytes]) {
  TensorMap map;
  if (!DecodeTensorMap(bytes, &map)) {
    return {"tensormap.replace: these 128 bytes are no tensor map."};
  }
  const std::string error = Replace(field, ordinal, new_value, &map);
  if (!error.empty()) return {error};
  EncodeTensorMap(map, bytes);
  return {};
}

}  // namespace tiletune::emulator
