#include "testing/emulator/engines/tensor_map.h"

#include <cstring>
#include <string>

namespace tiletune::emulator {
namespace {

constexpr char kMagic[8] = {'T', 'T', 'M', 'A', 'P', '0', '0', '1'};

// Byte offsets of the encoding; the last digits of the magic are its version.
constexpr int kAddressOffset = 8;
constexpr int kStridesOffset = 16;          // four 8-byte values
constexpr int kDimsOffset = 48;             // five 8-byte values
constexpr int kBoxOffset = 88;              // five 4-byte values
constexpr int kElementStridesOffset = 108;  // five bytes
constexpr int kTypeOffset = 113;
constexpr int kRankOffset = 114;
constexpr int kInterleaveOffset = 115;
constexpr int kSwizzleOffset = 116;
constexpr int kL2PromotionOffset = 117;
constexpr int kFillOffset = 118;

constexpr uint64_t kMaxDim = uint64_t{1} << 32;
constexpr uint64_t kMaxStride = uint64_t{1} << 40;

bool IsPadded(TensorMapType type) {
  return type == TensorMapType::k16U4Align16B ||
         type == TensorMapType::k16U6Align16B;
}

bool IsFloat(TensorMapType type) {
  switch (type) {
    case TensorMapType::kF16:
    case TensorMapType::kF32:
    case TensorMapType::kF64:
    case TensorMapType::kBf16:
    case TensorMapType::kF32Ftz:
    case TensorMapType::kTf32:
    case TensorMapType::kTf32Ftz:
      return true;
    default:
      return false;
  }
}

std::string Dimension(const char* what, int i, uint64_t value) {
  return std::string(what) + "[" + std::to_string(i) +
         "] = " + std::to_string(value);
}

void CheckExtents(const TensorMap& map, Findings* findings) {
  const uint64_t alignment = IsPadded(map.type) ? 32 : 16;
  for (int i = 0; i < map.rank; ++i) {
    if (map.dims[i] == 0 || map.dims[i] > kMaxDim) {
      findings->push_back(Dimension("globalDim", i, map.dims[i]) +
                          " is not in 1..2^32.");
    }
  }
  if (IsPadded(map.type) && map.dims[0] % 128 != 0) {
    findings->push_back(Dimension("globalDim", 0, map.dims[0]) +
                        " is not a multiple of 128, which " +
                        TensorMapTypeName(map.type) + " needs.");
  }
  if (map.type == TensorMapType::k16U4Align8B && map.dims[0] % 2 != 0) {
    findings->push_back(Dimension("globalDim", 0, map.dims[0]) +
                        " is odd, but b4x16 packs two elements in a byte.");
  }
  for (int i = 0; i + 1 < map.rank; ++i) {
    if (map.strides[i] % alignment != 0) {
      findings->push_back(Dimension("globalStrides", i, map.strides[i]) +
                          " bytes is not a multiple of " +
                          std::to_string(alignment) + ".");
    }
    if (map.strides[i] >= kMaxStride) {
      findings->push_back(Dimension("globalStrides", i, map.strides[i]) +
                          " bytes is not below 2^40.");
    }
  }
}

void CheckBox(const TensorMap& map, Findings* findings) {
  for (int i = 0; i < map.rank; ++i) {
    if (map.box[i] == 0 || map.box[i] > 256) {
      findings->push_back(Dimension("boxDim", i, map.box[i]) +
                          " is not in 1..256.");
    }
    const uint32_t stride = map.element_strides[i];
    // Without interleaving the stride of dimension 0 is ignored.
    if (i > 0 && (stride == 0 || stride > 8)) {
      findings->push_back(Dimension("elementStrides", i, stride) +
                          " is not in 1..8.");
    }
  }
  if (IsPadded(map.type)) {
    if (map.box[0] != 128) {
      findings->push_back(Dimension("boxDim", 0, map.box[0]) + " is not 128, " +
                          "the only inner box of " +
                          TensorMapTypeName(map.type) + ".");
    }
    return;
  }
  const uint32_t inner_bits =
      map.box[0] * static_cast<uint32_t>(TensorMapElementBits(map.type));
  if (inner_bits % 128 != 0) {
    findings->push_back("The inner box of " + std::to_string(map.box[0]) +
                        " elements is " + std::to_string(inner_bits / 8) +
                        " bytes, not a multiple of 16.");
  }
}

void CheckSwizzle(const TensorMap& map, Findings* findings) {
  const uint32_t inner_bytes =
      map.box[0] * static_cast<uint32_t>(TensorMapSharedBytesPer16(map.type)) /
      16;
  const uint32_t span = SwizzleSpanBytes(map.swizzle);
  if (inner_bytes > span) {
    findings->push_back("The inner box is " + std::to_string(inner_bytes) +
                        " bytes wide, but the swizzle spans only " +
                        std::to_string(span) + ".");
  }
  if (!IsPadded(map.type)) return;
  const bool allowed = map.swizzle == Swizzle::kNone ||
                       map.swizzle == Swizzle::k128 ||
                       map.swizzle == Swizzle::k128Atom32 ||
                       (map.swizzle == Swizzle::k128Atom64 &&
                        map.type == TensorMapType::k16U6Align16B);
  if (!allowed) {
    findings->push_back(std::string(TensorMapTypeName(map.type)) +
                        " does not support this swizzle: only none, 128B, "
                        "128B with 32-byte atoms and, for stores of 6-bit "
                        "elements, 128B with 64-byte atoms.");
  }
}

template <typename T>
void Put(uint8_t* bytes, int offset, T value) {
  std::memcpy(bytes + offset, &value, sizeof(value));
}

template <typename T>
T Get(const uint8_t* bytes, int offset) {
  T value;
  std::memcpy(&value, bytes + offset, sizeof(value));
  return value;
}

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

int TensorMapElementBits(TensorMapType type) {
  switch (type) {
    case TensorMapType::kU8:
      return 8;
    case TensorMapType::kU16:
    case TensorMapType::kF16:
    case TensorMapType::kBf16:
      return 16;
    case TensorMapType::kU64:
    case TensorMapType::kS64:
    case TensorMapType::kF64:
      return 64;
    case TensorMapType::k16U4Align8B:
    case TensorMapType::k16U4Align16B:
      return 4;
    case TensorMapType::k16U6Align16B:
      return 6;
    default:
      return 32;
  }
}

int TensorMapSharedBytesPer16(TensorMapType type) {
  return IsPadded(type) ? 16 : 2 * TensorMapElementBits(type);
}

bool IsSubByte(TensorMapType type) { return TensorMapElementBits(type) < 8; }

const char* TensorMapTypeName(TensorMapType type) {
  constexpr const char* kNames[] = {
      "u8",       "u16",   "u32",       "s32",      "u64",     "s64",
      "f16",      "f32",   "f64",       "bf16",     "f32.ftz", "tf32",
      "tf32.ftz", "b4x16", "b4x16_p64", "b6x16_p32"};
  return kNames[static_cast<int>(type)];
}

bool SwizzleFromDriver(uint32_t value, Swizzle* swizzle) {
  constexpr Swizzle kDriver[] = {Swizzle::kNone,      Swizzle::k32,
                                 Swizzle::k64,        Swizzle::k128,
                                 Swizzle::k128Atom32, Swizzle::k128Atom32Flip8,
                                 Swizzle::k128Atom64};
  if (value >= 7) return false;
  *swizzle = kDriver[value];
  return true;
}

Findings CheckTensorMap(const TensorMap& map) {
  Findings findings;
  if (map.rank < 1 || map.rank > kTensorMapMaxRank) {
    findings.push_back("Rank " + std::to_string(map.rank) + " is not in 1..5.");
    return findings;
  }
  if (map.interleave != TensorMapInterleave::kNone) {
    findings.push_back("Interleaved tensor maps are not modelled.");
    return findings;
  }
  const uint64_t alignment = IsPadded(map.type) ? 32 : 16;
  if (map.address % alignment != 0) {
    findings.push_back("globalAddress is not aligned to " +
                       std::to_string(alignment) + " bytes.");
  }
  CheckExtents(map, &findings);
  CheckBox(map, &findings);
  CheckSwizzle(map, &findings);
  if (map.fill == TensorMapFill::kNan && !IsFloat(map.type)) {
    findings.push_back(std::string("Filling with NaN needs a floating-point "
                                   "type, not ") +
                       TensorMapTypeName(map.type) + ".");
  }
  return findings;
}

Findings Im2colNotModelled() {
  return {"im2col tensor maps are not modelled; use a tiled map."};
}

void EncodeTensorMap(const TensorMap& map, uint8_t bytes[kTensorMapBytes]) {
  std::memset(bytes, 0, kTensorMapBytes);
  std::memcpy(bytes, kMagic, sizeof(kMagic));
  Put(bytes, kAddressOffset, map.address);
  for (int i = 0; i < kTensorMapMaxRank; ++i) {
    if (i + 1 < kTensorMapMaxRank) {
      Put(bytes, kStridesOffset + 8 * i, map.strides[i]);
    }
    Put(bytes, kDimsOffset + 8 * i, map.dims[i]);
    Put(bytes, kBoxOffset + 4 * i, map.box[i]);
    Put(bytes, kElementStridesOffset + i,
        static_cast<uint8_t>(map.element_strides[i]));
  }
  Put(bytes, kTypeOffset, static_cast<uint8_t>(map.type));
  Put(bytes, kRankOffset, static_cast<uint8_t>(map.rank));
  Put(bytes, kInterleaveOffset, static_cast<uint8_t>(map.interleave));
  Put(bytes, kSwizzleOffset, static_cast<uint8_t>(map.swizzle));
  Put(bytes, kL2PromotionOffset, static_cast<uint8_t>(map.l2_promotion));
  Put(bytes, kFillOffset, static_cast<uint8_t>(map.fill));
}

bool DecodeTensorMap(const uint8_t bytes[kTensorMapBytes], TensorMap* map) {
  if (std::memcmp(bytes, kMagic, sizeof(kMagic)) != 0) return false;
  const uint8_t rank = bytes[kRankOffset];
  if (rank < 1 || rank > kTensorMapMaxRank || bytes[kTypeOffset] > 15 ||
      bytes[kInterleaveOffset] > 2 || bytes[kSwizzleOffset] > 7 ||
      bytes[kL2PromotionOffset] > 3 || bytes[kFillOffset] > 1) {
    return false;
  }
  map->address = Get<uint64_t>(bytes, kAddressOffset);
  for (int i = 0; i < kTensorMapMaxRank; ++i) {
    if (i + 1 < kTensorMapMaxRank) {
      map->strides[i] = Get<uint64_t>(bytes, kStridesOffset + 8 * i);
    }
    map->dims[i] = Get<uint64_t>(bytes, kDimsOffset + 8 * i);
    map->box[i] = Get<uint32_t>(bytes, kBoxOffset + 4 * i);
    map->element_strides[i] = bytes[kElementStridesOffset + i];
  }
  map->type = static_cast<TensorMapType>(bytes[kTypeOffset]);
  map->rank = rank;
  map->interleave = static_cast<TensorMapInterleave>(bytes[kInterleaveOffset]);
  map->swizzle = static_cast<Swizzle>(bytes[kSwizzleOffset]);
  map->l2_promotion =
      static_cast<TensorMapL2Promotion>(bytes[kL2PromotionOffset]);
  map->fill = static_cast<TensorMapFill>(bytes[kFillOffset]);
  return true;
}

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
