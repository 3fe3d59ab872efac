// The tensor maps that the tests of maps and of TMA start from.
//
//   TensorMap map = LegalMap();
//   map.box = {512, 1};
//   EXPECT_FALSE(CheckTensorMap(map).empty());
#ifndef TILETUNE_TESTING_EMULATOR_ENGINES_TENSOR_MAP_TESTING_H_
#define TILETUNE_TESTING_EMULATOR_ENGINES_TENSOR_MAP_TESTING_H_

#include "testing/emulator/engines/tensor_map.h"

namespace tiletune::emulator {

// A legal 1024 x 512 bf16 map with a 64 x 128 box, 128-byte swizzle.
inline TensorMap LegalMap() {
  TensorMap map;
  map.type = TensorMapType::kBf16;
  map.rank = 2;
  map.address = 0x7000'0000'0100;
  map.dims = {512, 1024};
  map.strides = {1024};
  map.box = {64, 128};
  map.swizzle = Swizzle::k128;
  map.l2_promotion = TensorMapL2Promotion::k256B;
  return map;
}

// A rank-3 tensor of 16-bit elements, 40 x 7 x 3, in rows of 96 bytes.
inline TensorMap SmallMap(Swizzle swizzle) {
  TensorMap map;
  map.type = TensorMapType::kU16;
  map.rank = 3;
  map.address = 0x10000;
  map.dims = {40, 7, 3};
  map.strides = {96, 96 * 8};
  map.box = {16, 4, 2};
  map.swizzle = swizzle;
  return map;
}

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_ENGINES_TENSOR_MAP_TESTING_H_
