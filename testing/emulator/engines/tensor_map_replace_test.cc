#include "gtest/gtest.h"
#include "testing/emulator/engines/tensor_map.h"
#include "testing/emulator/engines/tensor_map_testing.h"

namespace tiletune::emulator {
namespace {

TEST(TensorMapReplace, ReplaceChangesOneField) {
  uint8_t bytes[kTensorMapBytes];
  EncodeTensorMap(LegalMap(), bytes);
  using F = TensorMapField;
  EXPECT_TRUE(
      ReplaceTensorMapField(F::kGlobalAddress, 0, 0x1000, bytes).empty());
  EXPECT_TRUE(ReplaceTensorMapField(F::kGlobalDim, 1, 77, bytes).empty());
  EXPECT_TRUE(ReplaceTensorMapField(F::kGlobalStride, 0, 2048, bytes).empty());
  EXPECT_TRUE(ReplaceTensorMapField(F::kRank, 0, 2, bytes).empty());
  TensorMap map;
  ASSERT_TRUE(DecodeTensorMap(bytes, &map));
  EXPECT_EQ(map.address, 0x1000u);
  EXPECT_EQ(map.dims[1], 77u);
  EXPECT_EQ(map.dims[0], 512u);
  EXPECT_EQ(map.strides[0], 2048u);
  EXPECT_EQ(map.rank, 3);
}

// Table 33 numbers the types differently from the driver's enum.
TEST(TensorMapReplace, ReplaceNumbersTypesAsThePtxTableDoes) {
  uint8_t bytes[kTensorMapBytes];
  EncodeTensorMap(LegalMap(), bytes);
  ASSERT_TRUE(
      ReplaceTensorMapField(TensorMapField::kElementType, 0, 8, bytes).empty());
  TensorMap map;
  ASSERT_TRUE(DecodeTensorMap(bytes, &map));
  EXPECT_EQ(map.type, TensorMapType::kF32Ftz);
}

TEST(TensorMapReplace, SwizzleModeAndAtomicityCombine) {
  uint8_t bytes[kTensorMapBytes];
  TensorMap map = LegalMap();
  map.swizzle = Swizzle::k64;
  EncodeTensorMap(map, bytes);
  using F = TensorMapField;
  EXPECT_FALSE(
      ReplaceTensorMapField(F::kSwizzleAtomicity, 0, 1, bytes).empty());
  EXPECT_TRUE(ReplaceTensorMapField(F::kSwizzleMode, 0, 3, bytes).empty());
  EXPECT_TRUE(ReplaceTensorMapField(F::kSwizzleAtomicity, 0, 1, bytes).empty());
  ASSERT_TRUE(DecodeTensorMap(bytes, &map));
  EXPECT_EQ(map.swizzle, Swizzle::k128Atom32);
  // Setting the 128-byte mode again keeps the atom.
  EXPECT_TRUE(ReplaceTensorMapField(F::kSwizzleAtomicity, 0, 3, bytes).empty());
  EXPECT_TRUE(ReplaceTensorMapField(F::kSwizzleMode, 0, 3, bytes).empty());
  ASSERT_TRUE(DecodeTensorMap(bytes, &map));
  EXPECT_EQ(map.swizzle, Swizzle::k128Atom64);
  EXPECT_TRUE(ReplaceTensorMapField(F::kSwizzleMode, 0, 1, bytes).empty());
  ASSERT_TRUE(DecodeTensorMap(bytes, &map));
  EXPECT_EQ(map.swizzle, Swizzle::k32);
}

TEST(TensorMapReplace, ReplaceRejectsValuesOutOfRange) {
  uint8_t bytes[kTensorMapBytes];
  EncodeTensorMap(LegalMap(), bytes);
  using F = TensorMapField;
  EXPECT_FALSE(ReplaceTensorMapField(F::kRank, 0, 5, bytes).empty());
  EXPECT_FALSE(ReplaceTensorMapField(F::kBoxDim, 5, 1, bytes).empty());
  EXPECT_FALSE(ReplaceTensorMapField(F::kGlobalStride, 4, 16, bytes).empty());
  EXPECT_FALSE(ReplaceTensorMapField(F::kElementType, 0, 16, bytes).empty());
  EXPECT_FALSE(ReplaceTensorMapField(F::kSwizzleMode, 0, 5, bytes).empty());
  EXPECT_FALSE(
      ReplaceTensorMapField(F::kSwizzleAtomicity, 0, 4, bytes).empty());
  EXPECT_FALSE(ReplaceTensorMapField(F::kFillMode, 0, 2, bytes).empty());
  EXPECT_FALSE(
      ReplaceTensorMapField(F::kInterleaveLayout, 0, 3, bytes).empty());
}

TEST(TensorMapReplace, PerDimensionFieldsCheckTheirOrdinal) {
  uint8_t bytes[kTensorMapBytes];
  EncodeTensorMap(LegalMap(), bytes);
  using F = TensorMapField;
  for (F field :
       {F::kBoxDim, F::kGlobalDim, F::kGlobalStride, F::kElementStride}) {
    EXPECT_EQ(ReplaceTensorMapField(field, -1, 16, bytes).size(), 1u);
    EXPECT_EQ(ReplaceTensorMapField(field, 5, 16, bytes).size(), 1u);
    EXPECT_TRUE(ReplaceTensorMapField(field, 3, 16, bytes).empty());
  }
  // The other fields have no ordinal.
  EXPECT_TRUE(ReplaceTensorMapField(F::kFillMode, 9, 1, bytes).empty());
  TensorMap map;
  ASSERT_TRUE(DecodeTensorMap(bytes, &map));
  EXPECT_EQ(map.box[3], 16u);
  EXPECT_EQ(map.element_strides[3], 16u);
  EXPECT_EQ(map.fill, TensorMapFill::kNan);
}

}  // namespace
}  // namespace tiletune::emulator
