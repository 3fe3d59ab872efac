#include "testing/emulator/hardware/tensors.h"

namespace tiletune::micro {

uint32_t ElementBytes(const emulator::TensorMap& map) {
  return static_cast<uint32_t>(emulator::TensorMapElementBits(map.type)) / 8;
}

emulator::TensorMap Tensor(emulator::TensorMapType type,
                           const std::vector<uint64_t>& dims,
                           emulator::Swizzle swizzle,
                           const std::vector<uint32_t>& box) {
  emulator::TensorMap map;
  map.type = type;
  map.rank = static_cast<int>(dims.size());
  map.swizzle = swizzle;
  for (size_t i = 0; i < dims.size(); ++i) {
    map.dims[i] = dims[i];
    map.box[i] = box[i];
  }
  uint64_t stride = (dims[0] * ElementBytes(map) + 15) / 16 * 16 + 16;
  for (size_t i = 1; i < dims.size(); ++i) {
    map.strides[i - 1] = stride;
    stride *= dims[i];
  }
  return map;
}

size_t TensorBytes(const emulator::TensorMap& map) {
  const int last = map.rank - 1;
  return last == 0 ? map.dims[0] * ElementBytes(map)
                   : map.dims[last] * map.strides[last - 1];
}

}  // namespace tiletune::micro
