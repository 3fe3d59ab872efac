// The tensors that the TMA cases move boxes of.
//
// Use it where a case needs a tensor map.
//
//   TensorMap map = Tensor(TensorMapType::kBf16, {100, 20}, Swizzle::k128,
//                          {64, 9});
//   for (const NamedSwizzle& s : kSwizzles) ...  // all four of Hopper
//   uint32_t bytes = ElementBytes(map);
//   MapSpec spec{/*over_output=*/false, map};
#ifndef TILETUNE_TESTING_EMULATOR_HARDWARE_TENSORS_H_
#define TILETUNE_TESTING_EMULATOR_HARDWARE_TENSORS_H_

#include <cstdint>
#include <vector>

#include "testing/emulator/engines/tensor_map.h"

namespace tiletune::micro {

struct NamedSwizzle {
  const char* name;
  emulator::Swizzle swizzle;
  uint32_t inner_bytes;  // of the box
};
inline constexpr NamedSwizzle kSwizzles[] = {
    {"none", emulator::Swizzle::kNone, 96},
    {"32B", emulator::Swizzle::k32, 32},
    {"64B", emulator::Swizzle::k64, 64},
    {"128B", emulator::Swizzle::k128, 128}};

uint32_t ElementBytes(const emulator::TensorMap& map);

// Packed, but for 16 to 31 bytes behind each row. Dimension 0 is innermost.
emulator::TensorMap Tensor(emulator::TensorMapType type,
                           const std::vector<uint64_t>& dims,
                           emulator::Swizzle swizzle,
                           const std::vector<uint32_t>& box);

// Bytes from the first to behind the last element.
size_t TensorBytes(const emulator::TensorMap& map);

}  // namespace tiletune::micro

#endif  // TILETUNE_TESTING_EMULATOR_HARDWARE_TENSORS_H_
