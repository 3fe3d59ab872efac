#include "testing/emulator/engines/tensor_map.h"

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

// A legal 1024 x 512 bf16 map with a 64 x 128 box, 128-byte swizzle.
TensorMap LegalMap() {
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

TEST(TensorMap, AcceptsTheUsualGemmMap) {
  EXPECT_TRUE(CheckTensorMap(LegalMap()).empty());
}

TEST(TensorMap, AcceptsPackedTypes) {
  TensorMap map = LegalMap();
  map.type = TensorMapType::k16U4Align16B;
  map.box = {128, 128};
  EXPECT_TRUE(CheckTensorMap(map).empty());
  map.type = TensorMapType::k16U6Align16B;
  EXPECT_TRUE(CheckTensorMap(map).empty());
  map.type = TensorMapType::k16U4Align8B;
  map.box = {256, 128};
  EXPECT_TRUE(CheckTensorMap(map).empty());
}

struct IllegalCase {
  const char* expected;  // part of the sentence
  std::function<void(TensorMap*)> change;
};

TEST(TensorMap, EachBrokenRuleGetsItsSentence) {
  const std::vector<IllegalCase> cases = {
      {"Rank 6", [](TensorMap* m) { m->rank = 6; }},
      {"Rank 0", [](TensorMap* m) { m->rank = 0; }},
      {"not modelled",
       [](TensorMap* m) { m->interleave = TensorMapInterleave::k16B; }},
      {"globalAddress is not aligned to 16",
       [](TensorMap* m) { m->address += 8; }},
      {"globalDim[1] = 0", [](TensorMap* m) { m->dims[1] = 0; }},
      {"not in 1..2^32",
       [](TensorMap* m) { m->dims[1] = (uint64_t{1} << 32) + 1; }},
      {"globalStrides[0] = 1032", [](TensorMap* m) { m->strides[0] = 1032; }},
      {"not below 2^40",
       [](TensorMap* m) { m->strides[0] = uint64_t{1} << 40; }},
      {"boxDim[1] = 257", [](TensorMap* m) { m->box[1] = 257; }},
      {"boxDim[1] = 0", [](TensorMap* m) { m->box[1] = 0; }},
      {"not a multiple of 16", [](TensorMap* m) { m->box[0] = 12; }},
      {"elementStrides[1] = 9",
       [](TensorMap* m) { m->element_strides[1] = 9; }},
      {"elementStrides[1] = 0",
       [](TensorMap* m) { m->element_strides[1] = 0; }},
      {"swizzle spans only 128", [](TensorMap* m) { m->box[0] = 72; }},
      {"swizzle spans only 32",
       [](TensorMap* m) { m->swizzle = Swizzle::k32; }},
      {"Filling with NaN",
       [](TensorMap* m) {
         m->type = TensorMapType::kU16;
         m->fill = TensorMapFill::kNan;
       }},
      {"is odd",
       [](TensorMap* m) {
         m->type = TensorMapType::k16U4Align8B;
         m->dims[0] = 511;
       }},
      {"aligned to 32",
       [](TensorMap* m) {
         m->type = TensorMapType::k16U4Align16B;
         m->box[0] = 128;
         m->address += 16;
       }},
      {"boxDim[0] = 64 is not 128",
       [](TensorMap* m) { m->type = TensorMapType::k16U6Align16B; }},
      {"multiple of 128, which b6x16_p32",
       [](TensorMap* m) {
         m->type = TensorMapType::k16U6Align16B;
         m->box[0] = 128;
         m->dims[0] = 64;
       }},
      {"does not support this swizzle",
       [](TensorMap* m) {
         m->type = TensorMapType::k16U4Align16B;
         m->box[0] = 128;
         m->swizzle = Swizzle::k128Atom64;
       }},
  };
  for (const IllegalCase& c : cases) {
    TensorMap map = LegalMap();
    c.change(&map);
    const Findings findings = CheckTensorMap(map);
    ASSERT_EQ(findings.size(), 1u) << c.expected;
    EXPECT_NE(findings[0].find(c.expected), std::string::npos) << findings[0];
  }
}

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

TEST(TensorMap, ForeignBytesAreNoMap) {
  uint8_t bytes[kTensorMapBytes] = {};
  TensorMap map;
  EXPECT_FALSE(DecodeTensorMap(bytes, &map));
  std::memset(bytes, 0xA5, sizeof(bytes));
  EXPECT_FALSE(DecodeTensorMap(bytes, &map));
  EXPECT_EQ(ReplaceTensorMapField(TensorMapField::kBoxDim, 0, 8, bytes).size(),
            1u);
}

TEST(TensorMap, ReplaceChangesOneField) {
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
TEST(TensorMap, ReplaceNumbersTypesAsThePtxTableDoes) {
  uint8_t bytes[kTensorMapBytes];
  EncodeTensorMap(LegalMap(), bytes);
  ASSERT_TRUE(
      ReplaceTensorMapField(TensorMapField::kElementType, 0, 8, bytes).empty());
  TensorMap map;
  ASSERT_TRUE(DecodeTensorMap(bytes, &map));
  EXPECT_EQ(map.type, TensorMapType::kF32Ftz);
}

TEST(TensorMap, SwizzleModeAndAtomicityCombine) {
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
  EXPECT_TRUE(ReplaceTensorMapField(F::kSwizzleMode, 0, 1, bytes).empty());
  ASSERT_TRUE(DecodeTensorMap(bytes, &map));
  EXPECT_EQ(map.swizzle, Swizzle::k32);
}

TEST(TensorMap, ReplaceRejectsValuesOutOfRange) {
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

TEST(TensorMap, PerDimensionFieldsCheckTheirOrdinal) {
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

TEST(TensorMap, ElementSizes) {
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
