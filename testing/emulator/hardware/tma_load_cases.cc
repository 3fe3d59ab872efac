// TMA loads: ranks, swizzles, types, edges, fills, strides, destinations.
#include <string>

#include "testing/emulator/engines/tma.h"
#include "testing/emulator/hardware/micro_case.h"
#include "testing/emulator/hardware/tensors.h"

namespace tiletune::micro {
namespace {

using emulator::Swizzle;
using emulator::TensorMap;
using emulator::TensorMapFill;
using emulator::TensorMapType;

struct Place {
  const char* name;
  std::array<int32_t, 5> at;
};

// Observes what the box takes of shared memory, and 128 bytes more.
MicroCase LoadCase(const TensorMap& map, const Place& place,
                   const std::string& name, int destination = 0) {
  MicroCase c =
      Case("tma_load", "tma_load_" + std::to_string(map.rank) + "d", 0);
  c.name = "load_" + std::to_string(map.rank) + "d_" + name + "_" + place.name;
  c.maps.push_back({false, map});
  for (int i = 0; i < map.rank; ++i) c.params[i] = place.at[i];
  c.params[5] = static_cast<int32_t>(
      emulator::TmaTransactionBytes(map, emulator::TmaMode::kTile));
  // Rows narrower than the swizzle may lie a whole span apart.
  const uint32_t inner = map.box[0] * ElementBytes(map);
  const uint32_t span = map.swizzle == Swizzle::kNone
                            ? inner
                            : emulator::SwizzleSpanBytes(map.swizzle);
  const int seen =
      c.params[5] / static_cast<int>(inner) * static_cast<int>(span);
  c.params[6] = (seen + destination + 128 + 127) / 128 * 128;
  c.params[7] = destination;
  c.out_bytes = static_cast<size_t>(c.params[6]) + 4;
  c.block = {64, 1, 1};
  return c;
}

void AddRanks(std::vector<MicroCase>* cases) {
  const std::vector<uint64_t> dims = {150, 9, 5, 3, 2};
  const Place kPlaces[] = {{"inside", {16, 2, 1, 1, 1}},
                           {"low_corner", {-32, -3, -1, -1, -1}},
                           {"high_corner", {128, 6, 4, 2, 1}}};
  for (size_t rank = 1; rank <= 5; ++rank) {
    for (const NamedSwizzle& s : kSwizzles) {
      if (rank == 2) continue;  // AddTypes
      std::vector<uint32_t> box = {s.inner_bytes, 5, 3, 2, 2};
      box.resize(rank);
      std::vector<uint64_t> extent(dims.begin(), dims.begin() + rank);
      for (const Place& place : kPlaces) {
        cases->push_back(LoadCase(
            Tensor(TensorMapType::kU8, extent, s.swizzle, box), place, s.name));
      }
    }
  }
}

void AddTypes(std::vector<MicroCase>* cases) {
  struct NamedType {
    const char* name;
    TensorMapType type;
  };
  const NamedType kTypes[] = {{"u8", TensorMapType::kU8},
                              {"bf16", TensorMapType::kBf16},
                              {"s32", TensorMapType::kS32},
                              {"u64", TensorMapType::kU64}};
  for (const NamedType& t : kTypes) {
    for (const NamedSwizzle& s : kSwizzles) {
      TensorMap map = Tensor(t.type, {1, 1}, s.swizzle, {1, 12});
      const uint32_t inner = s.inner_bytes / ElementBytes(map);
      const int width = static_cast<int>(inner) * 2 + 3;
      map = Tensor(t.type, {static_cast<uint64_t>(width), 20}, s.swizzle,
                   {inner, 12});
      const int half = static_cast<int>(inner) / 2;
      const Place kPlaces[] = {{"inside", {half, 5}},
                               {"low_corner", {-half, -5}},
                               {"high_corner", {3 * half, 13}},
                               {"right_of_it", {6 * half, 2}},
                               {"above_it", {0, -12}}};
      for (const Place& place : kPlaces) {
        cases->push_back(
            LoadCase(map, place, std::string(t.name) + "_" + s.name));
      }
    }
  }
}

void AddFloats(std::vector<MicroCase>* cases) {
  struct NamedType {
    const char* name;
    TensorMapType type;
    Pattern input;
  };
  const NamedType kTypes[] = {
      {"f16", TensorMapType::kF16, Pattern::kEdgeF16},
      {"bf16", TensorMapType::kBf16, Pattern::kEdgeBf16},
      {"f32", TensorMapType::kF32, Pattern::kEdgeF32},
      {"f64", TensorMapType::kF64, Pattern::kEdgeF64},
      {"f32_ftz", TensorMapType::kF32Ftz, Pattern::kEdgeF32},
      {"tf32", TensorMapType::kTf32, Pattern::kEdgeF32},
      {"tf32_ftz", TensorMapType::kTf32Ftz, Pattern::kEdgeF32}};
  for (const NamedType& t : kTypes) {
    TensorMap map = Tensor(t.type, {70, 12}, Swizzle::k128, {16, 8});
    map.fill = TensorMapFill::kNan;
    for (const Place& place :
         {Place{"nan_inside", {16, 1}}, Place{"nan_corner", {64, -2}}}) {
      MicroCase c = LoadCase(map, place, std::string(t.name));
      c.input = t.input;
      cases->push_back(c);
    }
    // All landmarks of the pattern, in a long row.
    map = Tensor(t.type, {1024, 2}, Swizzle::kNone, {256, 2});
    MicroCase c = LoadCase(map, Place{"landmarks", {0, 0}}, t.name);
    c.input = t.input;
    cases->push_back(c);
  }
}

// Boxes narrower than the swizzle; destinations off the pattern's start;
// strided elements.
void AddOddities(std::vector<MicroCase>* cases) {
  const Place inside = {"inside", {16, 1}};
  for (const NamedSwizzle& s : kSwizzles) {
    for (uint32_t bytes : {16u, 32u, 48u, 96u}) {
      if (bytes >= s.inner_bytes) continue;
      cases->push_back(LoadCase(
          Tensor(TensorMapType::kU8, {200, 20}, s.swizzle, {bytes, 9}), inside,
          std::string("narrow_") + std::to_string(bytes) + "_" + s.name));
    }
    for (int destination : {128, 384, 896}) {
      cases->push_back(LoadCase(
          Tensor(TensorMapType::kU8, {200, 20}, s.swizzle, {s.inner_bytes, 9}),
          inside,
          std::string("to_") + std::to_string(destination) + "_" + s.name,
          destination));
    }
    struct Strides {
      const char* name;
      uint32_t x;
      uint32_t y;
    };
    for (const Strides& stride : {Strides{"1x2", 1, 2}, Strides{"1x3", 1, 3},
                                  Strides{"2x1", 2, 1}, Strides{"3x8", 3, 8}}) {
      TensorMap map = Tensor(TensorMapType::kBf16, {150, 26}, s.swizzle,
                             {s.inner_bytes / 2, 10});
      map.element_strides[0] = stride.x;
      map.element_strides[1] = stride.y;
      const std::string name =
          std::string("stride_") + stride.name + "_" + s.name;
      cases->push_back(LoadCase(map, inside, name));
      cases->push_back(LoadCase(map, Place{"low_corner", {-8, -4}}, name));
      cases->push_back(LoadCase(map, Place{"high_corner", {136, 20}}, name));
    }
  }
}

}  // namespace

std::vector<MicroCase> TmaLoadCases() {
  std::vector<MicroCase> cases;
  AddRanks(&cases);
  AddTypes(&cases);
  AddFloats(&cases);
  AddOddities(&cases);
  MicroCase prefetch =
      LoadCase(Tensor(TensorMapType::kBf16, {100, 20}, Swizzle::k128, {64, 9}),
               Place{"inside", {8, 1}}, "prefetched");
  prefetch.kernel = "tma_prefetch";
  cases.push_back(prefetch);
  // The innermost coordinate must be a multiple of 16 bytes.
  cases.push_back(
      LoadCase(Tensor(TensorMapType::kBf16, {100, 20}, Swizzle::kNone, {64, 9}),
               Place{"off_16_bytes", {4, 1}}, "bf16"));
  return cases;
}

}  // namespace tiletune::micro
