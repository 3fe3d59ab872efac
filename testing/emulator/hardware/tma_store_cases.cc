// TMA stores and reductions into `out`.
#include <string>

#include "testing/emulator/hardware/micro_case.h"
#include "testing/emulator/hardware/tensors.h"

namespace tiletune::micro {
namespace {

using emulator::Swizzle;
using emulator::TensorMap;
using emulator::TensorMapType;

MicroCase StoreCase(const TensorMap& map, const std::string& kernel,
                    const std::string& name, std::array<int32_t, 5> at,
                    int source = 0) {
  MicroCase c = Case("tma_store", kernel, TensorBytes(map) + 64);
  c.name = name;
  c.maps.push_back({true, map});
  for (int i = 0; i < 5; ++i) c.params[i] = at[i];
  c.params[5] = 16384;
  c.params[6] = source;
  c.block = {64, 1, 1};
  return c;
}

void AddStores(std::vector<MicroCase>* cases) {
  const std::vector<uint64_t> dims = {70, 7, 3, 2, 2};
  struct Place {
    const char* name;
    std::array<int32_t, 5> at;
  };
  const Place kPlaces[] = {{"inside", {16, 2, 1, 0, 0}},
                           {"high_corner", {48, 4, 2, 1, 1}},
                           {"outside", {80, 2, 1, 0, 0}},
                           {"low_corner", {-16, -3, -1, 0, 0}}};
  for (size_t rank = 1; rank <= 5; ++rank) {
    std::vector<uint32_t> box = {0, 5, 2, 2, 2};
    box.resize(rank);
    const std::vector<uint64_t> extent(dims.begin(), dims.begin() + rank);
    for (const NamedSwizzle& s : kSwizzles) {
      box[0] = s.inner_bytes > 48 && rank > 2 ? 48 : s.inner_bytes;
      for (const Place& place : kPlaces) {
        if (place.at[0] < 0 && s.swizzle != Swizzle::kNone) continue;
        const std::string base = std::to_string(rank) + "d";
        cases->push_back(StoreCase(
            Tensor(TensorMapType::kU8, extent, s.swizzle, box),
            "tma_store_" + base,
            "store_" + base + "_" + s.name + "_" + place.name, place.at));
      }
    }
  }
  // Sources off the pattern's start; strided elements.
  for (const NamedSwizzle& s : kSwizzles) {
    TensorMap map = Tensor(TensorMapType::kBf16, {70, 26}, s.swizzle,
                           {s.inner_bytes / 2, 10});
    cases->push_back(StoreCase(map, "tma_store_2d",
                               std::string("store_2d_from_384_") + s.name,
                               {8, 2}, 384));
    map.element_strides[1] = 3;
    cases->push_back(StoreCase(map, "tma_store_2d",
                               std::string("store_2d_stride_1x3_") + s.name,
                               {8, 2}));
  }
  // Rows that end inside 16 bytes.
  struct NamedType {
    const char* name;
    TensorMapType type;
  };
  for (const NamedType& t : {NamedType{"bf16", TensorMapType::kBf16},
                             NamedType{"s32", TensorMapType::kS32},
                             NamedType{"u64", TensorMapType::kU64}}) {
    for (const NamedSwizzle& s : kSwizzles) {
      TensorMap map = Tensor(t.type, {1, 1}, s.swizzle, {1, 1});
      const uint32_t inner = s.inner_bytes / ElementBytes(map);
      map = Tensor(t.type, {inner + 1, 9}, s.swizzle, {inner, 6});
      cases->push_back(StoreCase(
          map, "tma_store_2d",
          std::string("store_2d_") + t.name + "_" + s.name + "_right_edge",
          {static_cast<int32_t>(inner / 2), 4}));
    }
  }
  // What no store may do: negative coordinates, or off 16 bytes.
  const TensorMap map =
      Tensor(TensorMapType::kBf16, {70, 9}, Swizzle::kNone, {32, 4});
  cases->push_back(
      StoreCase(map, "tma_store_2d", "store_2d_left_of_it", {-16, 2}));
  cases->push_back(
      StoreCase(map, "tma_store_2d", "store_2d_above_it", {16, -2}));
  cases->push_back(
      StoreCase(map, "tma_store_2d", "store_2d_off_16_bytes", {4, 2}));
}

// Every operation on every type that the ISA gives it (9.7.9.25.5.3).
void AddReductions(std::vector<MicroCase>* cases) {
  struct Kind {
    const char* op;
    const char* type_name;
    TensorMapType type;
    Pattern input;
  };
  using T = TensorMapType;
  const Kind kKinds[] = {{"add", "u32", T::kU32, Pattern::kBytes},
                         {"add", "s32", T::kS32, Pattern::kBytes},
                         {"add", "u64", T::kU64, Pattern::kBytes},
                         {"add", "f32", T::kF32, Pattern::kSmallF32},
                         {"add", "f16", T::kF16, Pattern::kSmallF16},
                         {"add", "bf16", T::kBf16, Pattern::kSmallBf16},
                         {"add", "f32", T::kF32, Pattern::kEdgeF32},
                         {"add", "f32_ftz", T::kF32Ftz, Pattern::kEdgeF32},
                         {"min", "u32", T::kU32, Pattern::kBytes},
                         {"min", "s32", T::kS32, Pattern::kBytes},
                         {"min", "u64", T::kU64, Pattern::kBytes},
                         {"min", "s64", T::kS64, Pattern::kBytes},
                         {"min", "f16", T::kF16, Pattern::kSmallF16},
                         {"min", "bf16", T::kBf16, Pattern::kSmallBf16},
                         {"max", "u32", T::kU32, Pattern::kBytes},
                         {"max", "s32", T::kS32, Pattern::kBytes},
                         {"max", "u64", T::kU64, Pattern::kBytes},
                         {"max", "s64", T::kS64, Pattern::kBytes},
                         {"max", "f16", T::kF16, Pattern::kEdgeF16},
                         {"max", "bf16", T::kBf16, Pattern::kEdgeBf16},
                         {"inc", "u32", T::kU32, Pattern::kBytes},
                         {"dec", "u32", T::kU32, Pattern::kBytes},
                         {"and", "u32", T::kU32, Pattern::kBytes},
                         {"or", "u32", T::kU32, Pattern::kBytes},
                         {"xor", "s32", T::kS32, Pattern::kBytes},
                         {"and", "u64", T::kU64, Pattern::kBytes},
                         {"or", "s64", T::kS64, Pattern::kBytes},
                         {"xor", "u64", T::kU64, Pattern::kBytes}};
  for (const Kind& kind : kKinds) {
    TensorMap map = Tensor(kind.type, {1, 1}, Swizzle::k64, {1, 1});
    const uint32_t inner = 64 / ElementBytes(map);
    map = Tensor(kind.type, {inner + 7, 8}, Swizzle::k64, {inner, 6});
    MicroCase c =
        StoreCase(map, std::string("tma_reduce_") + kind.op,
                  std::string("reduce_") + kind.op + "_" + kind.type_name,
                  {static_cast<int32_t>(inner / 2), 3});
    if (kind.input == Pattern::kEdgeF32) c.name += "_edges";
    c.input = kind.input;
    c.before = kind.input;
    cases->push_back(c);
  }
}

}  // namespace

std::vector<MicroCase> TmaStoreCases() {
  std::vector<MicroCase> cases;
  AddStores(&cases);
  AddReductions(&cases);
  return cases;
}

}  // namespace tiletune::micro
