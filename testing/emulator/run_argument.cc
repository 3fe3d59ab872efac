#include "testing/emulator/run_argument.h"

#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "testing/emulator/parse_number.h"

namespace tiletune::emulator {
namespace {

using Words = std::vector<std::string>;

template <typename T>
std::vector<uint8_t> BytesOf(T value) {
  std::vector<uint8_t> bytes(sizeof(value));
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}

bool ParseMapType(const std::string& name, TensorMapType* type) {
  for (int i = 0; i <= static_cast<int>(TensorMapType::k16U6Align16B); ++i) {
    if (name == TensorMapTypeName(static_cast<TensorMapType>(i))) {
      *type = static_cast<TensorMapType>(i);
      return true;
    }
  }
  return false;
}

// What a map is of: "2", the argument number 2, or "b0", the first --buffer.
bool ParseMapOf(const std::string& text, RunArgument* argument) {
  argument->of_buffer = text[0] == 'b';  // '\0' of an empty text
  uint32_t of = 0;
  if (!ParseUnsigned(argument->of_buffer ? text.substr(1) : text, &of)) {
    return false;
  }
  argument->of = of;
  return true;
}

// Packed strides; false when they do not fit in 64 bits.
bool ParseExtents(const Words& dims, const Words& box, TensorMap* map) {
  if (dims.size() != box.size() || dims.size() > kTensorMapMaxRank) {
    return false;
  }
  map->rank = static_cast<int>(dims.size());
  uint64_t bits = static_cast<uint64_t>(TensorMapElementBits(map->type));
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!ParseUnsigned(dims[i], &map->dims[i]) ||
        !ParseUnsigned(box[i], &map->box[i]) ||
        __builtin_mul_overflow(bits, map->dims[i], &bits)) {
      return false;
    }
    if (i + 1 < dims.size()) map->strides[i] = bits / 8;
  }
  return true;
}

bool ParseMap(const Words& parts, RunArgument* argument) {
  if (parts.size() != 6 || !ParseMapOf(parts[1], argument)) return false;
  argument->kind = RunArgument::Kind::kTensorMap;
  TensorMap& map = argument->map;
  if (!ParseMapType(parts[2], &map.type) ||
      !ParseExtents(absl::StrSplit(parts[3], 'x'),
                    absl::StrSplit(parts[4], 'x'), &map)) {
    return false;
  }
  if (parts[5] == "none") {
    map.swizzle = Swizzle::kNone;
  } else if (parts[5] == "32") {
    map.swizzle = Swizzle::k32;
  } else if (parts[5] == "64") {
    map.swizzle = Swizzle::k64;
  } else if (parts[5] == "128") {
    map.swizzle = Swizzle::k128;
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool ParseRunArgument(const std::string& text, RunArgument* argument) {
  Words parts = absl::StrSplit(text, ':');
  const std::string& kind = parts[0];
  if (kind == "map") return ParseMap(parts, argument);
  if (parts.size() < 2) return false;
  if (kind == "u32") {
    uint32_t value = 0;
    if (parts.size() != 2 || !ParseUnsigned(parts[1], &value)) return false;
    argument->value = BytesOf(value);
    return true;
  }
  if (kind == "u64") {
    uint64_t value = 0;
    if (parts.size() != 2 || !ParseUnsigned(parts[1], &value)) return false;
    argument->value = BytesOf(value);
    return true;
  }
  if (kind == "i32") {
    int32_t number = 0;
    if (parts.size() != 2 || !absl::SimpleAtoi(parts[1], &number)) return false;
    argument->value = BytesOf(number);
    return true;
  }
  if (kind == "f32") {
    float number = 0;
    if (parts.size() != 2 || !absl::SimpleAtof(parts[1], &number)) return false;
    argument->value = BytesOf(number);
    return true;
  }
  if (kind == "scratch") {
    argument->kind = RunArgument::Kind::kScratch;
    return parts.size() == 2 && ParseUnsigned(parts[1], &argument->bytes);
  }
  // File names may contain colons.
  std::string rest = text.substr(kind.size() + 1);
  if (kind == "in" || kind == "inout") {
    argument->kind =
        kind == "in" ? RunArgument::Kind::kIn : RunArgument::Kind::kInOut;
    argument->path = rest;
    return !rest.empty();
  }
  if (kind != "out") return false;
  size_t colon = rest.rfind(':');
  if (colon == std::string::npos) return false;
  argument->kind = RunArgument::Kind::kOut;
  argument->path = rest.substr(0, colon);
  return ParseUnsigned(rest.substr(colon + 1), &argument->bytes);
}

}  // namespace tiletune::emulator
