#include "testing/emulator/engines/tensor_map.h"

#include <cstring>

#include "gtest/gtest.h"
#include "testing/emulator/engines/tensor_map_testing.h"

namespace tiletune::emulator {
namespace {

TEST(TensorMap, EncodingRoundTrips) {
  TensorMap map = LegalMap();
  map.rank = 5;
  map.dims = {1, 2, 3, 4, uint64_t{1} << 32};
  map.strides = {16, 32, 48, (uint64_t{1} << 40) - 16};
  map.box = {256, 1, 2, 3, 4};
  map.element_strides = {1, 2, 3, 4, 8};
  map.fill = TensorMapFill::kNan;
  uint8_t bytes[kTensorMapBytes];
  EncodeTensorMap(map, bytes);
  TensorMap back;
  ASSERT_TRUE(DecodeTensorMap(bytes, &back));
  EXPECT_EQ(back.type, map.type);
  EXPECT_EQ(back.rank, map.rank);
  EXPECT_EQ(back.address, map.address);
  EXPECT_EQ(back.dims, map.dims);
  EXPECT_EQ(back.strides, map.strides);
  EXPECT_EQ(back.box, map.box);
  EXPECT_EQ(back.element_strides, map.element_strides);
  EXPECT_EQ(back.swizzle, map.swizzle);
  EXPECT_EQ(back.l2_promotion, map.l2_promotion);
  EXPECT_EQ(back.fill, map.fill);
}

// CUTLASS does so to maps of tensors under 128 KiB (copy_traits_sm90_tma.hpp).
TEST(TensorMap, BitTwentyOneOfTheSecondWordMeansNothing) {
  for (int i = 0; i < 64; ++i) {
    TensorMap map;
    map.address = uint64_t{1} << i;
    map.dims = {~0u, ~0u, ~0u, ~0u, ~0u};
    uint8_t bytes[kTensorMapBytes];
    EncodeTensorMap(map, bytes);
    bytes[10] &= static_cast<uint8_t>(~0x20);
    TensorMap read;
    ASSERT_TRUE(DecodeTensorMap(bytes, &read));
    EXPECT_EQ(read.address, map.address);
    EXPECT_EQ(read.dims, map.dims);
  }
}

TEST(TensorMap, ForeignBytesAreNoMap) {
  uint8_t bytes[kTensorMapBytes] = {};
  TensorMap map;
  EXPECT_FALSE(DecodeTensorMap(bytes, &map));
  std::memset(bytes, 0xA5, sizeof(bytes));
  EXPECT_FALSE(DecodeTensorMap(bytes, &map));
  EXPECT_EQ(ReplaceTensorMapField(TensorMapField::kBoxDim, 0, 8, bytes).size(),
            1u);
}

TEST(TensorMap, ElementSizes) {
  EXPECT_EQ(TensorMapElementBits(TensorMapType::kU8), 8);
  EXPECT_EQ(TensorMapElementBits(TensorMapType::kF64), 64);
  EXPECT_EQ(TensorMapElementBits(TensorMapType::kTf32), 32);
  EXPECT_EQ(TensorMapElementBits(TensorMapType::k16U6Align16B), 6);
  EXPECT_EQ(TensorMapSharedBytesPer16(TensorMapType::k16U4Align8B), 8);
  EXPECT_EQ(TensorMapSharedBytesPer16(TensorMapType::k16U6Align16B), 16);
  EXPECT_FALSE(IsSubByte(TensorMapType::kU8));
  EXPECT_TRUE(IsSubByte(TensorMapType::k16U6Align16B));
}

TEST(TensorMap, DriverSwizzleNumbers) {
  Swizzle swizzle;
  ASSERT_TRUE(SwizzleFromDriver(3, &swizzle));
  EXPECT_EQ(swizzle, Swizzle::k128);
  ASSERT_TRUE(SwizzleFromDriver(6, &swizzle));
  EXPECT_EQ(swizzle, Swizzle::k128Atom64);
  EXPECT_FALSE(SwizzleFromDriver(7, &swizzle));
}

}  // namespace
}  // namespace tiletune::emulator
