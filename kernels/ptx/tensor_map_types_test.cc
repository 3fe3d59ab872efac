#include "gtest/gtest.h"
#include "kernels/problem.h"
#include "kernels/ptx/tensor_map.h"

namespace tiletune {
namespace {

TEST(TensorMapType, KnowsEveryTypeThatTmaKnows) {
  EXPECT_EQ(TensorMapTypeOf(DataType::kBf16), CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
  EXPECT_EQ(TensorMapTypeOf(DataType::kFp16), CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
  EXPECT_EQ(TensorMapTypeOf(DataType::kFp32), CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
}

TEST(TensorMapType, MovesFp8AsBytes) {
  EXPECT_EQ(TensorMapTypeOf(DataType::kFp8E4m3), CU_TENSOR_MAP_DATA_TYPE_UINT8);
  EXPECT_EQ(TensorMapTypeOf(DataType::kFp8E5m2), CU_TENSOR_MAP_DATA_TYPE_UINT8);
}

TEST(ElementType, IsTheDataTypeInDeviceCode) {
  EXPECT_EQ(ElementTypeOf(DataType::kBf16), ElementType::kBf16);
  EXPECT_EQ(ElementTypeOf(DataType::kFp16), ElementType::kFp16);
  EXPECT_EQ(ElementTypeOf(DataType::kFp32), ElementType::kFp32);
  EXPECT_EQ(ElementTypeOf(DataType::kFp8E4m3), ElementType::kE4m3);
  EXPECT_EQ(ElementTypeOf(DataType::kFp8E5m2), ElementType::kE5m2);
}

}  // namespace
}  // namespace tiletune
