#include <string>

#include "testing/emulator/engines/tensor_map.h"

namespace tiletune::emulator {
namespace {

constexpr uint64_t kMaxDim = uint64_t{1} << 32;
constexpr uint64_t kMaxStride = uint64_t{1} << 40;

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

}  // namespace

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

}  // namespace tiletune::emulator
