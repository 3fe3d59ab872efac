#include "testing/emulator/engines/tensor_map.h"

#include <cstring>

namespace tiletune::emulator {
namespace {

constexpr char kMagic[8] = {'T', 'T', 'M', 'A', 'P', '0', '0', '2'};

// Byte offsets of the encoding; the last digits of the magic are its version.
constexpr int kStridesOffset = 16;          // four 8-byte values
constexpr int kDimsOffset = 48;             // five 8-byte values
constexpr int kBoxOffset = 88;              // five 4-byte values
constexpr int kElementStridesOffset = 108;  // five bytes
constexpr int kAddressOffset = 120;
// Byte 10 means nothing: CUTLASS clears bit 21 of the second word of a small
// tensor's map, against a defect of drivers up to 13.1.
constexpr int kTypeOffset = 8;
constexpr int kRankOffset = 9;
constexpr int kInterleaveOffset = 11;
constexpr int kSwizzleOffset = 12;
constexpr int kL2PromotionOffset = 13;
constexpr int kFillOffset = 14;

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

bool IsPadded(TensorMapType type) {
  return type == TensorMapType::k16U4Align16B ||
         type == TensorMapType::k16U6Align16B;
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

}  // namespace tiletune::emulator
